"""The small topology, for real: one process on a SQLite file, with the console, one consumer and the maintenance."""

from __future__ import annotations

import http.cookiejar
import re
import signal
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests import factories
from tests.app import handlers
from tests.app.program import get, program, until
from tests.app.shell import HANDLERS, Shell
from worker.database import connect
from worker.queries import audit

UP = ("up", "--json", "--port", "0")
Read = Callable[[str], str]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The address of a file that is not there yet."""
    return f"sqlite:///{tmp_path}/watchfloor.db"


def enqueue(url: str, job_type: str, *options: str) -> UUID:
    """The id of a job put in by another process."""
    return UUID(Shell(url).json("enqueue", job_type, *options)["id"])


def look(url: str, job_id: UUID) -> Any:
    """The job's row."""
    engine = connect(url, application_name="tests")
    try:
        with engine.connect() as conn:
            return factories.stored(conn, job_id)
    finally:
        engine.dispose()


def signed_in(said: dict[str, str]) -> Read:
    """A visitor whom the one-time link let in."""
    visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    found = re.search(r'name="token"[^>]*value="([^"]+)"', get(said["sign_in"])[1])
    assert found
    form = urllib.parse.urlencode({"token": found[1]}).encode()
    visitor.open(urllib.request.Request(said["url"] + "/sign-in/link", form, {"Origin": said["url"]})).close()  # noqa: S310 - our own http address

    def read(path: str) -> str:
        with visitor.open(said["url"] + path) as answer:
            text: bytes = answer.read()
        return text.decode()

    return read


def test_s2_75_one_process_on_a_file_runs_what_another_puts_in_and_shows_it(url: str) -> None:
    with program(*UP, DATABASE_URL=url, WATCHFLOOR_HANDLERS=HANDLERS) as up:
        said = up.document()
        read = signed_in(said)
        job_id = enqueue(url, "send_digest")
        until(lambda: look(url, job_id).status == "succeeded")
        assert "succeeded" in read(f"/jobs/{job_id}").lower()
        for page in ("/", "/queues", "/jobs", "/dead-letters", "/tenants", "/audit"):
            assert "<h1" in read(page)
        assert "local-worker" in read("/workers")
        assert get(said["url"] + "/health/ready")[0] == 200
        up.signal(signal.SIGTERM)
        assert up.end()[0] == 0
    engine = connect(url, application_name="tests")
    with engine.connect() as conn:
        assert audit.verify(conn) is None
    engine.dispose()


def test_without_further_settings_it_provisions_a_tenant_in_a_file_of_its_own(url: str, tmp_path: Path) -> None:
    with program(*UP, DATABASE_URL=url) as up:
        up.document()
        shell = Shell(url)
        shell.ok("tenants", "add", "acme", "Acme")
        provisioned = shell.json("tenants", "provision", "acme", "--wait")
        assert (provisioned["status"], provisioned["progress"]) == ("succeeded", 100)
    assert [path.suffix for path in tmp_path.glob("*-tenant_acme.*")] == [".db"]


def test_a_kill_loses_no_job_and_the_next_start_runs_them(url: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    fast_recovery = {"WATCHFLOOR_LEASE_SECONDS": "3", "WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "1"}
    fast_recovery |= {"WATCHFLOOR_REAPER_INTERVAL_SECONDS": "1", "WATCHFLOOR_MAX_RUNTIME_SECONDS": "60"}
    settings = {"DATABASE_URL": url, "WATCHFLOOR_HANDLERS": handlers.NAME, "GATE": str(gate), **fast_recovery}
    with program(*UP, **settings) as up:
        up.document()
        running = enqueue(url, "rebuild_search")
        waiting = [enqueue(url, "send_digest") for _ in range(3)]
        until(lambda: look(url, running).status == "running")
        up.signal(signal.SIGKILL)
        assert up.end()[0] == -signal.SIGKILL
    assert {look(url, each).status for each in waiting} <= {"queued", "running"}
    gate.touch()
    with program(*UP, **settings) as up:
        up.document()
        until(lambda: all(look(url, each).status == "succeeded" for each in (running, *waiting)))
    assert look(url, running).generation >= 2


def test_s2_76_a_second_process_on_the_file_is_refused_by_name(url: str) -> None:
    with program(*UP, DATABASE_URL=url) as up:
        up.document()
        with program(*UP, DATABASE_URL=url) as second:
            code, errors = second.end()
        assert (code, errors.count("\n")) == (78, 1)
        assert "DATABASE_URL" in errors


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_s2_76_what_needs_several_processes_is_refused_on_a_file(url: str, command: str) -> None:
    assert "SQLite" in Shell(url).refused(command, code=78)


@pytest.mark.parametrize("address", ["sqlite://", "sqlite:///:memory:", "sqlite:///nowhere/at/all/x.db"])
def test_an_address_that_names_no_file_is_refused(address: str) -> None:
    assert "DATABASE_URL" in Shell(address).refused("migrate", code=78)


def test_a_file_is_migrated_checked_and_worked_on_by_commands_alone(url: str) -> None:
    shell = Shell(url)
    assert "watchfloor up" in shell.refused("jobs", "list", code=78)
    assert shell.json("migrate")["before"] is None
    assert shell.json("migrate")["before"] == shell.json("migrate")["revision"]
    assert shell.json("check")["healthy"]
    job_id = enqueue(url, "send_digest", "--delay", "3600")
    shell.ok("queues", "pause", "mail", "--reason", "provider down")
    assert look(url, job_id).status == "queued"
    shell.ok("jobs", "cancel", str(job_id), "--reason", "not needed", "--yes")
    assert look(url, job_id).status == "cancelled"


def test_check_tells_what_is_run_with_the_objects_beside_the_file(url: str) -> None:
    shell = Shell(url)
    shell.ok("migrate")
    assert "train_tenant_model" in shell.json("check")["checks"][0]["detail"]


def test_what_is_no_database_is_left_as_it_is(url: str, tmp_path: Path) -> None:
    (tmp_path / "watchfloor.db").write_text("a letter to somebody")
    assert "not a SQLite database" in Shell(url).refused("migrate", code=78)
    assert (tmp_path / "watchfloor.db").read_text() == "a letter to somebody"


def test_the_file_is_its_owners_alone(url: str, tmp_path: Path) -> None:
    Shell(url).ok("migrate")
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("watchfloor.db*")} == {0o600}
