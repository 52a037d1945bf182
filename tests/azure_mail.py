"""Azure's mail over TLS, as far as its SDK speaks with it: what is asked for under one operation's id happens once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from threading import Event, Thread
from typing import Any

from tests.endpoints import HOST

KEY = "Zmxvb3Ita2V5"


@dataclass
class AzureMail:
    """`asked` are the requests for a send, with their headers; `mails` what came of them, by the operation's id."""

    port: int = 0
    status: str = "Succeeded"
    refuse_with: int | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    mails: dict[str, Any] = field(default_factory=dict)
    over: Event = field(default_factory=Event)
    hangs: bool = False

    def uri(self, sender: str = "floor@example.org") -> str:
        """The setting that names it."""
        return f"azure://:{KEY}@{HOST}:{self.port}?from={sender}"


@contextmanager
def azure_mail(context: SSLContext, **answers: Any) -> Iterator[AzureMail]:
    """A resource of Azure Communication Services that answers so."""
    peer = AzureMail(**answers)

    class Resource(_Resource):
        azure = peer

    with ThreadingHTTPServer((HOST, 0), Resource) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        peer.port = server.server_port
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield peer
        finally:
            peer.over.set()
            server.shutdown()
            serving.join()


class _Resource(BaseHTTPRequestHandler):
    """Takes a mail, and tells what became of it."""

    azure: AzureMail

    def do_POST(self) -> None:
        """Begin to send, or join what was begun under that id."""
        document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.azure.asked.append(dict(self.headers))
        if self.azure.hangs:
            self.azure.over.wait()
            return
        if self.azure.refuse_with:
            to = document["recipients"]["to"][0]["address"]
            self._answer(self.azure.refuse_with, {"error": {"code": "Denied", "message": f"{to} is refused"}})
            return
        operation = self.headers["Operation-Id"]
        self.azure.mails.setdefault(operation, document)
        where = f"https://{HOST}:{self.azure.port}/emails/operations/{operation}?api-version=1"
        self._answer(202, {"id": operation, "status": "Running"}, **{"Operation-Location": where})

    def do_GET(self) -> None:
        """What became of it."""
        self._answer(200, {"id": self.path.split("/")[-1].split("?")[0], "status": self.azure.status})

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, document: dict[str, Any], **headers: str) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
