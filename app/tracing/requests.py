"""A span around each request. Loads OpenTelemetry's API.

Starlette's own middleware tells addresses whole, and errors with their words: tokens, and what people searched for.
"""

from __future__ import annotations

from opentelemetry import propagate, trace
from opentelemetry.trace import Span, SpanKind, StatusCode
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_UNTOLD = ("/static/", "/health/", "/metrics", "/live")
"""Files and what machines ask all day, and streams, which end when a browser is closed."""


class Requests:
    """Tells of every request by its line in the route table, and goes on with the trace that its sender began."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, within its span."""
        if scope["type"] != "http" or scope["path"].startswith(_UNTOLD):
            await self.app(scope, receive, send)
            return
        with trace.get_tracer("watchfloor").start_as_current_span(
            _method(scope),
            context=propagate.extract(Headers(scope=scope)),
            kind=SpanKind.SERVER,
            attributes=_of(scope),
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            await self._within(span, scope, receive, send)

    async def _within(self, span: Span, scope: Scope, receive: Receive, send: Send) -> None:
        async def telling(message: Message) -> None:
            if message["type"] == "http.response.start":
                span.set_attribute("http.response.status_code", message["status"])
                if message["status"] >= 500:
                    _failed(span, str(message["status"]))
            await send(message)

        try:
            await self.app(scope, receive, telling)
        except Exception as error:
            _failed(span, type(error).__name__)
            raise
        finally:
            if path := getattr(scope.get("route"), "path", None):
                span.update_name(f"{_method(scope)} {path}")
                span.set_attribute("http.route", path)


def _failed(span: Span, kind: str) -> None:
    span.set_status(StatusCode.ERROR)
    span.set_attribute("error.type", kind)


def _method(scope: Scope) -> str:
    return scope["method"] if scope["method"] in _METHODS else "HTTP"


def _of(scope: Scope) -> dict[str, str]:
    return {
        "http.request.method": scope["method"] if scope["method"] in _METHODS else "_OTHER",
        "url.scheme": scope["scheme"],
        "watchfloor.request.id": scope["state"]["request_id"],
    }
