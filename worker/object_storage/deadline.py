"""The limit for a call to an endpoint, in the words of object storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from worker import deadline
from worker.errors import StorageError

Answer = TypeVar("Answer")


def within(seconds: float, work: Callable[[], Answer]) -> Answer:
    """What the work returns or raises; StorageError after so long, when nobody waits for it any more."""
    try:
        return deadline.within(seconds, work, name="object storage")
    except deadline.DeadlinePassed:
        problem = f"object storage: no answer within {seconds:g} s: the endpoint hangs, or the way to it does"
        raise StorageError(problem) from None
