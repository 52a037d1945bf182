"""A transaction pooler: whoever begins a transaction is lent the session that has rested the longest (A-20)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Queue
from threading import Thread
from typing import Literal, NamedTuple

from sqlalchemy import URL, make_url

Settings = Literal["refused", "dropped"]
"""What becomes of those that a client asks for: PgBouncer refuses them, or is told to ignore them."""

_SSL_REQUEST, _GSS_REQUEST = 80877103, 80877104
_VERSION_3 = struct.pack("!i", 196608)


class Message(NamedTuple):
    """One message of PostgreSQL's protocol."""

    kind: bytes
    body: bytes

    def sent(self) -> bytes:
        """As it goes over the wire."""
        return self.kind + struct.pack("!i", len(self.body) + 4) + self.body


class Line:
    """A connection that is read message by message."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._stream = end.makefile("rb")

    def send(self, data: bytes) -> None:
        """Send it all."""
        self._end.sendall(data)

    def message(self) -> Message:
        """The next one; EOFError when there will be none, whether or not that was said."""
        found = Message(self._exactly(1), self.packet())
        if found.kind == b"X":
            raise EOFError
        return found

    def packet(self) -> bytes:
        """What the next length counts."""
        (length,) = struct.unpack("!i", self._exactly(4))
        return self._exactly(length - 4)

    def hang_up(self) -> None:
        """Let whoever reads it find its end."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give it back, once nobody reads it."""
        self.hang_up()
        self._stream.close()
        self._end.close()

    def _exactly(self, count: int) -> bytes:
        data = self._stream.read(count)
        if len(data) < count:
            raise EOFError
        return data


class Pooler:
    """In front of one database of a server that trusts its socket; `url` is where clients find it."""

    def __init__(self, server: str, *, sessions: int, settings: Settings) -> None:
        self._server = make_url(server)
        self._settings = settings
        self._door = socket.create_server(("127.0.0.1", 0))
        self._rested: Queue[Line] = Queue()
        self._lines: list[Line] = []
        self._threads: list[Thread] = []
        self._greeting = b""
        for _ in range(sessions):
            self._rested.put(self._open())

    @property
    def url(self) -> str:
        """The address for clients."""
        host, port = self._door.getsockname()
        return self._of(host, port).render_as_string(hide_password=False)

    def serve(self) -> None:
        """Let clients in until the door is closed."""
        while True:
            try:
                end, _ = self._door.accept()
            except OSError:
                return
            client = Line(end)
            self._lines.append(client)
            self._threads.append(Thread(target=self._attend, args=(client,), daemon=True))
            self._threads[-1].start()

    def close(self) -> None:
        """End every connection."""
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for line in self._lines:
            line.hang_up()
        for thread in self._threads:
            thread.join(10)
        for line in self._lines:
            line.close()

    def _of(self, host: str, port: int) -> URL:
        return self._server.set(host=host, port=port, query={})

    def _open(self) -> Line:
        """A session of the server; what it says of itself is what clients are told."""
        end = socket.socket(socket.AF_UNIX)
        end.connect(f"{self._server.query['host']}/.s.PGSQL.{self._server.port or 5432}")
        line = Line(end)
        words = (b"user", str(self._server.username).encode(), b"database", str(self._server.database).encode(), b"")
        body = _VERSION_3 + b"\0".join(words) + b"\0"
        line.send(struct.pack("!i", len(body) + 4) + body)
        self._greeting = b"".join(each.sent() for each in answer(line))
        self._lines.append(line)
        return line

    def _attend(self, client: Line) -> None:
        with suppress(EOFError, OSError):
            if self._admit(client):
                while True:
                    self._transaction(client)

    def _admit(self, client: Line) -> bool:
        wanted = client.packet()
        while struct.unpack_from("!i", wanted)[0] in (_SSL_REQUEST, _GSS_REQUEST):
            client.send(b"N")
            wanted = client.packet()
        if b"\0options\0" in wanted and self._settings == "refused":
            text = b"SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0"
            client.send(Message(b"E", text).sent())
            client.hang_up()
            return False
        client.send(self._greeting)
        return True

    def _transaction(self, client: Line) -> None:
        """Until the server is idle again; the session of a client who leaves before is not lent to another."""
        asked = client.message()
        server = self._rested.get(timeout=30)
        while True:
            server.send(asked.sent())
            if asked.kind in b"QS":  # a query, or the end of a series of the extended protocol
                *_, ready = told = answer(server)
                client.send(b"".join(each.sent() for each in told))
                if ready.body == b"I":
                    break
            asked = client.message()
        self._rested.put(server)


def answer(server: Line) -> list[Message]:
    """What the server says until it is ready again."""
    told = [server.message()]
    while told[-1].kind != b"Z":
        told.append(server.message())
    return told


@contextmanager
def pooling(server: str, *, sessions: int = 3, settings: Settings = "refused") -> Iterator[Pooler]:
    """A pooler in front of that database, with so many sessions to lend."""
    pooler = Pooler(server, sessions=sessions, settings=settings)
    Thread(target=pooler.serve, name="pooler", daemon=True).start()
    try:
        yield pooler
    finally:
        pooler.close()
