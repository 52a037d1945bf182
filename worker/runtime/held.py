"""The claims that this process holds: which wait, which run, which are over but not written yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Condition, Lock
from time import monotonic
from typing import Any

from worker.model import Job
from worker.signals import Signal

_NO_TRACE: Mapping[str, str] = {}


class Run:
    """One claim: its job, what its handler is told, and the readings of the monotonic clock that bound it."""

    __slots__ = ("ended", "job", "lost", "overran", "renewed_at", "signal", "started_at", "task", "trace")

    def __init__(self, job: Job, *, renewed_at: float) -> None:
        self.job = job
        self.signal = Signal()
        self.renewed_at = renewed_at
        self.started_at: float | None = None
        self.ended = False
        self.lost = False
        self.overran = False
        self.trace: Mapping[str, str] = _NO_TRACE
        """The ids of the span it runs in, where it runs in one."""
        self.task: object = None
        """What runs it, kept from being collected, where that is a task."""

    def lease_is_over(self, lease_seconds: float) -> bool:
        """Whether another worker may hold the job by now."""
        return monotonic() - self.renewed_at >= lease_seconds

    def about(self) -> dict[str, Any]:
        """What a log line says of it; never the payload."""
        job = self.job
        known = {"job_id": str(job.id), "handler": job.handler_key, "queue": job.queue, "attempt": job.attempts}
        return {**known, **self.trace}


class Held:
    """All claims of one worker. A claim has one owner at a time: the queue for a thread, the thread, the completer."""

    def __init__(self, slots: int, *, threads: int) -> None:
        self._slots = slots
        self._threads = threads
        self._runs: dict[Run, None] = {}  # a set that keeps its order
        self._active = 0
        self._stuck = 0
        self._recovered = 0
        self._closed = False
        self._hurried = False
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self.sought = True
        """Whether there may be work for a slot that comes free: the last claim found as much as it had room for."""

    def idle(self) -> int:
        """How many more claims there is room for: none when every thread is stuck, fewer while results pile up."""
        if self._closed or self._stuck >= self._threads:
            return 0
        return min(self._slots - self._active, 2 * self._slots - len(self._runs))

    def holds(self, run: Run) -> bool:
        """Whether it waits, runs, or is over but not written yet."""
        return run in self._runs

    def holds_only(self, run: Run) -> bool:
        """Whether every other claim is written, so that nothing is lost if this one takes the process with it."""
        return len(self._runs) == 1 and self.holds(run)

    def holds_recovered(self) -> bool:
        """Whether any of them was recovered from a worker that fell silent."""
        return self._recovered > 0

    def add(self, runs: Iterable[Run]) -> bool:
        """Hold them; False, and nothing held, once no more are wanted (A-08)."""
        with self._lock:
            if self._closed:
                return False
            new = dict.fromkeys(runs)
            self._runs |= new
            self._active += len(new)
            self._recovered += sum(run.job.recovered for run in new)
            return True

    def begin(self, run: Run) -> bool:
        """Take it to run; False when it was given back meanwhile."""
        with self._lock:
            if run.ended:
                return False
            run.started_at = monotonic()
            return True

    def end(self, run: Run) -> bool:
        """Take it to write its outcome, its slot being free again; False when somebody else has done so."""
        with self._lock:
            if run.ended:
                return False
            self._end(run)
            return True

    def overrun(self, run: Run) -> None:
        """It runs past its limit: its thread may never come back, and the lease is not kept any more."""
        with self._lock:
            if not run.ended:
                run.overran = run.signal.lease_lost = True
                self._stuck += 1

    def take_waiting(self) -> list[Run]:
        """Take all that never started."""
        return self._take(lambda run: run.started_at is None)

    def take_running(self) -> list[Run]:
        """Take all that are running; what their handlers come to is not asked for any more."""
        return self._take(lambda run: run.started_at is not None)

    def forget(self, runs: Iterable[Run]) -> None:
        """They are written, or lost."""
        with self._lock:
            for run in runs:
                if run in self._runs:
                    del self._runs[run]
                    self._recovered -= run.job.recovered
            self._changed.notify_all()

    def all(self) -> list[Run]:
        """Every claim held now."""
        with self._lock:
            return list(self._runs)

    def close(self) -> None:
        """Take no more claims."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def hurry(self) -> None:
        """Wait no longer for what runs."""
        with self._changed:
            self._hurried = True
            self._changed.notify_all()

    @property
    def hurried(self) -> bool:
        """Whether nobody waits for what runs any more."""
        return self._hurried

    def wait_until_empty(self, timeout_seconds: float) -> bool:
        """Whether the last claim was written within the time, and before anybody hurried."""
        with self._changed:
            self._changed.wait_for(lambda: self._hurried or not self._runs, max(timeout_seconds, 0))
            return not self._runs

    def wait_until_written(self, timeout_seconds: float) -> bool:
        """Whether the last claim was written within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._runs, max(timeout_seconds, 0))

    @property
    def drained(self) -> bool:
        """Whether there is nothing left and nothing more to come."""
        return self._closed and not self._runs

    def _take(self, wanted: Callable[[Run], bool]) -> list[Run]:
        with self._lock:
            taken = [run for run in self._runs if not run.ended and wanted(run)]
            for run in taken:
                self._end(run)
            return taken

    def _end(self, run: Run) -> None:
        run.ended = True
        self._active -= 1
        self._stuck -= run.overran
