"""Sessions: a random token in a cookie, its hash in the database, looked up on every request."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from app import lens
from app.console import Console, console_of
from app.settings import ConsoleSettings
from worker.database import Connection, autocommit
from worker.failures import safe_text
from worker.queries import links
from worker.queries import sessions as stored
from worker.queries.audit import Actor
from worker.queries.operators import Operator
from worker.queries.sessions import Visit

COOKIE = "watchfloor"
NOBODY = "nobody"
LINK_HOURS = 24


def recognise(conn: Connection, request: Request) -> Visit:
    """Who calls, and when; kept with the request, for its error page too."""
    visit = stored.visit(conn, token_hash=token_hash(request), now=console_of(request).now)
    request.state.visit = visit
    return visit


def token_hash(request: Request) -> str | None:
    """What is stored of the session that the browser says it has."""
    token = request.cookies.get(cookie(console_of(request).settings, request))
    return digest(token) if token else None


def recognise_alone(request: Request) -> Visit:
    """The same where no transaction is open; makes sure that there are figures for the rail, those of the lens."""
    console = console_of(request)
    with autocommit(console.engine).connect() as conn:
        visit = recognise(conn, request)
        if visit.operator:
            figures = console.sampler.figures(conn, fresh=False)
            if whose := lens.look(conn, request):
                console.sampler.of_tenant(conn, figures, tenant_id=whose.id)
        return visit


def actor(request: Request, operator: Operator | None) -> Actor:
    """Who the audit trail names for this request."""
    address = request.client.host if request.client else None
    return Actor(operator.name if operator else NOBODY, address, request.state.request_id)


def touch(console: Console, visit: Visit) -> None:
    """Let the session live on, since its operator is there."""
    with autocommit(console.engine).connect() as conn:
        stored.touch(conn, token_hash=visit.token_hash, now=console.now, **_lifetime(console.settings))


def begin(conn: Connection, request: Request, response: Response, operator: Operator) -> None:
    """Sign the operator in on this browser: always a new token, and whatever session it had is over (A-70)."""
    console = console_of(request)
    _close(conn, request)
    token = secrets.token_urlsafe(32)
    stored.open_session(
        conn,
        operator_id=operator.id,
        token_hash=digest(token),
        address=request.client.host if request.client else None,
        user_agent=safe_text(request.headers.get("user-agent", ""), 200),
        now=console.now,
        **_lifetime(console.settings),
    )
    response.set_cookie(
        cookie(console.settings, request),
        token,
        max_age=int(console.settings.session_hours * 3600),
        secure=is_secure(console.settings, request),
        httponly=True,
        samesite="lax",
    )


def end(conn: Connection, request: Request, response: Response) -> None:
    """Sign out on the server and in the browser."""
    _close(conn, request)
    settings = console_of(request).settings
    secure = is_secure(settings, request)
    response.delete_cookie(cookie(settings, request), secure=secure, httponly=True, samesite="lax")


def new_link(conn: Connection, *, operator_id: UUID, hours: float = LINK_HOURS, now: datetime | None = None) -> str:
    """The path of a link that signs the operator in once; it cannot be shown again."""
    token = secrets.token_urlsafe(32)
    links.issue(conn, operator_id=operator_id, token_hash=digest(token), lifetime_seconds=hours * 3600, now=now)
    return f"/sign-in/link/{token}"


def digest(token: str) -> str:
    """What is stored of a token; it is random enough for a plain hash."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def is_secure(settings: ConsoleSettings, request: Request) -> bool:
    """Whether the browser sees https, by the settings or else by the scheme of the request."""
    by_scheme: bool = request.scope["scheme"] == "https"
    return by_scheme if settings.secure_cookies is None else settings.secure_cookies


def cookie(settings: ConsoleSettings, request: Request) -> str:
    """The cookie's name: with `__Host-`, browsers let no other host and no plain page set it (A-76)."""
    return f"__Host-{COOKIE}" if is_secure(settings, request) else COOKIE


def _close(conn: Connection, request: Request) -> None:
    visit: Visit = request.state.visit
    if visit.operator:
        stored.close_session(conn, token_hash=visit.token_hash)


def _lifetime(settings: ConsoleSettings) -> dict[str, float]:
    return {"idle_seconds": settings.session_idle_hours * 3600, "length_seconds": settings.session_hours * 3600}
