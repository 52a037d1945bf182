"""Two policies out of one formula, right at every number of attempts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.backoff import DIRECT, event_backoff
from worker.settings import WorkerSettings
from worker.topology import require_timing

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


@pytest.mark.parametrize("attempts", [1, 7, 46, 47, 1023, 1024, 1100, 2**31 - 1])
@pytest.mark.parametrize("base", [0.001, 60, 1e308])
def test_a_43_no_number_of_attempts_and_no_base_leads_out_of_the_cap(attempts: int, base: float) -> None:
    policy = event_backoff(base, 3600)
    draws = [policy.delay(attempts) for _ in range(5000)]
    assert 0 < min(draws) <= max(draws) <= 3600
    if policy.delay(attempts, draw=lambda: 1) == 3600:
        assert min(draws) >= 1800


@pytest.mark.parametrize(
    "values",
    [
        {"backoff_base_seconds": 0},
        {"backoff_base_seconds": 1e308},
        {"backoff_max_seconds": 0},
        {"backoff_max_seconds": -1},
        {"backoff_max_seconds": float("inf")},
        {"backoff_max_seconds": float("nan")},
        {"backoff_base_seconds": 61, "backoff_max_seconds": 60},
    ],
)
def test_a_43_settings_that_would_break_it_are_refused_at_start(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"(?i)backoff_\w+_seconds"):
        require_timing(WorkerSettings.model_validate(values))


@pytest.mark.parametrize("attempts", [0, -5])
def test_a_counter_out_of_range_still_waits(attempts: int) -> None:
    assert DIRECT.delay(attempts) == 2


def test_s2_50_jobs_that_fail_together_do_not_come_back_together() -> None:
    assert len({round(EVENT.delay(1), 3) for _ in range(100)}) > 50
