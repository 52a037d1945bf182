"""The total limit of a call."""

import re
from threading import Event

import pytest

from worker.errors import StorageError
from worker.object_storage.deadline import within


def test_what_the_work_returns_is_the_answer() -> None:
    assert within(10, lambda: "found") == "found"


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        within(10, lambda: 1 // 0)


def test_a_timeout_within_the_work_is_not_taken_for_the_limit() -> None:
    def impatient() -> None:
        raise TimeoutError("the work's own")

    with pytest.raises(TimeoutError, match="the work's own"):
        within(10, impatient)


def test_work_that_hangs_is_left_behind() -> None:
    release = Event()
    try:
        with pytest.raises(StorageError, match=re.escape("no answer within 0.05 s")):
            within(0.05, release.wait)
    finally:
        release.set()
