"""One worker: everything that a process needs to take jobs, run them and give an account of them."""

from __future__ import annotations

from threading import Event
from time import monotonic

import structlog

from worker.database import Seat, connect, retire
from worker.errors import TopologyRefused
from worker.failures import describe
from worker.handlers import Registry
from worker.queries import releases, wakeups, workers
from worker.queries.subscriptions import SAID_AGAIN_SECONDS
from worker.runtime.completer import Completer
from worker.runtime.dispatcher import Dispatcher
from worker.runtime.executor import Executor
from worker.runtime.fence import Fence
from worker.runtime.heartbeat import Heartbeat
from worker.runtime.held import Held
from worker.runtime.judge import Judge
from worker.runtime.legacy import LegacyJobs
from worker.runtime.loop import Loop, stop_all
from worker.runtime.notifier import Notifier
from worker.runtime.quarantine import Quarantine
from worker.runtime.readiness import Readiness
from worker.runtime.reaper import Reaper
from worker.runtime.roll_call import RollCall
from worker.runtime.sleeper import Sleeper
from worker.runtime.stamped import Stamped
from worker.runtime.startup import new_instance, validate
from worker.settings import WorkerSettings

_SHARE_FOR_HANDLERS = 0.9
"""Of the grace time; the rest is for writing down what they came to."""

_WRITTEN_WITHIN_SECONDS = 2
"""What was interrupted, however short the grace time."""
_UNHINDERED_ENDS_WITHIN_SECONDS = 1
_LOOK_EVERY_SECONDS = 0.1


