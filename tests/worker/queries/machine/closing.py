"""The end of every run: the books add up, and what is left can still be finished."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select

from tests.worker.queries.machine.cast import QUEUES, TAKERS
from tests.worker.queries.machine.keeping import Keeping
from tests.worker.queries.machine.operating import Operating
from tests.worker.queries.machine.producing import Producing
from worker.model import AttemptOutcome, Status
from worker.queries import audit
from worker.queries.schema import RUN_BUCKETS, WAIT_BUCKETS, operator_actions
from worker.queries.schema import statistics_minutes as statistics

_KEY = (statistics.c.minute, statistics.c.handler_key, statistics.c.queue, statistics.c.outcome)
_SUMS = (
    func.sum(statistics.c.jobs),
    func.sum(sum((statistics.c[name] for name in RUN_BUCKETS), start=0)),
    func.sum(sum((statistics.c[name] for name in WAIT_BUCKETS), start=0)),
)
MINUTES = select(*_KEY, *_SUMS).group_by(*_KEY)
LATER = timedelta(hours=3)


class Machine(Producing, Operating, Keeping):
    """The whole queue, from all sides."""

    def teardown(self) -> None:
        """Close the books, unless a step has failed already."""
        try:
            if self.is_sound:
                self.books_add_up()
                self.everything_left_can_be_finished()
        finally:
            super().teardown()

    def books_add_up(self) -> None:
        """Every finished attempt is counted once, in both histograms; every action has its row in an intact chain."""
        with self.engine.begin() as conn:
            minutes = {tuple(row[:4]): set(row[4:]) for row in conn.execute(MINUTES)}
            assert minutes == {key: {count} for key, count in self.model.counted.items()}
            assert conn.execute(select(func.count()).select_from(operator_actions)).scalar_one() == self.model.actions
            assert audit.verify(conn) is None

    def everything_left_can_be_finished(self) -> None:
        """Whatever was done before: an hour later one worker that takes everything leaves nothing queued or running."""
        for queue in QUEUES:
            self.resume(queue)
        self.wait(LATER)
        self.relay()
        self.recover(limit=1000)
        self.every_row_is_as_it_should_be()
        self.claims.clear()
        self.claim(TAKERS[0], after="", limit=1000)
        self.every_row_is_as_it_should_be()
        self.finish(self.claims, [AttemptOutcome.COMPLETED] * len(self.claims), delay=0)
        self.every_row_is_as_it_should_be()
        assert {known.status for known in self.model.jobs.values()}.isdisjoint({Status.QUEUED, Status.RUNNING})
