"""Topology: which shapes are allowed, and every refusal names its cause."""

from typing import Any

import pytest

from worker import topology
from worker.errors import ConfigurationError, SettingRefused, TopologyRefused
from worker.settings import WorkerSettings

FILE = "sqlite:////var/lib/shop/queue.db"
SERVER = "postgresql://shop@localhost/queue"


def settings(**values: Any) -> WorkerSettings:
    return WorkerSettings(_env_file=None, **values)  # type: ignore[call-arg] # pydantic-settings' own argument


@pytest.mark.parametrize(
    ("values", "cause"),
    [
        ({}, None),
        ({"profile": "custom"}, None),
        ({"profile": "distributed", "web_workers": 3}, "WATCHFLOOR_PROFILE=distributed"),
        ({"web_workers": 3, "job_worker_mode": "standalone"}, "WATCHFLOOR_WEB_WORKERS=3"),
        ({"job_worker_mode": "standalone"}, "WATCHFLOOR_JOB_WORKER_MODE=standalone"),
    ],
)
def test_what_makes_several_processes_is_named(values: dict[str, Any], cause: str | None) -> None:
    assert topology.several_processes(settings(**values)) == cause
    if cause is None:
        topology.require_shareable(settings(database_url=FILE, **values), starts="a worker")
    else:
        with pytest.raises(TopologyRefused, match=f"^{cause}: .*SQLite.*a worker needs a PostgreSQL"):
            topology.require_shareable(settings(database_url=FILE, **values), starts="a worker")
    topology.require_shareable(settings(database_url=SERVER, **values), starts="a worker")


def test_a_command_implies_its_mode_where_the_settings_leave_it_open() -> None:
    assert topology.shaped(settings(), "standalone", starts="a worker").job_worker_mode == "standalone"
    with pytest.raises(TopologyRefused, match="WATCHFLOOR_JOB_WORKER_MODE=in_process: a worker needs standalone"):
        topology.shaped(settings(job_worker_mode="in_process"), "standalone", starts="a worker")
    with pytest.raises(TopologyRefused, match="SQLite"):
        topology.shaped(settings(database_url=FILE), "standalone", starts="a worker")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"lease_seconds": 44, "heartbeat_interval_seconds": 15},
            r"WATCHFLOOR_LEASE_SECONDS: 44 .*WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS \(15\)",
        ),
        ({"max_runtime_seconds": 299}, r"WATCHFLOOR_MAX_RUNTIME_SECONDS: 299 .*WATCHFLOOR_LEASE_SECONDS \(300\)"),
        (
            {"backoff_base_seconds": 100, "backoff_max_seconds": 50},
            r"WATCHFLOOR_BACKOFF_MAX_SECONDS: 50 .*BACKOFF_BASE_SECONDS \(100\)",
        ),
    ],
)
def test_a_02_times_that_do_not_fit_are_refused_with_both_values(values: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingRefused, match=words):
        topology.require_timing(settings(**values))


def test_times_that_just_fit_are_taken() -> None:
    topology.require_timing(settings(lease_seconds=30, heartbeat_interval_seconds=10, max_runtime_seconds=30))


@pytest.mark.parametrize(("queues", "words"), [((), "must not be empty"), (("mail", "Mail"), "queue names")])
def test_queues_that_cannot_be_are_refused(queues: tuple[str, ...], words: str) -> None:
    with pytest.raises(SettingRefused, match=f"WATCHFLOOR_WORKER_QUEUES: {words}"):
        topology.require_queues(settings().model_copy(update={"worker_queues": queues}))


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"worker_component": "c" * 101}, "COMPONENT"),
        ({"worker_component": ""}, "COMPONENT"),
        ({"worker_role": "r" * 101}, "ROLE"),
        ({"worker_label": "l" * 201}, "LABEL"),
        ({"worker_metadata": {"load": float("nan")}}, "METADATA"),
        ({"worker_metadata": {"since": object()}}, "METADATA"),
        ({"worker_metadata": {"note": "n" * 16_384}}, "METADATA"),
        ({"worker_metadata": {"note": "é" * 8_192}}, "METADATA"),
    ],
)
def test_what_a_worker_says_of_itself_is_bounded(values: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingRefused, match=f"WATCHFLOOR_WORKER_{name}"):
        topology.require_description(settings().model_copy(update=values))


def test_what_just_fits_is_taken() -> None:
    values = {"worker_role": "r" * 100, "worker_label": "l" * 200, "worker_metadata": {"n": "x" * (16_384 - 9)}}
    topology.require_description(settings().model_copy(update=values))


