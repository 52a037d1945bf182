"""The tenant lens: below /in/{slug} lies the same console, and shows and moves nothing of any other tenant.

Handlers, templates and scripts write addresses as if there were no lens. `Lenses` takes the prefix off the path on the
way in, and puts it before the addresses in headers on the way out; pages get theirs by `written`. So no link falls out
of the lens but one that says so, in the attribute before it: `<a data-leaves href="/jobs">`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import PREFIXES
from worker.database import Connection
from worker.queries import tenants

ROOT = "/in"
OUTSIDE = frozenset(
    {"in", "static", "health", "sign-in", "sign-out", "invitations", "password-resets", "passwords"}
    | {prefix.strip("/") for prefix in PREFIXES}
)
"""What there is once for all tenants, by the first word of its path: files, programs' addresses, and the way in."""

_ASKED = re.compile(rf"({ROOT}/([a-z0-9][a-z0-9-]{{0,62}}))(/.*)?", re.ASCII | re.DOTALL)
_WRITTEN = re.compile(r'(?<!data-leaves )\b((?:href|action|formaction|src|hx-get|hx-post|hx-sse:connect)=")(/[^"]*)')
_LEADING = ("Location", "HX-Redirect", "HX-Push-Url", "HX-Replace-Url")
_CURRENT = b"hx-current-url"


@dataclass(frozen=True, slots=True)
class Lens:
    """The one tenant that a request is about."""

    id: UUID
    slug: str
    name: str


class Lenses:
    """Lets requests below a lens in as if there were none, and the addresses of their answers lead back into it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, without the prefix."""
        found = _ASKED.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if found is None or not _is_inside(found[3] or "/"):
            await self.app(scope, receive, send)
        elif found[3] is None:
            await _with_slash(scope, found[1])(scope, receive, send)
        else:
            await self._within(_inner(scope, *found.groups()), receive, send)

    async def _within(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def lead_back(message: Message) -> None:
            if message["type"] == "http.response.start":
                _lead_back(scope["root_path"], MutableHeaders(scope=message))
            await send(message)

        await self.app(scope, receive, lead_back)


def slug_of(request: Request) -> str | None:
    """The tenant that the address names, whether there is one or not."""
    return getattr(request.state, "slug", None)


def look(conn: Connection, request: Request) -> Lens | None:
    """Whose lens it is, kept with the request; a page that says there is no such tenant lies outside of any."""
    slug = slug_of(request)
    row = tenants.by_slug(conn, slug=slug) if slug else None
    found = request.state.lens = Lens(row.id, row.slug, row.display_name) if row else None
    if slug and row is None:
        request.scope["root_path"] = ""
    return found


def within(prefix: str, address: str) -> str:
    """The address below the prefix, unless it is none of a page of ours, or one that there is once for all tenants."""
    return f"{prefix}{address}" if prefix and _is_inside(address) else address


def written(request: Request, page: str) -> str:
    """The page with all its links in the lens of the request; data cannot look like one, for it is escaped."""
    prefix = request.scope.get("root_path", "")
    return _WRITTEN.sub(lambda found: found[1] + within(prefix, found[2]), page) if prefix else page


def split(address: str) -> tuple[str, str]:
    """The prefix of the lens that an address lies in, and the address without it."""
    found = _ASKED.fullmatch(address)
    return (found[1], found[3]) if found and found[3] and _is_inside(found[3]) else ("", address)


def _is_inside(address: str) -> bool:
    first = re.match(r"/([^/?#]*)", address)
    return first is not None and not address.startswith("//") and first[1] not in OUTSIDE


def _inner(scope: Scope, prefix: str, slug: str, path: str) -> Scope:
    headers = [(name, _without(prefix, value) if name == _CURRENT else value) for name, value in scope["headers"]]
    state = {**scope.get("state", {}), "slug": slug}
    return {**scope, "path": path, "root_path": prefix, "headers": headers, "state": state}


def _lead_back(prefix: str, headers: MutableHeaders) -> None:
    for name in _LEADING:
        if name in headers:
            headers[name] = within(prefix, headers[name])


def _without(prefix: str, url: bytes) -> bytes:
    """The address of the page that asks, as its handler knows it."""
    return re.sub(rb"^(https?://[^/]*)" + re.escape(prefix.encode()) + rb"(?=/)", rb"\1", url)


def _with_slash(scope: Scope, prefix: str) -> RedirectResponse:
    query = scope["query_string"].decode("ascii", "replace")
    return RedirectResponse(f"{prefix}/{'?' if query else ''}{query}", 307)
