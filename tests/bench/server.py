"""A durable server of its own for one run of measurements, and what it counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Connection, Engine, make_url, text

from tests.cluster import throwaway
from worker import migrate
from worker.database import autocommit, connect

# fsync and synchronous_commit stay on, as users run it
_SETTINGS = ("max_connections=60", "shared_buffers=512MB", "max_wal_size=8GB", "checkpoint_timeout=30min")
_COUNTING = "shared_preload_libraries=pg_stat_statements"
_FRESH = "TRUNCATE control.platform_jobs, control.job_attempts, control.statistics_minutes, control.sleepers CASCADE"


class Spent(NamedTuple):
    """What the server did since it was asked to count anew."""

    statements: int
    milliseconds: float
    wal_bytes: int


@contextmanager
def measured() -> Iterator[Engine]:
    """A migrated database on a server that counts its statements."""
    with throwaway((*_SETTINGS, _COUNTING)) as url:
        home = connect(url, application_name="bench")
        with autocommit(home).connect() as conn:
            conn.execute(text("CREATE DATABASE watchfloor"))
        home.dispose()
        engine = connect(address(url), application_name="bench", pool_size=20)
        migrate.upgrade(engine)
        with autocommit(engine).connect() as conn:
            conn.execute(text("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"))
        yield engine
        engine.dispose()


def address(server: str | Engine) -> str:
    """Where the measured database is."""
    url = server.url if isinstance(server, Engine) else make_url(server)
    return url.set(database="watchfloor").render_as_string(hide_password=False)


def empty(engine: Engine) -> None:
    """No jobs, no history, and nothing left for vacuum to do."""
    with autocommit(engine).connect() as conn:
        conn.execute(text(_FRESH))
        conn.execute(text("CHECKPOINT"))


def settle(conn: Connection) -> None:
    """Let the planner know what is there, and the checkpoint not fall into the measurement."""
    conn.execute(text("SET statement_timeout = 0"))
    conn.execute(text("VACUUM ANALYZE control.platform_jobs"))
    conn.execute(text("CHECKPOINT"))


def count_anew(conn: Connection) -> None:
    """Forget what was counted."""
    conn.execute(text("SELECT pg_stat_statements_reset()"))


def spent(conn: Connection) -> Spent:
    """What was counted since, but for the measurement's own looks."""
    row = conn.execute(
        text(
            "SELECT coalesce(sum(calls), 0), coalesce(sum(total_exec_time + total_plan_time), 0),"
            " coalesce(sum(wal_bytes), 0) FROM pg_stat_statements WHERE query NOT LIKE '%/* bench */%'"
        )
    ).one()
    return Spent(int(row[0]), float(row[1]), int(row[2]))


def dearest(conn: Connection, most: int = 8) -> list[tuple[str, int, float]]:
    """The statements that took the server's time: their beginning, calls and milliseconds."""
    rows = conn.execute(
        text(
            "SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 70) AS head, calls, total_exec_time AS ms"
            " FROM pg_stat_statements WHERE query NOT LIKE '%/* bench */%' ORDER BY ms DESC LIMIT :most"
        ),
        {"most": most},
    )
    return [(row.head, row.calls, row.ms) for row in rows]
