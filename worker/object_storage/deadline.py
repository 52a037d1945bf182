"""A total limit for calls whose own limits are per step: a name that does not resolve, bytes that only drip."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

from worker.errors import StorageError

Answer = TypeVar("Answer")


def within(seconds: float, work: Callable[[], Answer]) -> Answer:
    """What the work returns or raises; StorageError after so long, when nobody waits for it any more."""
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            answer.set_exception(error)

    Thread(target=run, name="watchfloor object storage", daemon=True).start()
    if not wait([answer], timeout=seconds).done:
        raise StorageError(f"object storage: no answer within {seconds:g} s: the endpoint hangs, or the way to it does")
    return answer.result()
