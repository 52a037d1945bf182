"""A total limit for calls whose own limits are per step: a name that does not resolve, bytes that only drip."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

Answer = TypeVar("Answer")


class DeadlinePassed(Exception):
    """There was no answer in time; whoever works on it has not been told."""


def within(seconds: float, work: Callable[[], Answer], *, name: str) -> Answer:
    """What the work returns or raises; DeadlinePassed after so long, when nobody waits for it any more."""
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            answer.set_exception(error)

    Thread(target=run, name=f"watchfloor {name}", daemon=True).start()
    if not wait([answer], timeout=seconds).done:
        raise DeadlinePassed
    return answer.result()
