"""Where `async def` handlers run: one event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable
from threading import Thread
from typing import Any

from worker.runtime.held import Run


class Coroutines:
    """A task for each claim; its context, and so what its handler hears, is its own."""

    _loop: asyncio.AbstractEventLoop
    _thread: Thread

    def __init__(self, work: Callable[[Run], Coroutine[Any, Any, None]]) -> None:
        self._work = work

    def start(self) -> None:
        """Begin to serve."""
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="watchfloor coroutines", daemon=True)
        self._thread.start()

    def submit(self, runs: Iterable[Run]) -> None:
        """Run them beside each other; the event loop is told once."""
        self._loop.call_soon_threadsafe(self._begin, runs)

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> BaseException | None:
        """What it raised, if it did; the calling thread waits, and its context goes along."""
        return asyncio.run_coroutine_threadsafe(_guarded(coroutine), self._loop).result()

    def stop(self) -> None:
        """Cancel what still runs, then end."""
        with contextlib.suppress(TimeoutError):  # a handler that blocks the loop keeps it to the end of the process
            asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result(1)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1)
        if not self._thread.is_alive():
            self._loop.close()

    def _begin(self, runs: Iterable[Run]) -> None:
        for run in runs:
            run.task = asyncio.Task(self._work(run), loop=self._loop)  # the event loop itself keeps no task alive


async def _guarded(coroutine: Coroutine[Any, Any, Any]) -> BaseException | None:
    try:
        await coroutine
    except BaseException as error:  # noqa: BLE001 - the loop serves other jobs: not even SystemExit may end it
        return error
    return None


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=0.5)
