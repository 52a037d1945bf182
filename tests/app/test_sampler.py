"""The figures: read once for everybody, and less often when reading them is slow."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import pytest

from app.sampler import FORGOTTEN_SECONDS, LENSES, Sampler
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


def part(conn: Connection, figures: Figures, *, tenant_id: UUID) -> Figures:
    """What of a reading is a tenant's: the reading and whose it is, in words."""
    return cast(Figures, f"{figures} of {tenant_id.int}")


@pytest.fixture
def clock() -> Clock:
    return Clock()


def reading(sampler: Sampler, *, fresh: bool = True) -> Any:
    return sampler.figures(CONN, fresh=fresh)


def test_all_who_look_within_a_second_share_one_reading(clock: Clock) -> None:
    sampler = Sampler(Source(clock), narrow=part, clock=clock)
    assert [reading(sampler) for _ in range(5)] == [1] * 5
    clock.at += 0.99
    assert reading(sampler) == 1
    clock.at += 0.01
    assert reading(sampler) == 2


def test_whoever_can_do_with_old_figures_causes_no_reading(clock: Clock) -> None:
    sampler = Sampler(Source(clock), narrow=part, clock=clock)
    assert reading(sampler, fresh=False) == 1
    clock.at += 3600
    assert reading(sampler, fresh=False) == 1


def test_nothing_is_read_before_somebody_looks(clock: Clock) -> None:
    source = Source(clock)
    assert Sampler(source, narrow=part, clock=clock).last is None
    assert source.readings == 0


@pytest.mark.parametrize(("takes", "pause"), [(0.01, 1), (0.1, 1), (0.5, 5), (2, 20), (9, 30)])
def test_a_slow_reading_is_done_less_often(clock: Clock, takes: float, pause: float) -> None:
    sampler = Sampler(Source(clock, takes=takes), narrow=part, clock=clock)
    reading(sampler)
    clock.at += pause - 0.001
    assert reading(sampler) == 1
    clock.at += 0.002
    assert reading(sampler) == 2


def test_after_a_change_the_next_look_is_a_new_reading(clock: Clock) -> None:
    sampler = Sampler(Source(clock), narrow=part, clock=clock)
    reading(sampler)
    sampler.expire()
    assert reading(sampler, fresh=False) == 1
    assert reading(sampler) == 2


def test_the_reading_is_of_the_consoles_own_time(clock: Clock) -> None:
    source = Source(clock)
    reading(Sampler(source, narrow=part, now=NOON, clock=clock))
    assert source.asked_at == NOON


def test_a_reading_that_fails_leaves_the_last_and_is_tried_again(clock: Clock) -> None:
    def fail(conn: Connection, *, now: datetime | None) -> Figures:
        raise ConnectionError

    sampler = Sampler(Source(clock), narrow=part, clock=clock)
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

    sampler = Sampler(slow, narrow=part, clock=clock)
    reading(sampler)
    clock.at += 2
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(reading, sampler)
        assert reading_now.wait(30)
        assert reading(sampler) == 1
        go_on.set()
        assert first.result() == 2
    assert source.readings == 2


ACME, GLOBEX = UUID(int=1), UUID(int=2)


class Slow:
    """Reads the figures of a tenant in so much time, and counts how often."""

    def __init__(self, clock: Clock, takes: float = 0.0) -> None:
        self.clock = clock
        self.takes = takes
        self.readings = 0

    def __call__(self, conn: Connection, figures: Figures, *, tenant_id: UUID) -> Figures:
        self.readings += 1
        self.clock.at += self.takes
        return part(conn, figures, tenant_id=tenant_id)


def looking(sampler: Sampler, tenant_id: UUID) -> Any:
    return sampler.of_tenant(CONN, sampler.figures(CONN, fresh=True), tenant_id=tenant_id)


def test_a_lens_is_read_once_for_each_reading_of_the_whole(clock: Clock) -> None:
    narrow = Slow(clock)
    sampler = Sampler(Source(clock), narrow=narrow, clock=clock)
    assert [looking(sampler, ACME) for _ in range(3)] == ["1 of 1"] * 3
    assert looking(sampler, GLOBEX) == "1 of 2"
    assert narrow.readings == 2
    clock.at += 1
    assert looking(sampler, ACME) == "2 of 1"
    last: list[Any] = [sampler.last_of(each) for each in (ACME, GLOBEX, None)]
    assert last == ["2 of 1", "1 of 2", 2]


def test_slow_lenses_take_a_tenth_of_the_time_all_together(clock: Clock) -> None:
    sampler = Sampler(Source(clock), narrow=Slow(clock, takes=0.5), clock=clock)
    looking(sampler, ACME), looking(sampler, GLOBEX)
    clock.at += 9.9
    assert looking(sampler, GLOBEX) == "1 of 2"
    clock.at += 0.2
    assert looking(sampler, GLOBEX) != "1 of 2"


def test_a_lens_that_nobody_looks_through_any_more_slows_no_other(clock: Clock) -> None:
    narrow = Slow(clock, takes=0.5)
    sampler = Sampler(Source(clock), narrow=narrow, clock=clock)
    looking(sampler, ACME), looking(sampler, GLOBEX)
    for _ in range(2):
        clock.at += FORGOTTEN_SECONDS
        sampler.expire()
        looking(sampler, GLOBEX)
    assert sampler.last_of(ACME) is None
    clock.at += 5.1
    looking(sampler, GLOBEX)
    assert narrow.readings == 5


def test_many_lenses_take_no_more_of_the_time_than_few(clock: Clock) -> None:
    narrow = Slow(clock, takes=0.01)
    sampler = Sampler(Source(clock), narrow=narrow, clock=clock)
    for _ in range(60):
        for number in range(200):
            looking(sampler, UUID(int=number))
        clock.at += 1
    assert narrow.readings * narrow.takes < 0.15 * clock.at


def test_what_was_done_in_a_lens_is_seen_at_once(clock: Clock) -> None:
    sampler = Sampler(Source(clock), narrow=Slow(clock, takes=0.5), clock=clock)
    looking(sampler, ACME)
    sampler.expire()
    assert looking(sampler, ACME) == "2 of 1"


def test_the_lenses_looked_at_last_are_kept(clock: Clock) -> None:
    sampler = Sampler(Source(clock), narrow=part, clock=clock)
    for number in range(LENSES + 1):
        looking(sampler, UUID(int=number))
    assert sampler.last_of(UUID(int=0)) is None
    kept: Any = sampler.last_of(UUID(int=1))
    assert kept == "1 of 1"