OWNERS = "postgresql://watchfloor_owner:hunter2@localhost/queue"
OBJECTS = {"object_storage_uri": "file:///var/lib/objects"}
PROVISIONER: dict[str, Any] = {"job_worker_mode": "standalone", "worker_job_types": ("provision_tenant",)}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"worker_job_types": None}, "for the provisioner alone"),
        ({"worker_job_types": ("send_email",)}, "for the provisioner alone"),
        ({"worker_job_types": ("provision_tenant", "send_email")}, "for the provisioner alone"),
        ({"migrations_database_url": None}, "is not set"),
        ({"migrations_database_url": None, "worker_job_types": ("provision_tenant", "send_email")}, "is not set"),
    ],
)
def test_the_owners_address_and_provisioning_go_together_and_with_nothing_else(
    values: dict[str, Any], words: str
) -> None:
    known = {"database_url": SERVER, "migrations_database_url": OWNERS, **PROVISIONER, **OBJECTS, **values}
    with pytest.raises(TopologyRefused, match=f"^MIGRATIONS_DATABASE_URL.* {words}") as refusal:
        topology.require_split(settings(**known))
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    "values",
    [
        {**PROVISIONER, **OBJECTS, "migrations_database_url": OWNERS},
        {**PROVISIONER, "worker_job_types": ("send_email",)},
        {**PROVISIONER, "worker_job_types": None},
        {},
        {"migrations_database_url": OWNERS},
        {"worker_job_types": ("provision_tenant", "send_email")},
    ],
)
def test_a_provisioner_a_product_worker_and_one_process_for_everything_are_taken(values: dict[str, Any]) -> None:
    topology.require_split(settings(database_url=SERVER, **values))


def test_a_provisioner_without_an_object_storage_is_refused() -> None:
    with pytest.raises(TopologyRefused, match=r"^WATCHFLOOR_OBJECT_STORAGE_URI is not set"):
        topology.require_split(settings(database_url=SERVER, migrations_database_url=OWNERS, **PROVISIONER))


def test_the_owner_is_whoever_has_the_owners_address_past_a_pooler() -> None:
    known = settings(database_url=SERVER, pooler="transaction")
    assert topology.owner_address(known) == topology.address(known)
    known = settings(database_url=SERVER, migrations_database_url=OWNERS, pooler="transaction")
    assert topology.owner_address(known) == "postgresql+psycopg://watchfloor_owner:hunter2@localhost/queue"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"migrations_database_url": OWNERS}, "is set, but DATABASE_URL is not"),
        ({"migrations_database_url": OWNERS, "database_url": FILE}, "SQLite"),
        ({"migrations_database_url": FILE, "database_url": SERVER}, "SQLite"),
        ({"migrations_database_url": "mysql://root:hunter2@localhost/queue", "database_url": SERVER}, "must be like"),
        ({"migrations_database_url": "hunter2", "database_url": SERVER}, "must be like"),
    ],
)
def test_the_owners_address_is_of_the_same_database(values: dict[str, Any], words: str) -> None:
    with pytest.raises(TopologyRefused, match=f"^MIGRATIONS_DATABASE_URL.*{words}") as refusal:
        topology.shaped(settings(**values), "in_process", starts="a console")
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    "values",
    [
        {"migrations_database_url": FILE},
        {"migrations_database_url": FILE, "database_url": SERVER},
        {"migrations_database_url": OWNERS, "database_url": FILE},
        {"migrations_database_url": "hunter2"},
    ],
)
def test_nobody_owns_by_an_address_that_knows_no_roles(values: dict[str, Any]) -> None:
    with pytest.raises(TopologyRefused, match=r"^MIGRATIONS_DATABASE_URL: ") as refusal:
        topology.as_owner(settings(**values))
    assert "hunter2" not in str(refusal.value)


def test_an_owners_address_that_is_empty_is_none() -> None:
    known = settings(database_url=SERVER, migrations_database_url="", **PROVISIONER)
    with pytest.raises(TopologyRefused, match=r"^MIGRATIONS_DATABASE_URL is not set"):
        topology.require_split(known)
    topology.shaped(settings(database_url=FILE, migrations_database_url=""), "in_process", starts="a console")


def test_the_refusals_are_of_the_kinds_that_hosts_expect() -> None:
    assert issubclass(TopologyRefused, ConfigurationError)
    assert issubclass(TopologyRefused, RuntimeError)
    assert issubclass(SettingRefused, ConfigurationError)
    assert issubclass(SettingRefused, ValueError)
