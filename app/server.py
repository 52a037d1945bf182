"""The HTTP server: ends the open streams first, so that it can stop at once (see `app.live`)."""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from app.console import Console
from app.settings import ConsoleSettings


class Server(uvicorn.Server):
    """Serves the console until it is told to stop; `on_start` gets its URL once it answers."""

    def __init__(
        self, app: Starlette, settings: ConsoleSettings, *, on_start: Callable[[str], None] | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            lifespan="on",
            loop="asyncio",  # the same server everywhere, whatever faster one another package has brought
            http="h11",
            ws="none",
            log_config=None,  # the log is the process's, not the server's
            access_log=False,  # addresses may hold a link's token
            server_header=False,
            proxy_headers=False,  # the app's own middleware, which trusts only the configured proxies
            timeout_graceful_shutdown=int(settings.shutdown_grace_seconds),
        )
        super().__init__(config)
        self._console: Console = app.state.console
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Bind, then say where."""
        await super().startup(sockets)
        if self.started and self._on_start:
            self._on_start(self._url())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then wait for the other requests."""
        self._console.live.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave them to the process, which has more to end than this (see `app.processes`)."""
        yield

    def stop(self) -> None:
        """Let the loop end at its next turn; safe to call from a signal handler."""
        self.should_exit = True

    def _url(self) -> str:
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)  # noqa: S104 - compared, not bound
        return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
