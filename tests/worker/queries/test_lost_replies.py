"""The commit was done and its answer lost: a repeat finds its own work instead of doing it twice (A-15)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, Table, func, select, text
from sqlalchemy.exc import OperationalError

from tests.factories import job_types, stored
from tests.soak.wire import Wire
from worker import Enqueuer, Event, NewJob, enqueue, enqueue_many, publish
from worker.database import connect
from worker.model import new_id
from worker.queries.schema import event_outbox, platform_jobs

pytestmark = pytest.mark.postgresql

TYPES = job_types("render_report")
KEYED = NewJob("render_report", {"a": 1}, idempotency_key="k")


@pytest.fixture
def wire(engine: Engine) -> Iterator[Wire]:
    wire = Wire(Path(str(engine.url.query["host"])) / ".s.PGSQL.5432")
    wire.start()
    yield wire
    wire.stop()


@pytest.fixture
def far(engine: Engine, wire: Wire) -> Iterator[Engine]:
    """An engine whose sessions lead over the wire, one of them open."""
    far = connect(
        f"postgresql+psycopg://{engine.url.username}@127.0.0.1:{wire.port}/{engine.url.database}",
        application_name="tests",
    )
    with far.connect() as conn:
        conn.execute(text("SELECT 1"))
    yield far
    far.dispose()


@contextmanager
def lost(wire: Wire, *, commits_only: bool = True) -> Iterator[None]:
    """The next commit is done, and whoever asked for it does not learn so."""
    wire.rob(1, commits_only=commits_only)
    with pytest.raises(OperationalError):
        yield
    assert wire.robbed == 1


def count(conn: Connection, table: Table) -> int:
    return conn.execute(select(func.count()).select_from(table)).scalar_one()


def test_a_15_an_enqueue_repeated_with_its_key_finds_its_own_job(wire: Wire, far: Engine, conn: Connection) -> None:
    with lost(wire), far.begin() as mine:
        first = enqueue(mine, TYPES, KEYED)
    with far.begin() as mine:
        repeated = enqueue(mine, TYPES, KEYED)
    assert (repeated.id, repeated.created, count(conn, platform_jobs)) == (first.id, False, 1)


def test_a_15_many_repeated_with_their_keys_or_ids_find_their_own_jobs(
    wire: Wire, far: Engine, conn: Connection
) -> None:
    news = [NewJob("render_report", {"n": n}, idempotency_key=f"k-{n}") for n in range(3)]
    news += [NewJob("render_report", {"n": n}, id=new_id()) for n in range(3)]
    with lost(wire), far.begin() as mine:
        first = enqueue_many(mine, TYPES, news)
    with far.begin() as mine:
        repeated = enqueue_many(mine, TYPES, news)
    assert [each.id for each in repeated] == [each.id for each in first]
    assert {each.created for each in repeated} == {False}
    assert count(conn, platform_jobs) == 6


def test_a_15_an_event_published_again_is_there_once(wire: Wire, far: Engine, conn: Connection) -> None:
    event = Event("order.created", {"order": 7})
    with lost(wire), far.begin() as mine:
        publish(mine, event)
    with far.begin() as mine:
        assert publish(mine, event) is None
    assert count(conn, event_outbox) == 1


@pytest.mark.parametrize("new", [KEYED, NewJob("render_report", {"a": 1}, id=new_id())], ids=["key", "id"])
def test_a_15_a_group_commit_whose_answer_was_lost_can_be_repeated(
    wire: Wire, far: Engine, conn: Connection, new: NewJob
) -> None:
    enqueuer = Enqueuer(far, TYPES)
    with lost(wire, commits_only=False):
        enqueuer.enqueue(new)
    repeated = enqueuer.enqueue(new)
    assert (repeated.created, stored(conn, repeated.id).payload, count(conn, platform_jobs)) == (False, {"a": 1}, 1)
