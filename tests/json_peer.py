"""A server that speaks JSON at 127.0.0.1, over TLS or not, and answers as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from tests.certificates import Certificate

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Asked:
    """A request; `path` is without its query."""

    method: str
    path: str
    headers: Mapping[str, str]
    document: Any


@dataclass(frozen=True)
class Answer:
    """What is said to it."""

    status: int
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def peer(answer: Callable[[Asked], Answer], certificate: Certificate | None = None) -> Iterator[str]:
    """Where it listens, as `host:port`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            document = json.loads(body) if body else None
            said = answer(Asked(self.command, self.path.partition("?")[0], dict(self.headers), document))
            content = json.dumps(said.document).encode()
            self.send_response(said.status)
            for name, value in {"Content-Type": "application/json", **said.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do  # noqa: N815 - the names that http.server looks for

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as in the base class
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    if certificate:
        server.socket = certificate.context().wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
    try:
        yield f"{HOST}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
