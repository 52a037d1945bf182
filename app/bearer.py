"""Who asks the API: a program shows its token in the Authorization header, and nothing else counts there."""

from __future__ import annotations

import re
import secrets
from datetime import datetime

from starlette.requests import Request

from app import refusals
from app.console import Console
from app.errors import Refused
from app.sessions import NOBODY, digest
from worker.database import Connection, autocommit
from worker.queries import rates, tokens
from worker.queries.audit import Actor
from worker.queries.tokens import Scope, Showing, Token

TRIES_PER_ADDRESS = 50
"""Unknown tokens that one address may show within a quarter of an hour; a good one comes in all the same."""

_PREFIX = "wf_"  # by which people, and scanners of sources, know what it is
_BEARER = re.compile(r"(?i:bearer) +([A-Za-z0-9._~+/-]{1,200}=*) *")
_CHALLENGE = 'Bearer realm="watchfloor"'


def new_token() -> str:
    """A token that nobody guesses."""
    return _PREFIX + secrets.token_urlsafe(32)


def admit(console: Console, request: Request, *, scope: Scope, noun: str) -> tuple[Token, datetime]:
    """Whose token was shown and when, if it may do what the scope names; all others are refused: 401, 403, 429."""
    shown = _shown(request)
    with autocommit(console.engine).connect() as conn:
        showing = tokens.shown(conn, token_hash=digest(shown), now=console.now)
        token = showing.token
        if token and token.may(scope):
            if token.touch_due:
                tokens.touch(conn, name=token.name, now=console.now)
            return token, showing.now
    who, target = actor(request, token), refusals.target_of(request)
    with console.engine.begin() as conn:
        refusal = _lacks(scope) if token and not token.revoked else _stranger(conn, showing, who.address)
        refusals.note(conn, who, action=noun, target=target, reason=refusal.message, now=showing.now)
    raise refusal


def actor(request: Request, token: Token | None) -> Actor:
    """Who the audit trail names for this request."""
    address = request.client.host if request.client else None
    return Actor(f"token:{token.name}" if token else NOBODY, address, request.state.request_id)


def _shown(request: Request) -> str:
    found = [_BEARER.fullmatch(value) for value in request.headers.getlist("authorization")]
    if len(found) == 1 and found[0]:
        return found[0][1]
    raise Refused(401, "Send a token: `Authorization: Bearer …`.", headers={"WWW-Authenticate": _CHALLENGE})


def _stranger(conn: Connection, showing: Showing, address: str | None) -> Refused:
    """The refusal of a token that is not known or no longer good; after so many of them, of the address."""
    uses = rates.count(conn, key=f"unknown token from {address}", now=showing.now)
    if uses > TRIES_PER_ADDRESS:
        later = {"Retry-After": str(rates.WINDOW_MINUTES * 60)}
        return Refused(429, "Too many tokens that are not known came from this address.", headers=later)
    message = "The token was revoked." if showing.token else "The token is not known."
    return Refused(401, message, headers={"WWW-Authenticate": f'{_CHALLENGE}, error="invalid_token"'})


def _lacks(scope: Scope) -> Refused:
    challenge = f'{_CHALLENGE}, error="insufficient_scope", scope="{scope}"'
    return Refused(403, f"The token lacks the scope {scope}.", headers={"WWW-Authenticate": challenge})
