"""Time passes: leases end and are recovered, old rows are pruned."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from sqlalchemy import update

from tests.worker.queries.machine.cast import TAKERS
from tests.worker.queries.machine.known import LEASE
from tests.worker.queries.machine.model import RETENTION_DAYS
from tests.worker.queries.machine.working import Working, endings
from worker.model import AttemptOutcome, Status
from worker.queries.recovery import recover
from worker.queries.retention import prune
from worker.queries.schema import event_outbox

SPANS = (timedelta(seconds=5), LEASE - timedelta(seconds=1), LEASE, timedelta(minutes=2), timedelta(hours=2))


class Keeping(Working):
    """Rules of the clock and of those who clear up."""

    @rule(span=st.sampled_from(SPANS))
    def wait(self, span: timedelta) -> None:
        """Some leases end, some retries come due, some pauses lapse."""
        self.now += span

    @precondition(lambda self: self.model.in_status(Status.RUNNING))
    @rule(limit=st.sampled_from((1, 100)))
    def recover(self, limit: int) -> None:
        """What silent workers held goes back, or ends."""
        with self.transaction() as (conn, now):
            answer = recover(conn, stale_after_seconds=900, limit=limit, now=now)
            expected = self.model.recover(limit, now)
        assert answer.refused == {}
        found = {Status.QUEUED: answer.requeued, Status.FAILED: answer.failed, Status.CANCELLED: answer.cancelled}
        assert {job_id: status for status, ids in found.items() for job_id in ids} == expected

    @precondition(lambda self: self.model.in_status(Status.RUNNING))
    @rule(outcome=st.none() | endings)
    def fall_silent(self, outcome: AttemptOutcome | None) -> None:
        """All that is held goes back; a worker that knows nothing takes it anew, then speaks of what it had before."""
        before = list(self.claims)
        holder = next((each for each in TAKERS if before and each.name == before[-1].worker), TAKERS[0])
        self.wait(LEASE * 2)
        self.recover(limit=100)
        self.every_row_is_as_it_should_be()
        self.claim(holder, after="", limit=100)
        self.every_row_is_as_it_should_be()
        if outcome:
            self.finish(before, [outcome] * len(before), delay=0)
        else:
            self.progress(before, percent=50)

    @precondition(lambda self: any(each.relayed_at for each in self.model.events.values()))
    @rule(days=st.sampled_from((0, 31, 31, 100)), one_dies=st.booleans())
    def prune(self, days: int, one_dies: bool = False) -> None:
        """A month later, perhaps: old events and what came of them are deleted, nothing else; no dead letter is."""
        if one_dies:
            self.work(AttemptOutcome.DEAD_LETTER)
            self.every_row_is_as_it_should_be()
        self.now += timedelta(days=days)
        with self.transaction() as (conn, now):
            pruned = prune(conn, retention_days=RETENTION_DAYS, now=now)
            assert pruned == {**pruned, **self.model.prune(now)}

    @precondition(lambda self: any(each.relayed_at for each in self.model.events.values()))
    @rule(for_a_month=st.booleans())
    def lose_the_stamps(self, for_a_month: bool) -> None:
        """The outbox comes back from an old copy: what was relayed will be relayed again (A-59, S2-09)."""
        with self.transaction() as (conn, _):
            conn.execute(update(event_outbox).values(relayed_at=None, fanout=None))
        for each in self.model.events.values():
            each.relayed_at = None
        if for_a_month:
            self.prune(31)
