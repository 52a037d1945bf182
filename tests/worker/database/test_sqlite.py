"""A SQLite file: one writer at a time, readers that cannot write, and listeners that watch it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from tests import files
from tests.factories import NOON, job
from worker import migrate
from worker.database import (
    Listener,
    autocommit,
    connect,
    is_busy,
    is_forbidden,
    is_outage,
    is_retryable,
    read_only,
)
from worker.queries.schema import job_steps, platform_jobs


@pytest.fixture
def engine(file: Path, tmp_path: Path) -> Iterator[Engine]:
    """A fresh file."""
    engine = files.fresh(file, tmp_path / "queue.db")
    yield engine
    engine.dispose()


def write(engine: Engine) -> None:
    with engine.begin() as conn:
        job(conn)


def test_a_writer_is_alone_from_the_start(engine: Engine) -> None:
    with engine.begin() as first:
        first.execute(select(platform_jobs))
        with engine.connect() as second:
            second.connection.cursor().execute("PRAGMA busy_timeout = 0")
            with pytest.raises(OperationalError) as refusal, second.begin():
                pytest.fail("two writers at once")
    assert is_outage(refusal.value)
    assert is_busy(refusal.value)
    assert is_retryable(refusal.value)


def test_a_reader_never_waits_and_cannot_write(engine: Engine) -> None:
    reader = read_only(engine)
    with engine.begin() as writer:
        job(writer)
        with reader.begin() as conn:
            assert conn.execute(select(platform_jobs)).all() == []
    with pytest.raises(DBAPIError) as refusal, reader.begin() as conn:
        job(conn)
    assert is_forbidden(refusal.value)
    write(engine)


def test_single_statements_commit_themselves_and_transactions_still_work_after_them(engine: Engine) -> None:
    for _ in range(2):
        with autocommit(engine).connect() as conn:
            job(conn)
        with engine.connect() as conn:
            job(conn)  # rolled back
    with engine.connect() as conn:
        assert len(conn.execute(select(platform_jobs)).all()) == 2


def test_rows_that_refer_to_nothing_are_refused(engine: Engine) -> None:
    step = {"generation": 1, "ordinal": 1, "step": "a", "started_at": NOON}
    with engine.begin() as conn, pytest.raises(IntegrityError) as refusal:
        conn.execute(job_steps.insert().values(job_id="0198a1de-0000-7000-8000-000000000000", **step))
    assert not is_outage(refusal.value)


def test_a_mistake_of_ours_is_no_outage(engine: Engine) -> None:
    with engine.connect() as conn, pytest.raises(OperationalError) as refusal:
        conn.execute(text("SELECT no_such_column"))
    assert not is_outage(refusal.value)


def test_any_program_may_write_a_job_and_reassign_it(engine: Engine) -> None:
    plain = sqlite3.connect(str(engine.url.database))
    event = "('11111111-1111-7111-8111-111111111111', 'run_subscriber', 'e', 'order.created', 'stock', 'a')"
    columns = "(id, job_type, event_id, event_type, subscriber_id, queue)"
    plain.execute(f"INSERT INTO platform_jobs {columns} VALUES {event}")
    plain.execute(
        "UPDATE processing_jobs SET queue = 'b' WHERE queue = 'a' AND subscriber_id = 'stock' AND status = 'pending'"
    )
    with pytest.raises(sqlite3.IntegrityError, match="status"):
        plain.execute("UPDATE processing_jobs SET status = 'completed'")
    plain.commit()
    plain.close()
    with engine.connect() as conn:
        row = conn.execute(select(platform_jobs)).one()
    assert (row.queue, row.status, row.handler_key) == ("b", "queued", "stock")


def test_a_listener_hears_of_a_change_and_of_nothing_else(engine: Engine) -> None:
    listener = Listener(f"sqlite:///{engine.url.database}", ("one", "two"))
    assert listener.wait(0) == set()
    write(engine)
    assert listener.wait(30) == {"one", "two"}
    assert listener.wait(0) == set()
    with engine.begin():
        pass
    assert listener.wait(0) == set()
    listener.close()


def test_a_wait_is_broken_off_from_another_thread(engine: Engine) -> None:
    listener = Listener(f"sqlite:///{engine.url.database}", ("one",))
    heard: list[set[str]] = []
    waiting = Thread(target=lambda: heard.append(listener.wait(60)))
    waiting.start()
    listener.interrupt()
    waiting.join(30)
    assert heard == [set()]
    listener.close()


def test_a_file_that_is_away_is_an_outage(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path}/away/queue.db", application_name="tests")
    with pytest.raises(OperationalError) as refusal:
        engine.connect()
    assert is_outage(refusal.value)
    listener = Listener(f"sqlite:///{tmp_path}/away/queue.db", ("one",))
    with pytest.raises(sqlite3.OperationalError) as unheard:
        listener.wait(0)
    assert is_outage(unheard.value)


def test_a_new_file_begins_at_the_newest_revision(engine: Engine) -> None:
    migrate.upgrade(engine)
    with engine.connect() as conn:
        assert migrate.current(conn) == migrate.head()
