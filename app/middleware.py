"""What happens before any page: a number for the request, headers on every answer, and the door."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import ip_address
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import is_api

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_ADDRESS_BYTES = 8192
LOCAL_NAMES = ("localhost",)

Refuse = Callable[[Request, int, str], Awaitable[Response]]


class RequestId:
    """Numbers the request, for the audit trail and the page that says what went wrong."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Leave the number in the request's state."""
        if scope["type"] == "http":
            scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)
        await self.app(scope, receive, send)


class SecurityHeaders:
    """Puts on every answer what it lacks of the headers that browsers obey (A-76)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and its answer with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = scope["state"]["request_id"]
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)


class Door:
    """Lets no request in whose address, host, size or origin is not as it should be."""

    def __init__(self, app: ASGIApp, *, refuse: Refuse, hosts: Iterable[str], max_body_bytes: int) -> None:
        self.app = app
        self.refuse = refuse
        self.hosts = frozenset(host.lower() for host in (*LOCAL_NAMES, *hosts))
        self.max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer in its place."""
        found = self._objection(scope) if scope["type"] == "http" else None
        app = await self.refuse(Request(scope, receive), *found) if found else self.app
        await app(scope, receive, send)

    def _objection(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        raw_path = scope.get("raw_path") or scope["path"].encode()
        if len(raw_path) + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
            return 414, ""
        if not (readable(raw_path) and readable(scope["query_string"])):
            return 400, "The address holds characters that cannot be read."
        if not self._is_host(headers.getlist("host")):
            return 400, "This console does not answer to that host name: name it in WATCHFLOOR_ALLOWED_HOSTS."
        # To the API, whose routes say how much each takes, no cookie counts: there is nothing to be forged
        return None if is_api(scope["path"]) else self._objection_to_form(scope["method"], headers)

    def _objection_to_form(self, method: str, headers: Headers) -> tuple[int, str] | None:
        if method not in SAFE and not same_origin(headers):
            return 403, "The request came from another site. Open the console itself and try again there."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > self.max_body_bytes:
            return 413, ""
        return None

    def _is_host(self, named: list[str]) -> bool:
        """Names have to be known; a number cannot be rebound to another machine, so it always passes (A-69)."""
        try:
            parts = urlsplit(f"//{named[0]}")
            host, _port = parts.hostname or "", parts.port
        except (IndexError, ValueError):
            return False
        if len(named) > 1 or parts.netloc != named[0] or parts.username is not None:
            return False
        return host in self.hosts or is_number(host)


def is_number(host: str) -> bool:
    """Whether the host is an address and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def readable(quoted: bytes) -> bool:
    """Whether what is quoted is UTF-8 text without a NUL (A-80)."""
    plain = unquote_to_bytes(quoted)
    try:
        return "\0" not in plain.decode()
    except UnicodeDecodeError:
        return False


def same_origin(headers: Headers) -> bool:
    """Whether a page of ours sent it: browsers say so in Sec-Fetch-Site, older ones in Origin (A-64)."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or origin.partition("://")[2] == headers.get("host")
