"""The figures: read once for everybody, and less often when reading them is slow."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, cast

import pytest

from app.sampler import Sampler
from tests.factories import NOON
from worker.database import Connection
from worker.queries.pages.figures import Figures

CONN = cast(Connection, object())


class Clock:
    """A clock that stands until somebody moves it."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


class Source:
    """Stands for the database: each reading is the next number and takes some time."""

    def __init__(self, clock: Clock, *, takes: float = 0.0) -> None:
        self.clock = clock
        self.takes = takes
        self.readings = 0
        self.asked_at: datetime | None = None

    def __call__(self, conn: Connection, *, now: datetime | None) -> Figures:
        self.readings += 1
        self.asked_at = now
        self.clock.at += self.takes
        return cast(Figures, self.readings)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def reading(sampler: Sampler, *, fresh: bool = True) -> Any:
    return sampler.figures(CONN, fresh=fresh)


def test_all_who_look_within_a_second_share_one_reading(clock: Clock) -> None:
    sampler = Sampler(Source(clock), clock=clock)
    assert [reading(sampler) for _ in range(5)] == [1] * 5
    clock.at += 0.99
    assert reading(sampler) == 1
    clock.at += 0.01
    assert reading(sampler) == 2


def test_whoever_can_do_with_old_figures_causes_no_reading(clock: Clock) -> None:
    sampler = Sampler(Source(clock), clock=clock)
    assert reading(sampler, fresh=False) == 1
    clock.at += 3600
    assert reading(sampler, fresh=False) == 1


def test_nothing_is_read_before_somebody_looks(clock: Clock) -> None:
    source = Source(clock)
    assert Sampler(source, clock=clock).last is None
    assert source.readings == 0


@pytest.mark.parametrize(("takes", "pause"), [(0.01, 1), (0.1, 1), (0.5, 5), (2, 20), (9, 30)])
def test_a_slow_reading_is_done_less_often(clock: Clock, takes: float, pause: float) -> None:
    sampler = Sampler(Source(clock, takes=takes), clock=clock)
    reading(sampler)
    clock.at += pause - 0.001
    assert reading(sampler) == 1
    clock.at += 0.002
    assert reading(sampler) == 2


def test_after_a_change_the_next_look_is_a_new_reading(clock: Clock) -> None:
    sampler = Sampler(Source(clock), clock=clock)
    reading(sampler)
    sampler.expire()
    assert reading(sampler, fresh=False) == 1
    assert reading(sampler) == 2


def test_the_reading_is_of_the_consoles_own_time(clock: Clock) -> None:
    source = Source(clock)
    reading(Sampler(source, now=NOON, clock=clock))
    assert source.asked_at == NOON


def test_a_reading_that_fails_leaves_the_last_and_is_tried_again(clock: Clock) -> None:
    def fail(conn: Connection, *, now: datetime | None) -> Figures:
        raise ConnectionError

    sampler = Sampler(Source(clock), clock=clock)
    reading(sampler)
    sampler._sample, working = fail, sampler._sample
    clock.at += 2
    with pytest.raises(ConnectionError):
        reading(sampler)
    assert reading(sampler, fresh=False) == 1
    sampler._sample = working
    assert reading(sampler) == 2


def test_while_one_reads_the_others_make_do_with_the_last(clock: Clock) -> None:
    reading_now, go_on = threading.Event(), threading.Event()
    source = Source(clock)

    def slow(conn: Connection, *, now: datetime | None) -> Figures:
        if source.readings:
            reading_now.set()
            assert go_on.wait(30)
        return source(conn, now=now)

    sampler = Sampler(slow, clock=clock)
    reading(sampler)
    clock.at += 2
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(reading, sampler)
        assert reading_now.wait(30)
        assert reading(sampler) == 1
        go_on.set()
        assert first.result() == 2
    assert source.readings == 2
