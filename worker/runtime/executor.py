"""Run handlers: each claim once, in a thread, to a result. Nothing a handler does reaches the loops (A-45)."""

from __future__ import annotations

import inspect
from queue import SimpleQueue
from threading import Thread
from time import monotonic

from worker.errors import JobCancelled, NoHandler
from worker.handlers import Registry
from worker.job_types import Handler
from worker.model import Job
from worker.runtime.completer import Completer
from worker.runtime.coroutines import Coroutines
from worker.runtime.held import Held, Run
from worker.runtime.judge import Judge
from worker.signals import enter, leave

_IDLE_ENDS_WITHIN_SECONDS = 1


class Executor:
    """So many threads beside one event loop; a handler that hangs keeps its thread, and only that (S2-134)."""

    def __init__(self, registry: Registry, held: Held, judge: Judge, completer: Completer, *, threads: int) -> None:
        self._registry = registry
        self._held = held
        self._judge = judge
        self._completer = completer
        self._coroutines = Coroutines()
        self._waiting: SimpleQueue[Run | None] = SimpleQueue()
        self._threads = [
            Thread(target=self._work, name=f"watchfloor job {number}", daemon=True) for number in range(threads)
        ]

    def start(self) -> None:
        """Begin to serve."""
        self._coroutines.start()
        for thread in self._threads:
            thread.start()

    def submit(self, run: Run) -> None:
        """Run it as soon as a thread is free."""
        self._waiting.put(run)

    def stop(self) -> None:
        """End the idle threads; those whose handlers hang are left to the end of the process."""
        for _ in self._threads:
            self._waiting.put(None)
        self._coroutines.stop()
        deadline = monotonic() + _IDLE_ENDS_WITHIN_SECONDS
        for thread in self._threads:
            thread.join(max(deadline - monotonic(), 0))

    def run(self, run: Run) -> None:
        """From claim to result; what was given back meanwhile, or may be somebody else's by now, never starts."""
        if run.signal.lease_lost:
            if self._held.end(run):
                self._completer.release([run])
        elif run.signal.cancel_requested:
            if self._held.end(run):
                self._completer.finish(run, self._judge.result(run, JobCancelled()))
        elif self._held.begin(run):
            result = self._judge.result(run, self._call(run))
            if self._held.end(run):
                self._completer.finish(run, result)

    def _work(self) -> None:
        while run := self._waiting.get():
            self.run(run)

    def _call(self, run: Run) -> BaseException | None:
        """What the handler raised, if it did."""
        enter(run.signal)
        try:
            handler = self._handler(run.job)
            _ = run.job.payload  # an unreadable one fails here, whether the handler looks at it or not
            answer = handler(run.job)
            return None if answer is None else self._finished(answer)
        except BaseException as error:  # noqa: BLE001 - whatever a handler raises is an ordinary failure of its job
            return error
        finally:
            leave()

    def _handler(self, job: Job) -> Handler:
        if handler := self._registry.handler(job):
            return handler
        raise NoHandler(f"no handler for {job.handler_key!r} in this process")

    def _finished(self, answer: object) -> BaseException | None:
        """A coroutine is run to its end; anything else a handler returns means nothing, but a generator never ran."""
        if inspect.iscoroutine(answer):
            return self._coroutines.run(answer)
        if inspect.isgenerator(answer) or inspect.isasyncgen(answer):
            raise TypeError("the handler is a generator, so it did nothing")
        return None
