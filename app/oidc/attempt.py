"""What the browser remembers while it is at the provider: a cookie that only this server reads, for ten minutes."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from dataclasses import asdict, dataclass

from starlette.requests import Request
from starlette.responses import Response

from app import sessions
from app.console import console_of
from app.forms import storable

COOKIE = "watchfloor-oidc"
SECONDS = 600


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sign-in: `state` comes back in the address, `nonce` in the token, and `verifier` proves whose the code is."""

    state: str
    nonce: str
    verifier: str
    following: str


def begun(following: str) -> Attempt:
    """A new one, which nobody can guess."""
    state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
    return Attempt(state, nonce, verifier, following)


def keep(request: Request, response: Response, attempt: Attempt) -> None:
    """Have the browser remember it, and send it back from the provider's page."""
    text = base64.urlsafe_b64encode(json.dumps(asdict(attempt)).encode()).decode()
    response.set_cookie(_name(request), text, max_age=SECONDS, secure=_secure(request), httponly=True, samesite="lax")


def kept(request: Request) -> Attempt | None:
    """What the browser remembers; None when nothing, or what is none of ours."""
    try:
        known = json.loads(base64.urlsafe_b64decode(request.cookies.get(_name(request), "")))
        attempt = Attempt(**known)
    except (binascii.Error, ValueError, TypeError, RecursionError):
        return None
    return attempt if all(isinstance(each, str) and each and storable(each) for each in known.values()) else None


def forget(request: Request, response: Response) -> None:
    """It is of use once."""
    response.delete_cookie(_name(request), secure=_secure(request), httponly=True, samesite="lax")


def _secure(request: Request) -> bool:
    return sessions.is_secure(console_of(request).settings, request)


def _name(request: Request) -> str:
    return f"__Host-{COOKIE}" if _secure(request) else COOKIE
