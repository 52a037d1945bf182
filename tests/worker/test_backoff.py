"""Two policies out of one formula, right at every number of attempts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.backoff import DIRECT, event_backoff

EVENT = event_backoff(60, 3600)


def test_s1_104_and_105_direct_jobs_wait_2_to_256_seconds() -> None:
    assert [DIRECT.delay(n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 20)] == [2, 4, 8, 16, 32, 64, 128, 256, 256, 256]


def test_s2_47_and_48_event_jobs_double_from_the_base_to_the_cap() -> None:
    assert [EVENT.delay(n, draw=lambda: 1) for n in (1, 2, 3, 6, 7, 8)] == [60, 120, 240, 1920, 3600, 3600]


@given(attempts=st.integers(1, 2**31 - 1), draw=st.floats(0, 1))
def test_s2_49_and_a_43_the_wait_is_between_half_and_the_whole_however_often_it_failed(
    attempts: int, draw: float
) -> None:
    whole = min(3600, 60 * 2 ** (min(attempts, 31) - 1))
    assert whole / 2 <= EVENT.delay(attempts, draw=lambda: draw) <= whole


@pytest.mark.parametrize("attempts", [0, -5])
def test_a_counter_out_of_range_still_waits(attempts: int) -> None:
    assert DIRECT.delay(attempts) == 2


def test_s2_50_jobs_that_fail_together_do_not_come_back_together() -> None:
    assert len({round(EVENT.delay(1), 3) for _ in range(100)}) > 50
