"""The admin API: transactions of its own, values refused at the door, answers that encode as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, delete, select
from sqlalchemy.exc import DBAPIError

from tests import factories
from tests.factories import NOON, stored
from tests.worker.queries.pages.rows import attempt, minute
from worker.admin import Admin, plain
from worker.errors import InvalidInput
from worker.model import Status, new_id
from worker.queries.schema import operator_action_jobs, operator_actions, platform_jobs

pytestmark = pytest.mark.parametrize("database", ["postgresql", "sqlite"], indirect=True)

Ask = Callable[[Admin], Any]

REFUSED: dict[str, tuple[str, Ask]] = {
    "no hours": ("hours", lambda admin: admin.get_jobs_summary(hours=0)),
    "more hours than are kept": ("hours", lambda admin: admin.get_jobs_summary(hours=2161)),
    "hours that are no number": ("hours", lambda admin: admin.get_jobs_summary(hours="24")),  # type: ignore[arg-type]
    "too many dead letters": ("dead_letter_limit", lambda admin: admin.get_jobs_summary(dead_letter_limit=501)),
    "a truth for a number": ("attempt_limit", lambda admin: admin.get_job(new_id(), attempt_limit=True)),
    "an id that is none": ("job_id", lambda admin: admin.get_job("job-7")),
    "an id with a NUL": ("job_id", lambda admin: admin.get_job("\0")),
    "no attempts": ("attempt_limit", lambda admin: admin.get_event_jobs("ev-1", attempt_limit=0)),
    "an event id that is too long": ("event_id", lambda admin: admin.get_event_jobs("e" * 37)),
    "no event id": ("event_id", lambda admin: admin.get_event_jobs("")),
    "an endless patience": ("stale_after_seconds", lambda admin: admin.get_workers_summary(float("inf"))),
    "no patience": ("stale_after_seconds", lambda admin: admin.get_workers_summary(0)),
    "a patience that is no number": ("stale_after_seconds", lambda admin: admin.get_workers_summary(float("nan"))),
    "too many workers": ("limit", lambda admin: admin.get_workers_summary(limit=501)),
    "no limit": ("limit", lambda admin: admin.get_worker_attempts("worker-1", limit=0)),
    "a worker's id with a surrogate": ("instance_id", lambda admin: admin.get_worker_attempts("\ud800")),
    "an id to replay that is none": ("job_id", lambda admin: admin.replay_dead_letter_job(7)),  # type: ignore[arg-type]
    "nobody who replays": ("actor", lambda admin: admin.replay_dead_letter_job(new_id(), actor=" ")),
    "a reason that is too long": ("reason", lambda admin: admin.replay_dead_letter_job(new_id(), reason="r" * 501)),
}


@pytest.fixture
def admin(engine: Engine) -> Admin:
    return Admin(engine)


@pytest.mark.parametrize("name", REFUSED)
def test_a_value_that_cannot_be_is_refused_by_its_name(admin: Admin, name: str) -> None:
    field, ask = REFUSED[name]
    with pytest.raises(InvalidInput) as refusal:
        ask(admin)
    assert refusal.value.field == field


def test_nobody_cannot_be_the_actor(engine: Engine) -> None:
    with pytest.raises(InvalidInput, match="actor"):
        Admin(engine, actor="")


@pytest.fixture
def asked(conn: Connection, admin: Admin) -> dict[str, Any]:
    """An answer of each kind, about a queue where something of everything is."""
    event = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    dead = factories.job(conn, status=Status.FAILED, tenant_id=factories.tenant(conn), **event)
    attempt(conn, dead, 5, started_at=NOON)
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING)
    minute(conn, datetime.now(UTC), runs={100: 1})
    return {
        "jobs": admin.get_jobs_summary(),
        "job": admin.get_job(str(dead)),
        "event": admin.get_event_jobs("ev-1"),
        "workers": admin.get_workers_summary(),
        "attempts": admin.get_worker_attempts("worker-1"),
        "replayed": admin.replay_dead_letter_job(dead),
    }


def test_every_answer_encodes_as_json_and_its_times_are_aware(asked: dict[str, Any]) -> None:
    told = json.loads(json.dumps(plain(asked)))
    assert told["replayed"] == {"replayed": True}
    assert told["jobs"]["recent_dead_letters"][0]["finished_at"] == "2026-11-29T12:00:00+00:00"
    assert told["workers"]["workers"][0]["state"] == "silent"
    assert told["attempts"]["attempts"][0]["duration_ms"] == 0
    assert told["event"] == [told["job"]]
    times = list(_times(asked["jobs"])) + list(_times(asked["workers"])) + list(_times(asked["job"]))
    assert len(times) > 8
    assert {each.utcoffset() for each in times} == {timedelta(0)}


def _times(value: Any) -> Iterator[datetime]:
    if isinstance(value, datetime):
        yield value
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _times(getattr(value, name))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _times(each)


def test_what_is_not_there_is_none_or_nothing(admin: Admin) -> None:
    assert admin.get_job(new_id()) is None
    assert admin.get_event_jobs("ev-1") == ()
    assert admin.get_worker_attempts("worker-1").attempts == ()
    assert not admin.replay_dead_letter_job(new_id()).replayed


def test_a_replay_names_who_asked_in_the_trail(conn: Connection, engine: Engine) -> None:
    first, second = (factories.job(conn, status=Status.FAILED) for _ in range(2))
    admin = Admin(engine, actor="nightly script")
    admin.replay_dead_letter_job(first)
    admin.replay_dead_letter_job(second, actor="dana", reason="the relay is back")
    trail = select(operator_actions.c.actor, operator_actions.c.action, operator_actions.c.reason)
    trail = trail.add_columns(operator_action_jobs.c.job_id).join(operator_action_jobs)
    assert [tuple(row) for row in conn.execute(trail.order_by(operator_actions.c.id))] == [
        ("nightly script", "replay", None, first),
        ("dana", "replay", "the relay is back", second),
    ]


def test_a_replay_that_changed_nothing_leaves_no_trace(conn: Connection, admin: Admin) -> None:
    done = factories.job(conn, status=Status.SUCCEEDED)
    before = stored(conn, done)
    assert not admin.replay_dead_letter_job(done).replayed
    assert stored(conn, done) == before
    assert conn.execute(select(operator_actions)).all() == []


def test_an_address_is_as_good_as_an_engine(conn: Connection, url: str) -> None:
    job = factories.job(conn)
    admin = Admin(url)
    found = admin.get_job(job)
    assert found
    assert found.id == job
    admin.close()


def test_closing_leaves_an_engine_that_was_handed_over_alone(engine: Engine, admin: Admin) -> None:
    with engine.connect():
        admin.close()
        assert engine.pool.checkedout() == 1  # type: ignore[attr-defined] # of the pool that is used


def test_what_it_reads_with_cannot_write(admin: Admin) -> None:
    with pytest.raises(DBAPIError), admin._reading.begin() as conn:
        conn.execute(delete(platform_jobs))
