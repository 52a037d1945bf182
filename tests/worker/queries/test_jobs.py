"""Enqueue: one statement for any number of jobs, and to each caller the truth about his own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, func, select

from tests.factories import NOON, job, job_types, stored, tenant
from worker.errors import InvalidInput, KeyReused
from worker.model import Status, new_id
from worker.payloads import MAX_BYTES
from worker.queries import wakeups
from worker.queries.jobs import NewJob, enqueue, enqueue_many
from worker.queries.schema import platform_jobs

TYPES = job_types("render_report", "other")


def rows(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one()


@pytest.fixture
def sent(engine: Engine) -> list[str]:
    """The statements that the database gets from here on."""
    sent: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
    return sent


def test_one_job_is_one_statement_with_its_hint(conn: Connection, sent: list[str]) -> None:
    assert enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k")).created
    assert len(sent) == 1


def test_many_jobs_are_one_statement_for_each_two_thousand_and_one_hint(conn: Connection, sent: list[str]) -> None:
    made = enqueue_many(conn, TYPES, [NewJob("render_report", {"n": n}) for n in range(4500)])
    assert [statement.split()[0] for statement in sent] == ["INSERT"] * 3 + ["SELECT"]
    assert (rows(conn), {each.created for each in made}) == (4500, {True})


def test_jobs_put_in_together_stand_in_line_in_the_order_given(conn: Connection) -> None:
    made = enqueue_many(conn, TYPES, [NewJob("render_report", {"n": n}) for n in range(4500)])
    line = select(platform_jobs.c.id, platform_jobs.c.payload).order_by(platform_jobs.c.created_at, platform_jobs.c.id)
    found = conn.execute(line).all()
    assert [row.id for row in found] == [each.id for each in made]
    assert [row.payload["n"] for row in found] == list(range(4500))


def test_jobs_of_a_set_may_differ_in_all_they_have(conn: Connection) -> None:
    acme = tenant(conn)
    news = [
        NewJob("render_report", {"a": 1}),
        NewJob("other", {"b": [{}]}, acme, "reports", "k", 7, NOON, 0, "shop", {"x": None}),
        NewJob("render_report", queue="other", delay_seconds=60, id=(given := new_id())),
    ]
    made = enqueue_many(conn, TYPES, news, now=NOON)
    plain, full, last = (stored(conn, each.id) for each in made)
    assert (plain.job_type, plain.payload, plain.queue, plain.tenant_id) == ("render_report", {"a": 1}, "default", None)
    assert (full.job_type, full.payload, full.queue, full.tenant_id) == ("other", {"b": [{}]}, "reports", acme)
    assert (full.idempotency_key, full.max_attempts, full.source, full.metadata) == ("k", 7, "shop", {"x": None})
    assert (last.id, last.queue, last.available_at) == (given, "other", NOON + timedelta(seconds=60))
    assert (plain.scheduled, full.scheduled, last.scheduled) == (False, False, True)


def test_no_jobs_are_no_statement(conn: Connection, sent: list[str]) -> None:
    assert (enqueue_many(conn, TYPES, []), sent) == ([], [])


def test_one_bad_job_among_many_stops_all_of_them(conn: Connection, sent: list[str]) -> None:
    with pytest.raises(InvalidInput, match="max_attempts"):
        enqueue_many(conn, TYPES, [*[NewJob("render_report")] * 1500, NewJob("render_report", max_attempts=0)])
    assert sent == []


def test_a_job_for_later_is_scheduled(conn: Connection) -> None:
    later = enqueue(conn, TYPES, NewJob("render_report", available_at=NOON + timedelta(hours=1)), now=NOON).id
    delayed = enqueue(conn, TYPES, NewJob("render_report", delay_seconds=90.5), now=NOON).id
    assert stored(conn, later).scheduled
    assert stored(conn, delayed).available_at == NOON + timedelta(seconds=90.5)
    assert not stored(conn, enqueue(conn, TYPES, NewJob("render_report"), now=NOON).id).scheduled


@pytest.mark.postgresql
def test_a_19_a_payload_just_under_the_limit_and_a_thousand_jobs_in_one_transaction_get_in(engine: Engine) -> None:
    largest = {"x": "y" * (MAX_BYTES - len('{"x":""}'))}
    with engine.begin() as conn:
        wakeups.sleep(conn, channel=wakeups.JOBS, sleeper="w")
    with engine.begin() as conn:
        made = enqueue(conn, TYPES, NewJob("render_report", largest))
        for number in range(1000):
            enqueue(conn, TYPES, NewJob("render_report", {"n": number}))
    with engine.connect() as conn:
        assert (rows(conn), stored(conn, made.id).payload) == (1001, largest)


def test_a_31_the_same_key_of_another_tenant_is_another_job(conn: Connection) -> None:
    acme, globex = tenant(conn, "acme"), tenant(conn, "globex")
    news = [NewJob("render_report", {"of": str(owner)}, owner, idempotency_key="k") for owner in (acme, globex, None)]
    made = [enqueue(conn, TYPES, new) for new in news]
    assert [each.created for each in made] == [True] * 3
    assert len({each.id for each in made}) == 3


@pytest.mark.parametrize("other", [NewJob("render_report", {"a": 2}), NewJob("other", {"a": 1})])
def test_a_57_the_same_key_with_another_body_or_type_is_refused(conn: Connection, other: NewJob) -> None:
    other.idempotency_key = "k"
    enqueue(conn, TYPES, NewJob("render_report", {"a": 1, "b": 2}, idempotency_key="k"))
    assert not enqueue(conn, TYPES, NewJob("render_report", {"b": 2, "a": 1}, idempotency_key="k")).created
    with pytest.raises(KeyReused):
        enqueue(conn, TYPES, other)
    with pytest.raises(KeyReused):
        enqueue_many(conn, TYPES, [NewJob("render_report"), other])


def test_a_57_the_same_key_twice_in_a_set_is_one_job(conn: Connection) -> None:
    twin = NewJob("render_report", {"a": 1}, idempotency_key="k")
    first, between, second = enqueue_many(conn, TYPES, [twin, NewJob("render_report"), twin])
    assert (first.id, first.created, second.created, between.created) == (second.id, True, False, True)


@pytest.mark.postgresql
def test_a_57_fifty_threads_with_one_new_key_get_one_id(engine: Engine) -> None:
    def press(_: int) -> Any:
        with engine.begin() as conn:
            return enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"))

    with ThreadPoolExecutor(50) as pool:
        made = list(pool.map(press, range(50)))
    with engine.connect() as conn:
        assert (len({each.id for each in made}), sum(each.created for each in made), rows(conn)) == (1, 1, 1)


@pytest.mark.parametrize("status", Status)
def test_a_58_who_brings_a_known_key_learns_so_and_how_its_job_stands(conn: Connection, status: Status) -> None:
    old = job(conn, status=status, idempotency_key="k")
    for answer in (
        enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k")),
        enqueue_many(conn, TYPES, [NewJob("render_report", idempotency_key="k")])[0],
    ):
        assert (answer.id, answer.created, answer.status) == (old, False, status)
    assert rows(conn) == 1


def test_an_id_of_the_callers_own_is_kept_and_known_again(conn: Connection) -> None:
    mine = new_id()
    answers = [enqueue(conn, TYPES, NewJob("render_report", {"a": 1}, id=mine)) for _ in range(2)]
    assert [(each.id, each.created) for each in answers] == [(mine, True), (mine, False)]
    with pytest.raises(KeyReused):
        enqueue(conn, TYPES, NewJob("other", id=mine))


def test_of_two_that_ask_for_one_id_together_the_first_is_told_that_it_made_the_job(conn: Connection) -> None:
    mine = new_id()
    answers = enqueue_many(conn, TYPES, [NewJob("render_report", id=each) for each in (mine, new_id(), mine)])
    assert [each.created for each in answers] == [True, True, False]
    assert answers[0].id == answers[2].id == mine
    assert rows(conn) == 2
