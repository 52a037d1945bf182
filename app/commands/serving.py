"""Serve the console beside whatever else the process runs, until a signal."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any

import click

from app.commands.refusals import Failed
from app.main import create_app
from app.processes import Part, Stop, leave_in_peace, running
from app.server import Server
from app.settings import ConsoleSettings
from worker.handlers import Registry

host_option = click.option("--host", help="Address to listen on; HOST, or 127.0.0.1.")
port_option = click.option("--port", type=click.IntRange(0, 65_535), help="Port; PORT, or 8000. 0 takes a free one.")


def bound(settings: ConsoleSettings) -> socket.socket:
    """The console's socket, taken before anything slow: a port in use is said at once, an early browser waits."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(2048)
    except OSError as error:
        raise Failed(
            f"cannot listen on {settings.host} port {settings.port} ({error.strerror}): choose another with --port"
        ) from None
    return found


def serve(
    settings: ConsoleSettings,
    registry: Registry,
    parts: Sequence[Part],
    *,
    listener: socket.socket,
    on_start: Callable[[str], None],
) -> None:
    """Run until a signal: pages and streams end first, then the parts, which write down what they hold."""
    server = Server(create_app(settings, registry=registry), settings, on_start=on_start)
    leave_in_peace()
    with Stop(server.stop, parts=parts).listening(), running(parts):
        server.run(sockets=[listener])


def given(**options: Any) -> dict[str, Any]:
    """The options that were given; the others are left to the environment."""
    return {name: value for name, value in options.items() if value is not None}
