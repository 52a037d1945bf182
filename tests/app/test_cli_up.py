"""Everything in one process, for real: to the first page, through a signal, and back after a kill."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy.exc import OperationalError

from tests import factories
from tests.app import handlers
from tests.app.program import data_folder, get, interpreter, program, serves, until
from tests.app.shell import HANDLERS, Shell
from worker.database import connect

UP = ("up", "--json", "--port", "0", "--data")


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """One folder for the tests of this file, each of which finds what the one before has left."""
    with data_folder() as folder:
        yield folder


def enqueue(data: Path, job_type: str) -> UUID:
    """The id of a job put in by another process on the same folder."""
    nowhere = ""  # an empty DATABASE_URL is none
    return UUID(Shell(nowhere).json("enqueue", job_type, "--data", str(data))["id"])


def status(data: Path, job_id: UUID) -> str | None:
    """The job's status; None while the server is away."""
    engine = connect(f"postgresql+psycopg://postgres@/postgres?host={data}/pgdata", application_name="tests")
    try:
        with engine.connect() as conn:
            return str(factories.stored(conn, job_id).status)
    except OperationalError:
        return None
    finally:
        engine.dispose()


def test_it_serves_from_an_empty_folder_and_lets_an_admin_in(data: Path) -> None:
    with interpreter(*UP, str(data)) as up:
        said = up.document()
        assert get(said["url"] + "/health/ready")[0] == 200
        assert "admin" in get(said["sign_in"])[1]
        up.signal(signal.SIGTERM)
        assert up.end()[0] == 0


def test_without_any_settings_it_provisions_a_tenant(data: Path) -> None:
    nowhere = ""
    with program(*UP, str(data)) as up:
        up.document()
        shell = Shell(nowhere)
        shell.ok("tenants", "add", "acme", "Acme", "--data", str(data))
        provisioned = shell.json("tenants", "provision", "acme", "--wait", "--data", str(data))
        assert (provisioned["status"], provisioned["progress"]) == ("succeeded", 100)
    assert list((data / "objects").rglob("*verification*")) == []


def test_a_port_in_use_is_said_at_once_in_one_line(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with program("up", "--port", port, "--data", str(data)) as up:
            code, errors = up.end()
    assert code == 1
    assert errors.count("\n") == 1
    assert f"port {port}" in errors
    assert "--port" in errors


def test_a_kill_loses_no_job_and_the_next_start_runs_them(data: Path) -> None:
    with program(*UP, str(data)) as up:
        up.document()
        waiting = [enqueue(data, "send_digest") for _ in range(3)]
        up.signal(signal.SIGKILL)
        assert up.end()[0] == -signal.SIGKILL
    with program(*UP, str(data), WATCHFLOOR_HANDLERS=HANDLERS) as up:
        up.document()
        until(lambda: all(status(data, each) == "succeeded" for each in waiting))


def test_a_postgres_that_is_killed_comes_back_by_itself(data: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    with program(*UP, str(data), WATCHFLOOR_HANDLERS=handlers.NAME, GATE=str(gate)) as up:
        url = up.document()["url"]
        slow = enqueue(data, "rebuild_search")
        until(lambda: status(data, slow) == "running")
        os.kill(int((data / "pgdata/postmaster.pid").read_text().split("\n", 1)[0]), signal.SIGKILL)
        gate.touch()
        until(lambda: status(data, slow) == "succeeded")
        until(lambda: serves(url + "/health/ready"))


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_does_not_wait_for_what_runs(data: Path, second: signal.Signals) -> None:
    nowhere = str(data / "no gate")
    with program(*UP, str(data), WATCHFLOOR_HANDLERS=handlers.NAME, GATE=nowhere) as up:
        url = up.document()["url"]
        slow = enqueue(data, "rebuild_search")
        until(lambda: status(data, slow) == "running")
        up.signal(signal.SIGTERM)
        until(lambda: not serves(url + "/health/live"))
        up.signal(second)
        assert up.end()[0] == 128 + second
