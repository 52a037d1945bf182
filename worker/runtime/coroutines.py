"""Where `async def` handlers run: one event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from threading import Thread
from typing import Any


class Coroutines:
    """Runs a coroutine to its end while the calling thread waits; its context, and so its signals, go along."""

    _loop: asyncio.AbstractEventLoop
    _thread: Thread

    def start(self) -> None:
        """Begin to serve."""
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="watchfloor coroutines", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> BaseException | None:
        """What it raised, if it did."""
        return asyncio.run_coroutine_threadsafe(_guarded(coroutine), self._loop).result()

    def stop(self) -> None:
        """Cancel what still runs, then end."""
        with contextlib.suppress(TimeoutError):  # a handler that blocks the loop keeps it to the end of the process
            asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result(1)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(1)
        if not self._thread.is_alive():
            self._loop.close()


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
