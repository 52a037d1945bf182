"""One worker from a shell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.shell import Shell
from worker.model import AttemptOutcome, Status
from worker.queries import statistics
from worker.queries.statistics import Measured


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_a_worker_is_shown_with_what_it_runs_and_how_its_attempts_ended(shell: Shell, conn: Connection) -> None:
    now = datetime.now(UTC)
    factories.worker_instance(conn, "w-1", last_heartbeat_at=now, label="mail-1")
    running = factories.job(conn, status=Status.RUNNING, locked_by="w-1", locked_at=now - timedelta(minutes=2))
    began = now - timedelta(seconds=64)
    times = {"claimed_at": began, "started_at": began, "finished_at": began + timedelta(seconds=4)}
    factories.attempt(conn, factories.job(conn), 1, worker_id="w-1", error="Traceback\nValueError: no", **times)
    statistics.add(conn, [Measured("render_report", "default", AttemptOutcome.COMPLETED, 2000, 0)] * 5)
    told = shell.json("workers", "show", "w-1")
    assert (told["state"], told["holds"], told["label"]) == ("live", 1, "mail-1")
    assert (told["running"][0]["id"], told["running"][0]["usual"]["runs"]) == (str(running), 5)
    assert (told["ended"][0]["outcome"], told["ended"][0]["duration_ms"]) == ("failed", 4000)
    text = shell.ok("workers", "show", "w-1")
    assert "Runs now (1 of 8 slots)" in text
    for words in ("mail-1", "2m", "2s", "1m", "ValueError: no"):
        assert words in text


def test_a_worker_that_stopped_is_shown_too(shell: Shell, conn: Connection) -> None:
    factories.worker_instance(conn, "w-1", stopped_at=datetime.now(UTC))
    text = shell.ok("workers", "show", "w-1")
    assert "stopped" in text
    assert text.count("nothing") == 2


def test_a_worker_nobody_knows_is_refused(shell: Shell) -> None:
    assert "nothing is known of a worker w-9" in shell.refused("workers", "show", "w-9", code=1)
