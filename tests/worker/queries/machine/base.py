"""What the rules stand on: a database, the model beside it, and a clock that they move."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TypeVar
from unittest.mock import patch
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from tests.factories import NOON
from tests.worker.queries.machine.model import Model
from worker.database import Connection, Engine
from worker.model import Job
from worker.queries import outbox
from worker.queries.jobs import NewJob
from worker.queries.schema import (
    event_outbox,
    job_attempts,
    operator_action_jobs,
    operator_actions,
    platform_jobs,
    queue_controls,
    statistics_minutes,
)

Item = TypeVar("Item")
USED = (
    operator_action_jobs,
    operator_actions,
    queue_controls,
    statistics_minutes,
    event_outbox,
    job_attempts,
    platform_jobs,
)


class Claim:
    """A worker's name and what it was given."""

    def __init__(self, worker: str, job: Job) -> None:
        self.worker = worker
        self.job = job

    def __repr__(self) -> str:
        return f"<{self.worker}: {str(self.job.id)[:8]} generation {self.job.generation}>"


class Everything:
    """Leaves no rule out: hypothesis would switch half of them off in each run, and no job came far in its life."""

    def is_enabled(self, _name: str) -> bool:
        """It is."""
        return True


class Base(RuleBasedStateMachine):
    """An empty database and a model that is as empty."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._rules_strategy.enabled_rules_strategy = st.just(Everything())  # type: ignore[arg-type] # it asks no more
        self.engine = engine
        self.model = Model()
        self.now = NOON
        self.is_sound = True
        self.asked: list[NewJob] = []
        self.claims: list[Claim] = []
        """Not answered yet; the lease of some is over, and the jobs of some have another owner since."""
        self.answered: list[Claim] = []
        self._ids = 0
        # ids that are the same in every run of one example, and say nothing about age
        self._patch = patch.object(outbox, "new_id", self.new_id)
        self._patch.start()
        with engine.begin() as conn:
            for table in USED:
                conn.execute(table.delete())

    def teardown(self) -> None:
        """Let others make ids again."""
        self._patch.stop()

    def new_id(self) -> UUID:
        """The next id."""
        self._ids += 1
        return UUID(bytes=hashlib.sha256(str(self._ids).encode()).digest()[:16])

    @contextmanager
    def transaction(self) -> Iterator[tuple[Connection, datetime]]:
        """A transaction of its own, a millisecond after the one before."""
        self.is_sound = False
        self.now += timedelta(milliseconds=1)
        with self.engine.begin() as conn:
            yield conn, self.now


def some(choices: Callable[[Base], Sequence[Item]], *, at_most: int = 4) -> st.SearchStrategy[list[Item]]:
    """One or more of what the machine has."""

    def draw(machine: Base) -> st.SearchStrategy[list[Item]]:
        return st.lists(st.sampled_from(choices(machine)), min_size=1, max_size=at_most, unique_by=id)

    return st.runner().flatmap(draw)