class Worker:
    """One start of a worker; its engine is its own, so that no handler can take the heartbeat's connection.

    `slots` is how many claims it holds at once: as many as there are threads, unless a batch may wait (local mode).
    """

    def __init__(
        self,
        settings: WorkerSettings,
        registry: Registry,
        *,
        url: str,
        readiness: Readiness | None = None,
        slots: int | None = None,
    ) -> None:
        self.instance = new_instance(settings, validate(settings, registry, readiness))
        self._settings = settings
        self._registry = registry
        self._log = structlog.get_logger().bind(worker=self.instance.instance_id)
        name = f"watchfloor {self.instance.component}"[:60]
        self._engine = connect(url, application_name=name, pool_size=6, planned_once=True)
        self._seat = Seat(url)
        self._stopping = False
        self._work, self._endings = Event(), Event()
        self._held = Held(slots or settings.worker_concurrency, threads=settings.worker_concurrency)
        self._judge = Judge(registry, settings)
        self._completer = self._new_completer()
        self._executor = Executor(
            registry, self._held, self._judge, self._completer, threads=settings.worker_concurrency
        )  # fmt: skip
        self._sleeper = Sleeper(self._engine, channel=wakeups.JOBS, name=self.instance.instance_id)
        self._reaper = Reaper(self._engine, settings.job_stale_after_seconds, self._log)
        self._roll_call = RollCall(self._engine, registry.subscribers, self._log)
        self._heartbeat = self._new_heartbeat()
        self._notifier = Notifier(url, {wakeups.JOBS: self._work}, log=self._log)
        self._dispatcher = self._new_dispatcher()
        self._loops = self._new_loops()

    def start(self) -> None:
        """Recover what is stale, say that this worker lives, then begin; nothing is taken before (S1-95, S1-110)."""
        if not self._seat.take():
            retire(self._engine)
            raise TopologyRefused("DATABASE_URL: another worker runs on this SQLite database, which serves one process")
        try:
            self._reaper.tick()
            self._tell_release()
            self._heartbeat.tick()
        except Exception:
            retire(self._engine)
            self._seat.leave()
            raise
        self._executor.start()
        self._notifier.start()
        for loop in self._loops:
            loop.start()
        self._log.info(
            "worker.started",
            component=self.instance.component,
            job_types=self.instance.job_types,
            queues=self.instance.queues,
            concurrency=self.instance.concurrency,
        )

    @property
    def drained(self) -> bool:
        """Whether it was asked to drain and holds nothing any more."""
        return self._held.drained

    def stop(self, grace_seconds: float | None = None) -> None:
        """Take nothing more, wait for the handlers, write everything down; after this no row is held (S1-117, A-07).

        What never started goes back unspent at once. What runs beyond the grace time goes back with its attempt spent,
        and its handler is told that the lease is lost. A second call does nothing.
        """
        if self._stopping:
            return
        self._stopping = True
        grace = self._settings.shutdown_grace_seconds if grace_seconds is None else grace_seconds
        deadline = monotonic() + grace
        self._log.info("worker.stopping", grace_seconds=grace)
        self._held.close()
        self._completer.release(self._held.take_waiting())
        if not self._held.wait_until_empty(grace * _SHARE_FOR_HANDLERS):
            self._interrupt()
            deadline = max(deadline, monotonic() + _WRITTEN_WITHIN_SECONDS)
            self._held.wait_until_written(deadline - monotonic())
        self._end(deadline)

    def hurry(self) -> None:
        """Let a stop that is under way wait no longer for what runs; it still gives back whatever is held (A-08)."""
        self._held.hurry()

    def _tell_release(self) -> None:
        """Before the first beat, for a release that runs already does not begin."""
        about = self.instance
        if about.version:
            with self._engine.begin() as conn:
                releases.began(conn, name=about.version, component=about.component)

    def _interrupt(self) -> None:
        for run in self._held.take_running():
            run.signal.lease_lost = True
            self._log.warning("job.interrupted", **run.about())
            self._completer.finish(run, self._judge.interrupted(run))

    def _end(self, deadline: float) -> None:
        ended = stop_all(self._loops, _UNHINDERED_ENDS_WITHIN_SECONDS)
        if not ended:
            self._dispatcher.break_off()  # what it got all the same, it gives back
        while not ended and monotonic() < deadline:
            ended = stop_all(self._loops, _LOOK_EVERY_SECONDS)
            deadline = min(deadline, monotonic() + 1) if self._held.hurried else deadline
        self._notifier.stop()
        self._executor.stop()
        try:
            self._sleeper.awake()
            with self._engine.begin() as conn:
                workers.stopped(conn, instance_id=self.instance.instance_id)
        except Exception as error:  # noqa: BLE001 - telemetry; leases and the reaper do without it
            self._log.warning("worker.not_signed_off", error=describe(error, handler_key="worker").summary)
        retire(self._engine)
        self._seat.leave()
        self._log.info("worker.stopped")

    def _new_completer(self) -> Completer:
        return Completer(
            self._engine,
            self._held,
            instance_id=self.instance.instance_id,
            lease_seconds=self._settings.lease_seconds,
            bell=self._endings,
            freed=self._work,
            log=self._log,
        )

    def _new_heartbeat(self) -> Heartbeat:
        lease_seconds = self._settings.lease_seconds
        return Heartbeat(
            self._engine, self._held, instance=self.instance, lease_seconds=lease_seconds, log=self._log
        )  # fmt: skip

    def _new_dispatcher(self) -> Dispatcher:
        return Dispatcher(
            self._engine,
            self._held,
            self._executor,
            sleeper=self._sleeper,
            quarantine=self._new_quarantine(),
            legacy=LegacyJobs(self._engine, self._registry.subscribers, self.instance.queues, self._log),
            registry=self._registry,
            instance=self.instance,
            settings=self._settings,
            log=self._log,
        )

    def _new_quarantine(self) -> Quarantine:
        seconds = self._settings.heartbeat_interval_seconds
        return Quarantine(self._held, self._executor.submit, seconds=seconds, log=self._log)

    def _new_loops(self) -> tuple[Loop, ...]:
        """The dispatcher first, for it is stopped first; what keeps and writes claims goes on the longest."""
        settings, log = self._settings, self._log
        beat, poll = settings.heartbeat_interval_seconds, settings.poll_interval_seconds
        dispatcher = self._dispatcher
        reaper = Stamped(self._engine, "reaper", self._reaper.tick)
        fence = Fence(self._held, self._completer, settings=settings, log=log)
        return (
            Loop("dispatcher", dispatcher.tick, log=log, interval_seconds=dispatcher.patience_seconds, bell=self._work),
            Loop(
                "completer", self._completer.tick, log=log, interval_seconds=poll, retry_seconds=1, bell=self._endings
            ),
            Loop("fence", fence.tick, log=log, interval_seconds=min(beat / 4, 1)),
            Loop("heartbeat", self._heartbeat.tick, log=log, interval_seconds=beat, retry_seconds=min(beat, 1)),
            Loop("reaper", reaper.tick, log=log, interval_seconds=settings.reaper_interval_seconds),
            Loop("roll call", self._roll_call.tick, log=log, interval_seconds=SAID_AGAIN_SECONDS),
        )
