"""Being busy the way a well-behaved handler is: in small steps, stopping when asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

from worker.errors import JobCancelled
from worker.signals import cancel_requested, lease_lost

_STEP_SECONDS = 0.25


def busy(seconds: float) -> None:
    """Work for so long on a thread; JobCancelled when an operator asks to stop."""
    for step in _steps(seconds):
        time.sleep(step)


async def busy_async(seconds: float) -> None:
    """The same on the event loop."""
    for step in _steps(seconds):
        await asyncio.sleep(step)


def _steps(seconds: float) -> Iterator[float]:
    """How long to sleep next, looking at the signals before each."""
    done = 0.0
    while done < seconds:
        if cancel_requested() or lease_lost():
            raise JobCancelled
        step = min(_STEP_SECONDS, seconds - done)
        yield step
        done += step
