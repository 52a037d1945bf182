"""How many processes a database has room for: a server any number, a file one (S2-75)."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from sqlalchemy import make_url

from worker.database.engines import is_file


class Seat:
    """A process's place at the database, by what it does there; free again at the latest when the process ends."""

    def __init__(self, url: str, role: str = "consumer") -> None:
        file = make_url(url).database if is_file(url) else None
        self._path = Path(f"{Path(file).resolve()}-{role}") if file else None  # by whatever name it is called
        self._held: IO[bytes] | None = None

    def take(self) -> bool:
        """Whether there was room."""
        if self._path is None:
            return True
        held = self._path.open("ab")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held.close()
            return False
        self._held = held
        return True

    def leave(self) -> None:
        """Make room for another."""
        if self._held:
            fcntl.flock(self._held, fcntl.LOCK_UN)  # closing alone would leave it to a child that was forked meanwhile
            self._held.close()
        self._held = None
