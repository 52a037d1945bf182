"""The deployment on one machine, for real: three processes with separate credentials, which come back when they die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Engine

from tests.app.deployments import is_provisioned, provision, readiness
from tests.app.program import Program, data_folder, program, until
from tests.app.shell import Shell
from worker.database import connect

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and the kernel ties the processes")
BEATS = {"WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "0.5", "WATCHFLOOR_LEASE_SECONDS": "5"}
SECRETS = {"WATCHFLOOR_MAIL_URI": "smtp://mail-secret", "WATCHFLOOR_SECRET_KEYS": Fernet.generate_key().decode()}


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """One folder for the tests of this file, which run in its order."""
    with data_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def running(data: Path) -> Iterator[Program]:
    """A topology on the embedded server."""
    with program("topology", "--json", "--port", "0", "--data", str(data), **BEATS, **SECRETS) as started:
        yield started


@pytest.fixture(scope="module")
def console(running: Program) -> str:
    """The console's address, once everything lives."""
    said: str = running.document()["url"]
    until(lambda: readiness(said) == [])
    return said


@pytest.fixture
def embedded(console: str, data: Path) -> Iterator[Engine]:
    """A superuser's way into the embedded server."""
    engine = connect(f"postgresql+psycopg://postgres@/postgres?host={data}/pgdata", application_name="tests")
    yield engine
    engine.dispose()


def parts(of: Program) -> dict[str, int]:
    """The number of each of its processes, by name."""
    text = subprocess.check_output(["ps", "-ewwo", "pid=,ppid=,args="], text=True)
    ours = [line.split(None, 2) for line in text.splitlines()]
    mine = [int(pid) for pid, parent, args in ours if int(parent) == of.process.pid and " -m app " in args]
    return {environment(pid).get("WATCHFLOOR_WORKER_COMPONENT", "console"): pid for pid in mine}


def environment(pid: int) -> dict[str, str]:
    """What the process was started with; nothing in the moment in which it becomes another program."""
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if entry)


@linux
def test_s1_65_to_s1_67_each_process_has_its_own_credentials(running: Program, console: str) -> None:
    known = {name: environment(pid) for name, pid in parts(running).items()}
    assert known.keys() == {"console", "provisioner-worker", "product-worker"}
    assert {name for name, each in known.items() if "MIGRATIONS_DATABASE_URL" in each} == {"provisioner-worker"}
    assert {name for name, each in known.items() if "CONSOLE_DATABASE_URL" in each} == {"console"}
    assert "//watchfloor_owner@" in known["provisioner-worker"]["MIGRATIONS_DATABASE_URL"]
    assert "//console_rw@" in known["console"]["CONSOLE_DATABASE_URL"]
    assert all("//app_rw@" in each["DATABASE_URL"] for each in known.values())
    assert SECRETS.keys().isdisjoint(known["provisioner-worker"])  # S1-71


@linux
def test_a_tenant_is_provisioned_through_it_also_after_the_provisioner_was_killed(
    running: Program, console: str, embedded: Engine
) -> None:
    first = provision(embedded, "before")
    until(lambda: is_provisioned(embedded, first))
    killed = parts(running)["provisioner-worker"]
    os.kill(killed, signal.SIGKILL)
    second = provision(embedded, "after")
    until(lambda: is_provisioned(embedded, second))
    assert parts(running)["provisioner-worker"] != killed


@linux
def test_it_is_not_ready_while_one_of_its_workers_is_silent(running: Program, console: str) -> None:
    provisioner = parts(running)["provisioner-worker"]
    os.kill(provisioner, signal.SIGSTOP)
    try:
        until(lambda: readiness(console) == ["no live worker runs provision_tenant"])
    finally:
        os.kill(provisioner, signal.SIGCONT)
    until(lambda: readiness(console) == [])


@linux
def test_sigterm_ends_all_of_it(running: Program, console: str) -> None:
    children = parts(running).values()
    running.signal(signal.SIGTERM)
    code, errors = running.end()
    assert code == 0, errors
    assert "Traceback" not in errors
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


@linux
def test_nothing_outlives_it_even_when_it_is_killed(data: Path) -> None:
    with program("topology", "--json", "--port", "0", "--data", str(data)) as started:
        started.document()
        children = list(until(lambda: len(found := parts(started)) == 3 and found).values())
        started.signal(signal.SIGKILL)
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))


def test_without_the_owners_address_the_other_is_no_use() -> None:
    said = Shell("postgresql://app_rw@db.example/floor").refused("topology", "--port", "0", code=78)
    assert "MIGRATIONS_DATABASE_URL is not set" in said


@linux
def test_a_server_of_somebody_else_is_used_as_each_of_its_roles(url: str) -> None:
    own = {"MIGRATIONS_DATABASE_URL": url, "WATCHFLOOR_OBJECT_STORAGE_URI": "s3://floor-objects"}
    with program("topology", "--json", "--port", "0", **own, **BEATS) as started:
        said = started.document()
        until(lambda: readiness(said["url"]) == [])
        addresses = {name: environment(pid)["DATABASE_URL"] for name, pid in parts(started).items()}
        started.signal(signal.SIGTERM)
        started.end()
    assert all("//app_rw@" in each for each in addresses.values())


def test_a_file_has_no_room_for_it(tmp_path: Path) -> None:
    said = Shell(f"sqlite:///{tmp_path}/floor.db").refused("topology", "--port", "0", code=78)
    assert "SQLite" in said


def test_one_that_is_misconfigured_ends_it_with_its_reason(data: Path) -> None:
    with program("topology", "--port", "0", "--data", str(data), WATCHFLOOR_WORKER_JOB_TYPES="nope") as started:
        code, errors = started.end()
    assert code == 78
    assert "'nope'" in errors
    assert errors.splitlines()[-1].startswith("Error: the product ")
