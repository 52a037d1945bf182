"""Claim as many due jobs as can start now, and hand them to the executor."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.database import Connection, Engine, autocommit, break_off
from worker.handlers import Registry
from worker.queries import wakeups
from worker.queries.claims import release
from worker.queries.queues import paused
from worker.queries.ready import SPANS_AT_ONCE, next_due_seconds, promote, take
from worker.queries.workers import Instance
from worker.runtime.executor import Executor
from worker.runtime.held import Held, Run
from worker.runtime.legacy import LegacyJobs
from worker.runtime.quarantine import Quarantine
from worker.runtime.rotation import Rotation
from worker.runtime.sleeper import Sleeper
from worker.settings import WorkerSettings
from worker.tracing import tracing

_LOOK_AROUND_SECONDS = 0.2
"""While there is enough to do, how often the jobs whose time has come are let in."""
_SOONEST_SECONDS = 0.05
"""A due job that somebody holds locked is not asked for more often than that."""


class Dispatcher:
    """One statement per claim; what changes rarely is looked up where a claim left room, or a fifth of a second ago."""

    def __init__(
        self,
        engine: Engine,
        held: Held,
        executor: Executor,
        *,
        sleeper: Sleeper,
        quarantine: Quarantine,
        legacy: LegacyJobs,
        registry: Registry,
        instance: Instance,
        settings: WorkerSettings,
        log: FilteringBoundLogger,
    ) -> None:
        self._engine = engine
        self._alone = autocommit(engine)
        self._held = held
        self._executor = executor
        self._sleeper = sleeper
        self._quarantine = quarantine
        self._legacy = legacy
        # A claim for a type that nobody knows would find nothing, for ever (S1-45)
        registry.job_types.check(frozenset(instance.job_types) - registry.capabilities())
        self._instance = instance
        self._batch_size = settings.batch_size
        self._lease_seconds = settings.lease_seconds
        self._poll_interval_seconds = settings.poll_interval_seconds
        self._log = log
        self._tracing = tracing()
        self._rotation = Rotation(instance.queues)
        self._looked_around_at = 0.0
        self._due_at = 0.0
        self._using: Connection | None = None

    def patience_seconds(self) -> float:
        """How long to wait for a hint at most: until the next look, or until the time of the next job."""
        return max(min(self._due_at - monotonic(), self._poll_interval_seconds), _SOONEST_SECONDS)

    def tick(self) -> bool:
        """Claim what fits; whether to look once more before waiting for a hint, a free slot or the time of a job."""
        self._held.sought = True  # before the slots are counted: of each that comes free after that, it is told
        room = min(self._quarantine.room(self._held.idle()), self._batch_size)
        if room <= 0:
            self._due_at = monotonic() + self._poll_interval_seconds  # whatever is due, a free slot comes first
            return False
        runs = self._claim(room)
        if not runs and self._missed():
            runs = self._claim(room)
        self._begin(runs)
        if len(runs) == room:
            self._look_around_if_due()
            return self._sleeper.look_again(busy=True)
        self._held.sought = False
        if runs and (self._rotation.forget_marks() or self._look_around_if_due()):
            return True
        return self._sleeper.look_again(busy=False)

    def break_off(self) -> None:
        """End a claim that somebody's lock holds up, from another thread: it takes nothing, or it is given back."""
        if conn := self._using:
            break_off(conn)

    def _claim(self, limit: int) -> list[Run]:
        """Over before any handler runs (S1-44): one statement, or one transaction where the queues are many."""
        self._legacy.retag_once()
        legacy = self._legacy.rules()
        wanted = self._rotation.spans(legacy)
        asked_at = monotonic()
        at_once = len(wanted) <= SPANS_AT_ONCE
        with self._breakable(self._alone.connect() if at_once else self._engine.begin()) as conn:
            jobs = take(
                conn,
                instance_id=self._instance.instance_id,
                job_types=self._instance.job_types,
                wanted=wanted,
                limit=limit,
                lease_seconds=self._lease_seconds,
                legacy=legacy,
            )
        self._rotation.took(jobs, all_wanted=len(jobs) == limit)
        self._tracing.claimed(jobs, took_seconds=monotonic() - asked_at)
        return [Run(job, renewed_at=asked_at) for job in jobs]

    @contextmanager
    def _breakable(self, session: AbstractContextManager[Connection]) -> Iterator[Connection]:
        """The session, whose statements can be broken off."""
        with session as conn:
            self._using = conn
            try:
                yield conn
            finally:
                self._using = None

    def _missed(self) -> bool:
        """Whether looking again, from the front of each line, may find something where a claim found nothing."""
        marked = self._rotation.forget_marks()
        return self._look_around() or marked

    def _look_around_if_due(self) -> bool:
        due_at = self._looked_around_at + _LOOK_AROUND_SECONDS
        if monotonic() >= due_at:
            return self._look_around()
        self._due_at = min(self._due_at, due_at)
        return False

    def _look_around(self) -> bool:
        """Let in the jobs whose time has come, and learn what is paused; whether a claim may find more for it."""
        with self._breakable(self._alone.connect()) as conn:
            promoted = promote(conn)
            news = self._rotation.now_paused(paused(conn).keys())
            due_seconds = next_due_seconds(conn)
        if promoted:
            self._rotation.forget_marks()  # what comes back is older than what was taken last
        self._looked_around_at = monotonic()
        self._due_at = self._looked_around_at + (self._poll_interval_seconds if due_seconds is None else due_seconds)
        return news or promoted > 0

    def _begin(self, runs: list[Run]) -> None:
        """Hand them on, or give back at once what came too late or is not to run beside the others."""
        now, kept, later = self._quarantine.part(runs)
        if not self._held.add(now + kept):
            now, kept, later = [], [], runs  # the stop came while the claim was under way
        if now:
            self._executor.submit(*now)
        for run in kept:
            self._quarantine.keep(run)
        if later:
            self._give_back(later)
        if self._log.is_enabled_for(logging.DEBUG):
            for run in now + kept:
                self._log.debug("job.claimed", **run.about())

    def _give_back(self, runs: list[Run]) -> None:
        with self._engine.begin() as conn:
            release(conn, instance_id=self._instance.instance_id, claims=[run.job.claim for run in runs])
            wakeups.wake(conn, channel=wakeups.JOBS)
        for run in runs:
            self._log.info("job.released", **run.about())
