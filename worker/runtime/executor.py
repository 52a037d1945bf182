"""Run handlers: each claim once, to a result. Nothing a handler does reaches the loops (A-45)."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable
from itertools import groupby
from threading import Lock

from worker.errors import JobCancelled, NoHandler
from worker.handlers import Registry
from worker.job_types import Handler
from worker.model import Job
from worker.queries.results import Result
from worker.runtime.completer import Completer
from worker.runtime.coroutines import Coroutines
from worker.runtime.held import Held, Run
from worker.runtime.judge import Judge
from worker.runtime.threads import Threads
from worker.signals import enter, leave
from worker.tracing import Piece, tracing

_SURELY_READABLE = 1000
"""Characters: JSON that Python cannot read, though the database did, is deep or has a very long number (A-35)."""


class Executor:
    """So many handlers at once: `async def` on one event loop, the others on threads; the rest wait in their order."""

    def __init__(self, registry: Registry, held: Held, judge: Judge, completer: Completer, *, threads: int) -> None:
        self._registry = registry
        self._held = held
        self._judge = judge
        self._completer = completer
        self._threads = Threads(self._serve, most=threads)
        self._coroutines = Coroutines(self._await)
        self._places = threads
        self._tracing = tracing()
        self._free = 0  # until the start
        self._waiting: deque[Run] = deque()
        self._lock = Lock()

    def start(self) -> None:
        """Begin to serve."""
        self._coroutines.start()
        self._admit(self._places)

    def submit(self, *runs: Run) -> None:
        """Run each as soon as it may."""
        self._waiting.extend(runs)
        self._admit(0)

    def stop(self) -> None:
        """End what is idle; handlers that hang are left to the end of the process, and nothing begins after them."""
        with self._lock:
            self._waiting.clear()
        self._threads.stop()
        self._coroutines.stop()

    def run(self, run: Run) -> None:
        """From claim to result, in this thread."""
        if self._may_begin(run):
            enter(run.signal)
            with self._tracing.attempt(run.job) as attempt:
                run.trace = attempt.ids
                result = self._judged(run, self._call(run), attempt)
            leave()
            self._end(run, result)

    def _serve(self, run: Run) -> None:
        self.run(run)
        self._admit(1)

    async def _await(self, run: Run) -> None:
        """From claim to result, in a task of its own."""
        if self._may_begin(run):
            enter(run.signal)
            with self._tracing.attempt(run.job) as attempt:
                run.trace = attempt.ids
                result = self._judged(run, await self._call_async(run), attempt)
            self._end(run, result)
        self._admit(1)

    def _admit(self, freed: int) -> None:
        with self._lock:
            self._free += freed
            if not self._waiting or not self._free:
                return
            count = min(self._free, len(self._waiting))
            self._free -= count
            admitted = [self._waiting.popleft() for _ in range(count)]
        for is_async, runs in groupby(admitted, key=self._is_awaited()):
            (self._coroutines if is_async else self._threads).submit(list(runs))

    def _is_awaited(self) -> Callable[[Run], bool]:
        """Whether a run's handler is `async def`, each handler looked at once."""
        known: dict[int, bool] = {}

        def is_awaited(run: Run) -> bool:
            handler = self._registry.handler(run.job)
            if (name := id(handler)) not in known:
                known[name] = inspect.iscoroutinefunction(handler)
            return known[name]

        return is_awaited

    def _may_begin(self, run: Run) -> bool:
        """What was given back meanwhile, or may be somebody else's by now, never starts."""
        if run.signal.lease_lost:
            if self._held.end(run):
                self._completer.release([run])
            return False
        if run.signal.cancel_requested:
            self._end(run, self._judge.result(run, JobCancelled()))
            return False
        return self._held.begin(run)

    def _judged(self, run: Run, error: BaseException | None, attempt: Piece) -> Result:
        """What became of it, told to those who trace."""
        result = self._judge.result(run, error)
        attempt.came_to(result.outcome, result.failure)
        return result

    def _end(self, run: Run, result: Result) -> None:
        if self._held.end(run):
            self._completer.finish(run, result)

    def _call(self, run: Run) -> BaseException | None:
        """What the handler raised, if it did."""
        try:
            answer = self._handler(run.job)(run.job)
            return None if answer is None else self._finished(answer)
        except BaseException as error:  # noqa: BLE001 - whatever a handler raises is an ordinary failure of its job
            return error

    async def _call_async(self, run: Run) -> BaseException | None:
        """The same, where the handler is awaited."""
        try:
            await self._handler(run.job)(run.job)
        except BaseException as error:  # noqa: BLE001 - not even SystemExit may end the loop that serves other jobs
            return error
        return None

    def _handler(self, job: Job) -> Handler:
        if len(job.payload_text) > _SURELY_READABLE:
            _ = job.payload  # an unreadable one fails here, whether the handler looks at it or not
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
