"""S2, settings: the defaults, how they are overridden, and what is refused by name before anything starts."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.worker.runtime.bench import registry, settings
from worker.errors import ConfigurationError
from worker.runtime.hosting import start_job_worker
from worker.topology import require_timing


@pytest.fixture(autouse=True)
def patch(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


def holds(patch: pytest.MonkeyPatch, name: str, default: float) -> None:
    """The setting has this default, follows the environment, and refuses by name what cannot be."""
    variable = f"WATCHFLOOR_{name.upper()}"
    assert getattr(settings(), name) == default
    patch.setenv(variable, str(default + 1))
    assert getattr(settings(), name) == default + 1
    for wrong in ("", "soon", "-1", "0", "nan", "inf", "1e99"):
        patch.setenv(variable, wrong)
        with pytest.raises(ValidationError, match=name):
            settings()
    patch.delenv(variable)
    for odd in (True, None, [1]):
        with pytest.raises(ValidationError, match=name):
            settings(**{name: odd})


def refused_at_start(words: str, **values: Any) -> None:
    """A ValueError of the configuration, raised before the database is asked for anything."""
    with pytest.raises(ValueError, match=words) as refusal:
        start_job_worker(settings(database_url="postgresql://nowhere/q", **values), registry(work=print))
    assert isinstance(refusal.value, ConfigurationError)


def test_s2_144_batch_size(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "batch_size", 20)


def test_s2_145_lease_seconds(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "lease_seconds", 300)


def test_s2_146_max_runtime_seconds(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "max_runtime_seconds", 1800)


def test_s2_147_max_attempts(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "max_attempts", 5)


def test_s2_148_backoff_base_seconds(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "backoff_base_seconds", 60)


def test_s2_149_backoff_max_seconds(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "backoff_max_seconds", 3600)


def test_s2_150_poll_interval_seconds(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "poll_interval_seconds", 5)


def test_s2_151_heartbeat_interval_seconds(patch: pytest.MonkeyPatch) -> None:
    holds(patch, "heartbeat_interval_seconds", 10)


def test_s2_152_two_missed_beats_leave_a_lease_standing() -> None:
    refused_at_start(r"LEASE_SECONDS: 44 .*\(15\)", lease_seconds=44, heartbeat_interval_seconds=15)
    require_timing(settings(lease_seconds=45, heartbeat_interval_seconds=15))


def test_s2_153_no_handler_is_given_up_within_a_lease() -> None:
    refused_at_start(r"MAX_RUNTIME_SECONDS: 299 .*\(300\)", max_runtime_seconds=299)
    require_timing(settings(max_runtime_seconds=300))


@pytest.mark.parametrize("beat", [0, -1])
def test_s2_154_a_beat_takes_time(beat: int) -> None:
    with pytest.raises(ValueError, match="heartbeat_interval_seconds"):
        settings(heartbeat_interval_seconds=beat)


@pytest.mark.parametrize(("lease", "beat"), [(300, 10), (45, 15), (0.9, 0.3)])
def test_s2_155_a_worker_is_called_stale_no_later_than_its_leases_end(lease: float, beat: float) -> None:
    given = settings(lease_seconds=lease, heartbeat_interval_seconds=beat)
    require_timing(given)
    assert given.stale_after_seconds <= lease
