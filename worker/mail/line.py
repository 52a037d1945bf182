"""A connection that can be cut by another thread than the one that talks on it."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from types import TracebackType


class Line:
    """Cut at the end of the block, whoever still listens: a read that only drips has no other end."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_cut = False
        self._end: socket.socket | None = None

    def connect(self, host: str, port: int, timeout: float) -> socket.socket:
        """The connection; none is made on a line that was cut meanwhile."""
        connected = socket.create_connection((host, port), timeout)
        with self._lock:
            if self._is_cut:
                connected.close()
                raise ConnectionAbortedError
            self._end = connected.dup()  # of the same connection, even when another layer has taken the first over
        return connected

    def __enter__(self) -> Line:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._lock:
            self._is_cut = True
            if self._end:
                with suppress(OSError):  # the other side was faster
                    self._end.shutdown(socket.SHUT_RDWR)
                self._end.close()
