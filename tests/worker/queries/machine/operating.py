"""Operators: they replay, cancel, pause and resume."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.worker.queries.machine.base import Base, some
from tests.worker.queries.machine.cast import DANA, QUEUES
from worker.model import Status
from worker.queries import queues
from worker.queries.cancellations import cancel
from worker.queries.dead_letters import replay

NOBODYS = UUID(int=0)
chosen = some(lambda machine: [*machine.model.jobs, NOBODYS])


class Operating(Base):
    """Rules of those who watch and press."""

    @precondition(lambda self: self.model.in_status(Status.FAILED))
    @rule(job_ids=chosen)
    def replay(self, job_ids: list[UUID]) -> None:
        """Dead letters run again, whatever else was chosen stays."""
        with self.transaction() as (conn, now):
            acted = replay(conn, job_ids=job_ids, actor=DANA, reason="fixed", now=now)
            done = self.model.replay(job_ids, now)
        assert (set(acted.done), set(acted.skipped)) == (done, {*job_ids} - done)

    @rule(job_ids=chosen)
    def cancel(self, job_ids: list[UUID]) -> None:
        """What does not run is cancelled, what runs is asked to stop, once."""
        with self.transaction() as (conn, now):
            answer = cancel(conn, job_ids=job_ids, actor=DANA, reason=None, now=now)
            cancelled, requested = self.model.cancel(job_ids, now)
        assert (set(answer.cancelled), set(answer.requested)) == (cancelled, requested)
        assert set(answer.skipped) == {*job_ids} - cancelled - requested

    @precondition(lambda self: self.model.in_status(Status.RUNNING))
    @rule()
    def stop_all(self) -> None:
        """Whatever runs is asked to stop."""
        self.cancel(self.model.in_status(Status.RUNNING))

    @rule(queue=st.sampled_from(QUEUES), minutes=st.sampled_from((1, 1, 3, None)))
    def pause(self, queue: str, minutes: int | None) -> None:
        """Nobody claims from the queue, for a while or until it is resumed."""
        with self.transaction() as (conn, now):
            until = None if minutes is None else now + timedelta(minutes=minutes)
            paused = queues.pause(conn, queue=queue, actor=DANA, reason="provider down", until=until, now=now)
            assert paused == self.model.pause(queue, until, now)

    @precondition(lambda self: self.model.pauses)
    @rule(queue=st.runner().flatmap(lambda self: st.sampled_from(list(self.model.pauses))))
    def resume(self, queue: str) -> None:
        """Work flows again."""
        with self.transaction() as (conn, now):
            assert queues.resume(conn, queue=queue, actor=DANA, now=now) == self.model.resume(queue)
