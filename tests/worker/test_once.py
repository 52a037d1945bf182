"""Once: made at the first use, by one of those who come together, and closed with whoever has it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier

import pytest

from worker.once import Once


def test_it_is_made_at_the_first_use_and_once_for_all_who_come_together() -> None:
    made: list[object] = []
    start = Barrier(8)

    def make(_: ExitStack) -> object:
        made.append(object())
        return made[-1]

    once = Once(make)
    assert made == []

    def use() -> object:
        start.wait(10)
        return once()

    with ThreadPoolExecutor(8) as pool:
        used = {each.result() for each in [pool.submit(use) for _ in range(8)]}
    assert used == set(made)
    assert len(made) == 1


def test_what_could_not_be_made_is_tried_again() -> None:
    answers = iter([ValueError("no credentials"), "made"])

    def make(_: ExitStack) -> object:
        answer: object = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    once = Once(make)
    with pytest.raises(ValueError, match="no credentials"):
        once()
    assert once() == "made"


def test_it_is_closed_with_whoever_has_it() -> None:
    closed: list[str] = []
    once: Once[object] | None = Once(lambda to_close: to_close.callback(closed.append, "closed"))
    assert once
    once()
    assert closed == []
    once = None
    assert closed == ["closed"]
