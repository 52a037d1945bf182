"""Databases that are copies of one that nobody uses: what it took to fill that one is spent once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, make_url, text

from worker.database import connect


def create(server: str, name: str, *, of: str = "template1") -> str:
    """The URL of a new copy of a database that nobody is connected to."""
    maintenance = connect(server, application_name="tests")
    with maintenance.execution_options(isolation_level="AUTOCOMMIT").connect() as conn:
        conn.execute(text(f"CREATE DATABASE {name} TEMPLATE {of}"))
    maintenance.dispose()
    return make_url(server).set(database=name).render_as_string(hide_password=False)


@contextmanager
def entered(url: str) -> Iterator[Engine]:
    """An engine on that database, to which nobody is connected afterwards."""
    engine = connect(url, application_name="tests")
    try:
        yield engine
    finally:
        engine.dispose()
