"""The dispatcher: it takes what can start now, in turn, and nothing after the stop."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest
from sqlalchemy import Connection, Engine, event, select, text, update

from tests.factories import attempts, stored
from tests.worker.runtime.bench import Bench, registry, until
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.schema import platform_jobs, sleepers


@pytest.fixture
def bench(engine: Engine) -> Bench:
    return Bench(engine, registry(work=lambda job: None, other=lambda job: None), slots=3, batch_size=20)


def test_it_claims_no_more_than_can_start_now(bench: Bench) -> None:
    for _ in range(5):
        bench.enqueue("work")
    assert len(bench.claim()) == 3
    assert bench.claim() == []


def test_s2_27_a_batch_is_bounded_by_its_setting_too(engine: Engine) -> None:
    bench = Bench(engine, registry(work=lambda job: None), slots=8, batch_size=2)
    for _ in range(5):
        bench.enqueue("work")
    assert len(bench.claim()) == 2


def test_s1_38_the_oldest_goes_first(bench: Bench) -> None:
    ids = [bench.enqueue("work") for _ in range(3)]
    assert [run.job.id for run in bench.claim()] == ids


def test_s2_34_and_35_a_busy_queue_does_not_starve_another(engine: Engine) -> None:
    bench = Bench(engine, registry(work=lambda job: None), slots=1)
    for queue in ("a", "a", "a", "b"):
        bench.enqueue("work", queue=queue)
    order = []
    for _ in range(4):
        (run,) = bench.claim()
        order.append(run.job.queue)
        bench.run(run)
    assert order == ["a", "b", "a", "a"]


def test_s1_57_and_s2_30_only_what_the_worker_is_for_is_taken(engine: Engine) -> None:
    known = registry(work=lambda job: None, other=lambda job: None)
    bench = Bench(engine, known, worker_queues=("a",))
    bench.enqueue("work", queue="b")
    mine = bench.enqueue("work", queue="a")
    assert [run.job.id for run in bench.claim()] == [mine]


def test_a_paused_queue_waits(bench: Bench, conn: Connection) -> None:
    bench.enqueue("work")
    queues.pause(conn, queue="default", actor=Actor("dana"), reason="provider down")
    assert bench.claim() == []
    queues.resume(conn, queue="default", actor=Actor("dana"))
    assert len(bench.claim()) == 1


def test_s1_44_no_transaction_is_open_once_the_claim_is_made(bench: Bench, conn: Connection) -> None:
    bench.enqueue("work")
    bench.claim()
    idle = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = 'watchfloor'"
    assert conn.execute(text(idle)).scalar_one() == 0


def test_the_lease_is_counted_from_before_the_claim(bench: Bench, conn: Connection) -> None:
    job_id = bench.enqueue("work")
    (run,) = bench.claim()
    left: datetime = stored(conn, job_id).lease_expires_at
    assert (left - run.job.locked_at).total_seconds() == bench.settings.lease_seconds
    assert not run.lease_is_over(bench.settings.lease_seconds)


def test_it_asks_for_hints_only_when_there_is_nothing_to_do(bench: Bench, conn: Connection) -> None:
    for _ in range(4):
        bench.enqueue("work")
    assert bench.dispatcher.tick()
    assert conn.execute(select(sleepers)).all() == []
    bench.run(*bench.held.all())
    assert bench.dispatcher.tick(), "it found less than it wanted, so it looks from the front of the line"
    assert bench.dispatcher.tick(), "after asking for hints it looks once more"
    assert [row.sleeper for row in conn.execute(select(sleepers))] == [bench.me]
    assert not bench.dispatcher.tick()


def test_it_takes_nothing_while_draining(bench: Bench) -> None:
    bench.enqueue("work")
    bench.held.close()
    assert bench.claim() == []


def test_a_08_what_was_claimed_as_the_stop_came_goes_back_unspent(
    bench: Bench, engine: Engine, conn: Connection
) -> None:
    job_id = bench.enqueue("work")
    with engine.begin() as lock:
        lock.execute(text("LOCK TABLE control.platform_jobs IN ACCESS EXCLUSIVE MODE"))
        claim = threading.Thread(target=bench.dispatcher.tick)
        claim.start()
        until(lambda: conn.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one())
        bench.held.close()
    claim.join(30)
    row, (attempt,) = stored(conn, job_id), attempts(conn, job_id)
    assert (row.status, row.attempts, row.locked_by) == ("queued", 0, None)
    assert attempt.outcome == "released"
    assert bench.held.all() == []
    assert len(bench.said("job.released")) == 1


def test_s2_30_of_very_many_queues_each_has_its_jobs_taken_in_one_turn(engine: Engine) -> None:
    names = tuple(f"q{number:02}" for number in range(40))
    bench = Bench(engine, registry(work=lambda job: None), slots=8, worker_queues=names)
    for name in ("q39", "q00", "q20"):
        bench.enqueue("work", queue=name)
    assert [run.job.queue for run in bench.claim()] == ["q00", "q20", "q39"]


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """The statements sent meanwhile."""
    sent: list[str] = []

    def note(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def test_while_there_is_enough_to_do_a_claim_is_one_statement(bench: Bench) -> None:
    for _ in range(7):
        bench.enqueue("work")
    bench.run(*bench.claim())
    with counted(bench.engine) as sent:
        assert bench.dispatcher.tick()
    assert [statement.split()[0] for statement in sent] == ["UPDATE"]


def test_a_lone_job_on_an_idle_queue_costs_one_statement_to_claim(bench: Bench) -> None:
    while bench.dispatcher.tick():
        pass
    bench.enqueue("work")
    with counted(bench.engine) as sent:
        assert not bench.dispatcher.tick()
        assert [statement.split()[0] for statement in sent] == ["UPDATE"]
    assert len(bench.held.all()) == 1


def test_without_a_free_slot_nothing_is_sent_and_nobody_is_impatient(bench: Bench) -> None:
    for _ in range(4):
        bench.enqueue("work")
    bench.claim()
    with counted(bench.engine) as sent:
        assert not bench.dispatcher.tick()
    assert sent == []
    assert bench.dispatcher.patience_seconds() > bench.settings.poll_interval_seconds - 1


def test_it_waits_no_longer_than_until_the_time_of_the_next_job(bench: Bench) -> None:
    while bench.dispatcher.tick():
        pass
    assert bench.dispatcher.patience_seconds() > bench.settings.poll_interval_seconds - 1
    bench.enqueue("work", delay_seconds=2)
    assert not bench.dispatcher.tick()
    assert 1 < bench.dispatcher.patience_seconds() <= 2


@pytest.mark.postgresql
def test_a_due_job_that_somebody_holds_locked_is_asked_for_now_and_then(bench: Bench, conn: Connection) -> None:
    while bench.dispatcher.tick():
        pass
    job_id = bench.enqueue("work", delay_seconds=60)
    conn.execute(update(platform_jobs).values(available_at=platform_jobs.c.created_at))
    with bench.engine.begin() as lock:
        lock.execute(select(platform_jobs.c.id).with_for_update())
        assert not bench.dispatcher.tick()
        assert 0.02 < bench.dispatcher.patience_seconds() < 1
    assert [run.job.id for run in bench.claim()] == [job_id]
