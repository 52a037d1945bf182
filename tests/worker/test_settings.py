"""Settings: defaults as stated, and a bad value is refused by its name before anything starts."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from worker.settings import WorkerSettings, queue_name


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder without a `.env`."""
    monkeypatch.chdir(tmp_path)


def test_s2_144_to_150_the_defaults_are_those_stated() -> None:
    settings = WorkerSettings()
    assert (settings.batch_size, settings.lease_seconds, settings.max_runtime_seconds) == (20, 300, 1800)
    assert (settings.max_attempts, settings.backoff_base_seconds, settings.backoff_max_seconds) == (5, 60, 3600)
    assert (settings.poll_interval_seconds, settings.heartbeat_interval_seconds) == (5, 10)
    assert (settings.job_stale_after_seconds, settings.retention_days) == (900, 30)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BATCH_SIZE", "0"),
        ("BATCH_SIZE", "1000000000"),
        ("LEASE_SECONDS", "0"),
        ("MAX_RUNTIME_SECONDS", "inf"),
        ("MAX_RUNTIME_SECONDS", "nan"),
        ("MAX_ATTEMPTS", "-1"),
        ("MAX_ATTEMPTS", "1.5"),
        ("HEARTBEAT_INTERVAL_SECONDS", "0"),
        ("WORKER_JOB_TYPES", " , "),
        ("WORKER_QUEUES", ""),
        ("WORKER_QUEUES", "Mail"),
        ("RETENTION_DAYS", "never"),
        ("JOB_WORKER_MODE", "sidecar"),
        ("PROFILE", "galactic"),
        ("WEB_WORKERS", "0"),
        ("WORKER_METADATA", "{"),
        ("WORKER_METADATA", "[1]"),
    ],
)
def test_a_44_and_s2_154_a_bad_value_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"WATCHFLOOR_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        WorkerSettings()


@pytest.mark.parametrize("name", ["batch_size", "max_attempts", "lease_seconds", "web_workers"])
def test_a_44_a_truth_value_is_no_number(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        WorkerSettings.model_validate({name: True})


def test_s1_60_names_are_trimmed_and_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFLOOR_WORKER_JOB_TYPES", " send_email, ,send_email,provision_tenant ")
    assert WorkerSettings().worker_job_types == ("send_email", "provision_tenant")


@pytest.mark.parametrize("name", ["a", "9", "mail", "a.b_c-d", "a" * 100])
def test_s2_18_and_19_a_queue_name(name: str) -> None:
    assert queue_name(name) == name


@pytest.mark.parametrize("name", ["", "a" * 101, "Mail", "a b", "é", "a/b", "-x", ".x", None, 7, "a\n", "a'; DROP"])
def test_s2_18_to_21_what_is_no_queue_name(name: object) -> None:
    with pytest.raises(ValueError, match="queue names"):
        queue_name(name)


def test_a_worker_may_say_more_of_itself_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFLOOR_WORKER_METADATA", '{"zone": "eu-1"}')
    assert WorkerSettings().worker_metadata == {"zone": "eu-1"}


def test_a_secret_is_not_shown_with_the_settings() -> None:
    settings = WorkerSettings(database_url=SecretStr("postgresql://u:hunter2@h/db"))
    assert "hunter2" not in repr(settings)
