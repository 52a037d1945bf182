"""Workers: they claim, renew, report and give back, in time or late."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.worker.queries.machine.base import Claim, some
from tests.worker.queries.machine.cast import LEGACY, QUEUES, TAKERS, Taker
from tests.worker.queries.machine.known import LEASE
from tests.worker.queries.machine.promises import Promises
from worker.failures import describe
from worker.model import LEASE_EXPIRED, AttemptOutcome, Job
from worker.queries.claims import claim, release, renew
from worker.queries.outcomes import finish
from worker.queries.queues import paused
from worker.queries.ready import promote, take
from worker.queries.results import Result
from worker.queries.spans import Legacy, Mark, spans
from worker.queries.steps import progress

FAILURE = describe(ValueError("no such template"), handler_key="render")
endings = st.sampled_from(
    (
        AttemptOutcome.COMPLETED,
        AttemptOutcome.FAILED,
        AttemptOutcome.FAILED,
        AttemptOutcome.ABANDONED,
        AttemptOutcome.DEAD_LETTER,
        AttemptOutcome.CANCELLED,
    )
)
unanswered = some(lambda machine: machine.claims)
takers = st.sampled_from((TAKERS[0], *TAKERS))
cursors = st.sampled_from(("", *QUEUES))
delays = st.sampled_from((0, 4, 45))


def result_of(job: Job, outcome: AttemptOutcome, delay: int) -> Result:
    """What a worker reports: it tries again what failed and has attempts left."""
    if outcome in (AttemptOutcome.COMPLETED, AttemptOutcome.CANCELLED):
        return Result(job, outcome, run_ms=5)
    if outcome == AttemptOutcome.DEAD_LETTER or job.attempts >= job.max_attempts:
        return Result(job, AttemptOutcome.DEAD_LETTER, run_ms=5, failure=FAILURE)
    return Result(job, outcome, run_ms=5, retry_delay_seconds=delay, failure=FAILURE)


class Working(Promises):
    """Rules of those who do the work."""

    @rule(taker=takers, after=cursors, limit=st.integers(1, 4), legacy=st.sampled_from(LEGACY))
    def claim(self, taker: Taker, after: str, limit: int, legacy: Legacy = LEGACY[0]) -> None:
        """Exactly what is due, in exactly this order."""
        with self.transaction() as (conn, now):
            wanted: dict[str, Any] = {
                "job_types": taker.job_types,
                "queues": taker.queues,
                "after": after,
                "legacy": legacy,
            }
            taken = claim(conn, limit=limit, **by(taker, now), **wanted)
            assert [each.id for each in taken] == self.model.claim(taker, after, limit, now, legacy)
        self._took(taker, taken)

    @precondition(lambda self: self.model.jobs)
    @rule(taker=takers, after=cursors, where=some(lambda machine: list(machine.model.jobs), at_most=1))
    def claim_from_a_mark(self, taker: Taker, after: str, where: list[UUID]) -> None:
        """As a busy dispatcher does: one line is looked at from where the last claim ended."""
        begins = self.model.jobs[where[0]]
        with self.transaction() as (conn, now):
            promote(conn, now=now)
            marks = {begins.queue: Mark(*begins.place)}
            wanted = spans(taker.queues, after, paused=paused(conn, now=now).keys(), marks=marks)
            taken = take(conn, limit=2, job_types=taker.job_types, wanted=wanted, **by(taker, now))
            assert [each.id for each in taken] == self.model.claim(taker, after, 2, now, begins=begins)
        self._took(taker, taken)

    @rule(outcome=endings)
    def work(self, outcome: AttemptOutcome) -> None:
        """Take one job, whatever it is, and report at once."""
        before = len(self.claims)
        self.claim(TAKERS[0], after="", limit=1)
        self.every_row_is_as_it_should_be()
        self.finish(self.claims[before:], [outcome], delay=0)

    @precondition(lambda self: self.claims)
    @rule(taker=takers, outcome=endings)
    def finish_all(self, taker: Taker, outcome: AttemptOutcome) -> None:
        """A worker reports whatever it was ever given, the lost with the held."""
        claimed = [each for each in self.claims if each.worker == taker.name]
        self.finish(claimed, [outcome] * len(claimed), delay=4)

    @precondition(lambda self: self.claims)
    @rule(claimed=unanswered, outcomes=st.lists(endings, min_size=4, max_size=4), delay=delays)
    def finish(self, claimed: list[Claim], outcomes: list[AttemptOutcome], delay: int) -> None:
        """Report what was claimed, whether or not it still counts."""
        for name in dict.fromkeys(each.worker for each in claimed):
            pairs = zip(claimed, outcomes, strict=False)
            self._report(name, [result_of(each.job, end, delay) for each, end in pairs if each.worker == name])
        self._answer(claimed)

    @precondition(lambda self: self.answered)
    @rule(claimed=some(lambda machine: machine.answered, at_most=1), outcome=endings)
    def report_again(self, claimed: list[Claim], outcome: AttemptOutcome) -> None:
        """The answer to the first report was lost on its way (A-15)."""
        for each in claimed:
            self._report(each.worker, [result_of(each.job, outcome, 0)])

    @precondition(lambda self: self.claims)
    @rule(claimed=unanswered)
    def release(self, claimed: list[Claim]) -> None:
        """Give back what never started."""
        for name, claims in by_worker(claimed).items():
            with self.transaction() as (conn, now):
                expected = self.model.release(name, claims, now)
                assert release(conn, instance_id=name, claims=claims, now=now) == expected
        self._answer(claimed)

    @precondition(lambda self: self.claims)
    @rule(claimed=unanswered)
    def renew(self, claimed: list[Claim]) -> None:
        """Keep what is held, learn what is lost and what is to stop."""
        for name, claims in by_worker(claimed).items():
            with self.transaction() as (conn, now):
                expected = self.model.renew(name, claims, now)
                lease = LEASE.total_seconds()
                assert renew(conn, instance_id=name, claims=claims, lease_seconds=lease, now=now) == expected

    @precondition(lambda self: self.claims)
    @rule(claimed=unanswered, percent=st.integers(0, 100))
    def progress(self, claimed: list[Claim], percent: int) -> None:
        """Only the claim that counts says how far the job is (A-10)."""
        for each in claimed:
            known = self.model.held(each.worker, each.job.claim)
            with self.transaction() as (conn, now):
                written = progress(conn, claimed=each.job, instance_id=each.worker, percent=percent, now=now)
            assert written == (known is not None)
            if known:
                known.progress = percent

    def _report(self, name: str, results: list[Result]) -> None:
        with self.transaction() as (conn, now):
            expected = self.model.finish(name, results, now)
            assert finish(conn, instance_id=name, results=results, now=now) == expected

    def _answer(self, claimed: list[Claim]) -> None:
        self.claims = [each for each in self.claims if each not in claimed]
        self.answered += claimed

    def _took(self, taker: Taker, taken: list[Job]) -> None:
        for each in taken:
            self._is_as_known(each)
            self.claims.append(Claim(taker.name, each))

    def _is_as_known(self, job: Job) -> None:
        known = self.model.jobs[job.id]
        budget = (known.attempts, known.max_attempts, known.generation)
        assert (job.attempts, job.max_attempts, job.generation) == budget
        assert (job.locked_at, job.available_at) == (known.locked_at, known.available_at)
        assert (job.handler_key, job.queue, job.tenant_id) == (known.handler_key, known.queue, known.tenant_id)
        assert job.recovered == (known.error_type == LEASE_EXPIRED)


def by(taker: Taker, now: datetime) -> dict[str, Any]:
    """Who claims, for how long, and when."""
    return {"instance_id": taker.name, "lease_seconds": LEASE.total_seconds(), "now": now}


def by_worker(claimed: list[Claim]) -> dict[str, list[tuple[UUID, int]]]:
    """The claims of each worker."""
    names = dict.fromkeys(each.worker for each in claimed)
    return {name: [each.job.claim for each in claimed if each.worker == name] for name in names}
