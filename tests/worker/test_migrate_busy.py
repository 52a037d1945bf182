"""Migrating while the queue works (A-25): short locks, retried; killed anywhere, the next run goes on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Engine, ExceptionContext, event, text

from tests.worker.databases import dump, fresh
from worker import migrate
from worker.database import is_busy

BEFORE = "20261129_c006"
ROWS = text(
    "INSERT INTO control.platform_jobs (id, job_type, status)"
    " SELECT gen_random_uuid(), 'render_report', 'queued' FROM generate_series(1, 2000)"
)
# As a claim does it; the server ends it when it had to wait for more than a second
CLAIM = text(
    "UPDATE control.platform_jobs SET updated_at = now() WHERE id = (SELECT id FROM control.platform_jobs"
    " WHERE status = 'queued' LIMIT 1 FOR UPDATE SKIP LOCKED)"
)


@pytest.fixture
def busy(server: str) -> Iterator[Engine]:
    """An engine on a database before the newest revision, with work in it."""
    with fresh(server, "at_work") as engine:
        migrate.upgrade(engine, BEFORE)
        with engine.begin() as conn:
            conn.execute(ROWS)
        yield engine


def test_a_25_no_claim_waits_for_a_migration_that_waits_for_a_long_read(busy: Engine) -> None:
    gave_way = Event()

    @event.listens_for(busy, "handle_error")
    def notice(context: ExceptionContext) -> None:
        if is_busy(context.original_exception):
            gave_way.set()

    with ThreadPoolExecutor(1) as pool, busy.connect() as reader, busy.connect() as worker:
        reader.execute(text("LOCK TABLE control.platform_jobs IN ACCESS SHARE MODE"))  # as a long read does
        worker.execute(text("SET lock_timeout = '1s'"))
        upgrading = pool.submit(migrate.upgrade, busy)
        while not gave_way.is_set() and not upgrading.done():
            assert worker.execute(CLAIM).rowcount == 1
            worker.commit()
        reader.rollback()
        upgrading.result(timeout=60)
    assert gave_way.is_set()
    with busy.connect() as conn:
        assert migrate.current(conn) == migrate.head()


def test_a_25_a_migration_killed_at_any_statement_is_resumed(busy: Engine, migrated: Engine) -> None:
    killed = next(at - 1 for at in itertools.count(1) if not is_killed(busy, at))
    assert killed > 10
    assert dump(busy) == dump(migrated)


def test_a_25_a_migration_killed_within_what_it_does_at_leisure_is_resumed(busy: Engine, migrated: Engine) -> None:
    begun: set[str] = set()

    @event.listens_for(busy, "before_cursor_execute")
    def kill(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "CREATE INDEX CONCURRENTLY" in statement and statement not in begun:
            begun.add(statement)
            raise Killed

    while goes_away(busy):
        pass
    assert len(begun) > 5
    assert dump(busy) == dump(migrated)


class Killed(Exception):
    """The process went away."""


def is_killed(engine: Engine, statement: int) -> bool:
    """Whether the upgrade got as far as that statement, which it never ran."""
    count = itertools.count(1)

    @event.listens_for(engine, "before_cursor_execute")
    def kill(*_: Any) -> None:
        if next(count) == statement:
            raise Killed

    try:
        return goes_away(engine)
    finally:
        event.remove(engine, "before_cursor_execute", kill)


def goes_away(engine: Engine) -> bool:
    """Whether an upgrade went away before its end."""
    try:
        migrate.upgrade(engine)
    except Killed:
        return True
    return False
