"""Databases of their own, for tests of what builds them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, make_url, text

from worker.database import connect
from worker.postgres_programs import find


@contextmanager
def fresh(server: str, name: str) -> Iterator[Engine]:
    """An engine on a database of that name with nothing in it, which is gone afterwards."""
    maintenance = connect(server, application_name="tests").execution_options(isolation_level="AUTOCOMMIT")
    with maintenance.connect() as conn:
        conn.execute(text(f"CREATE DATABASE {name}"))
    engine = connect(make_url(server).set(database=name).render_as_string(), application_name="tests")
    try:
        yield engine
    finally:
        engine.dispose()
        with maintenance.connect() as conn:
            conn.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        maintenance.dispose()


def dump(engine: Engine, *, rights: bool = True) -> list[str]:
    """What the control schema consists of and, unless told otherwise, whose it is, in the server's words."""
    host = engine.url.query["host"]
    command = [str(find() / "pg_dump"), "-h", str(host), "-U", "postgres", "--schema-only", "--schema=control"]
    command += [] if rights else ["--no-owner", "--no-privileges"]
    exclude = ["--exclude-table=control.alembic_version", str(engine.url.database)]
    text_ = subprocess.run([*command, *exclude], capture_output=True, text=True, check=True).stdout
    return [line for line in text_.splitlines() if not line.startswith(("\\", "--", "ALTER FUNCTION"))]
