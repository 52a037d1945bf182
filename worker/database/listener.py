"""Waiting for hints, whichever way the database gives them."""

from __future__ import annotations

from sqlalchemy import make_url

from worker.database.engines import is_file
from worker.database.pooler import DeafListener, is_marked
from worker.database.postgres import PostgresListener
from worker.database.sqlite import SqliteListener


class Listener:
    """One connection of its own for the hints of some channels."""

    def __init__(self, url: str, channels: tuple[str, ...]) -> None:
        self._ear = _ear(url, channels)

    def wait(self, timeout_seconds: float) -> set[str]:
        """The channels heard of within the time; an error of the driver when the database is out of reach."""
        return self._ear.wait(timeout_seconds)

    def interrupt(self) -> None:
        """Break off a wait from another thread."""
        self._ear.interrupt()

    def close(self) -> None:
        """Give the connection back."""
        self._ear.close()


def _ear(url: str, channels: tuple[str, ...]) -> PostgresListener | SqliteListener | DeafListener:
    address = make_url(url)
    if is_file(url):
        return SqliteListener(address, channels)
    return DeafListener() if is_marked(address) else PostgresListener(address, channels)
