"""Quarantine: who may have killed its worker gets its last attempt alone."""

from typing import Any

import pytest
from sqlalchemy import Connection, Engine, update

from tests.factories import stored
from tests.worker.runtime.bench import Bench, captured, claim_of, registry
from worker.model import LEASE_EXPIRED
from worker.queries.schema import platform_jobs
from worker.runtime.held import Held, Run
from worker.runtime.quarantine import Quarantine

LAST: dict[str, Any] = {"attempts": 3, "max_attempts": 3, "recovered": True}


class Ward:
    """A quarantine, what it started, and the claims around it."""

    def __init__(self) -> None:
        log, _ = captured()
        self.started: list[Run] = []
        self.held = Held(8, threads=8)
        self.quarantine = Quarantine(self.held, self.started.append, seconds=10, log=log)

    def claim(self, **fields: Any) -> Run:
        run = claim_of(**fields)
        self.held.add([run])
        return run

    def keep(self) -> Run:
        suspect = self.claim(**LAST)
        self.quarantine.keep(suspect)
        return suspect


@pytest.fixture
def ward() -> Ward:
    return Ward()


@pytest.mark.parametrize(
    "fields",
    [{"attempts": 2, "max_attempts": 3, "recovered": True}, {"attempts": 3, "max_attempts": 3, "recovered": False}],
    ids=["attempts left", "an ordinary failure before"],
)
def test_nobody_else_is_a_suspect(ward: Ward, fields: dict[str, Any]) -> None:
    run = claim_of(**fields)
    assert ward.quarantine.part([run]) == ([run], [], [])
    assert ward.quarantine.room(8) == 8


def test_one_suspect_is_kept_and_the_others_go_back(ward: Ward) -> None:
    good, first, second = claim_of(), claim_of(**LAST), claim_of(**LAST)
    assert ward.quarantine.part([first, good, second]) == ([good], [first], [second])


def test_where_one_was_met_claims_come_one_by_one_until_none_is(ward: Ward) -> None:
    ward.quarantine.part([claim_of(**LAST)])
    assert ward.quarantine.room(8) == 1
    ward.quarantine.part([claim_of()])
    assert ward.quarantine.room(8) == 8


def test_it_starts_when_everything_else_is_over_and_nothing_is_claimed_beside_it(ward: Ward) -> None:
    neighbour, suspect = ward.claim(), ward.keep()
    assert ward.quarantine.room(6) == 0
    assert ward.started == []
    ward.held.end(neighbour)
    assert ward.quarantine.room(7) == 0
    assert ward.started == []  # its outcome is not written yet, and would be lost with the process
    ward.held.forget([neighbour])
    assert ward.quarantine.room(7) == 0
    assert ward.quarantine.room(7) == 0
    assert ward.started == [suspect]


def test_the_next_waits_until_the_outcome_of_the_one_before_is_written(ward: Ward) -> None:
    suspect = ward.keep()
    ward.quarantine.room(7)
    ward.held.end(suspect)
    assert ward.quarantine.room(8) == 0
    ward.held.forget([suspect])
    assert ward.quarantine.room(8) == 8


def test_it_does_not_wait_for_long_neighbours_for_ever(ward: Ward) -> None:
    ward.claim()
    suspect = ward.keep()
    ward.quarantine.room(6)
    ward.quarantine._since -= 10
    assert ward.quarantine.room(6) == 0
    assert ward.started == [suspect]


def test_a_long_suspect_does_not_keep_the_worker_to_itself(ward: Ward) -> None:
    ward.keep()
    assert ward.quarantine.room(7) == 0
    ward.quarantine._since -= 10
    assert ward.quarantine.room(7) == 7


def test_one_that_was_given_back_before_it_began_never_starts(ward: Ward) -> None:
    ward.keep()
    ward.held.take_waiting()
    assert ward.quarantine.room(8) == 8
    assert ward.started == []


def test_a_06_the_dispatcher_runs_the_suspects_one_by_one(engine: Engine, conn: Connection) -> None:
    bench = Bench(engine, registry(work=lambda job: None))
    first, second = (bench.enqueue("work", max_attempts=3) for _ in range(2))
    conn.execute(update(platform_jobs).values(attempts=2, error_type=LEASE_EXPIRED))
    good = bench.enqueue("work")
    bench.dispatcher.tick()
    assert [run.job.id for run in bench.held.all()] == [good, first]
    assert (stored(conn, second).status, stored(conn, second).attempts) == ("queued", 2)
    good_run, suspect = bench.held.all()
    bench.run(good_run)
    bench.dispatcher.tick()
    assert bench.submitted == [suspect]
    bench.run(suspect)
    assert [run.job.id for run in bench.claim()] == [second]
