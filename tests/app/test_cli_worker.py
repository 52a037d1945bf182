"""A standalone worker: refused before it says that it lives, or running until it is asked to stop (S1-52 to S1-60)."""

from __future__ import annotations

import signal
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection, func, select

from tests import factories
from tests.app import handlers
from tests.app.program import interpreter, program, until
from tests.app.shell import HANDLERS, Shell
from worker.queries import schema

instances = schema.worker_instances


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


@pytest.mark.parametrize(
    ("arguments", "environment", "names"),
    [
        (("--job-types", "nope"), {}, "'nope'"),
        ((), {"WATCHFLOOR_WORKER_JOB_TYPES": "charge_card, nope"}, "'nope'"),
        (("--job-types", "send_email"), {}, "send_email"),
        (("--job-types", "provision_tenant"), {}, "MIGRATIONS_DATABASE_URL"),
        (("--job-types", " , "), {}, "WATCHFLOOR_WORKER_JOB_TYPES"),
        (("--queues", ""), {}, "WATCHFLOOR_WORKER_QUEUES"),
        (("--queues", "Not A Queue"), {}, "WATCHFLOOR_WORKER_QUEUES"),
        ((), {"WATCHFLOOR_HANDLERS": "no.such.module"}, "no.such.module"),
        ((), {"WATCHFLOOR_LEASE_SECONDS": "5"}, "LEASE_SECONDS"),
        ((), {"WATCHFLOOR_BATCH_SIZE": "many"}, "WATCHFLOOR_BATCH_SIZE"),
    ],
)
def test_a_worker_that_cannot_be_is_refused_and_never_beats(
    shell: Shell, conn: Connection, arguments: tuple[str, ...], environment: dict[str, str], names: str
) -> None:
    assert names in shell.refused("worker", *arguments, code=78, **environment)
    assert conn.execute(select(func.count()).select_from(instances)).scalar() == 0


def test_types_and_queues_are_trimmed_and_named_once_and_sigterm_drains(
    shell: Shell, url: str, conn: Connection
) -> None:
    options = ("--component", "mailer", "--job-types", " send_digest, ,send_digest", "--queues", "mail")
    with program("worker", "--json", *options, DATABASE_URL=url, WATCHFLOOR_HANDLERS=HANDLERS) as worker:
        said = worker.document()
        digest = UUID(shell.json("enqueue", "send_digest")["id"])
        card = UUID(shell.json("enqueue", "charge_card", "--queue", "mail")["id"])
        until(lambda: factories.stored(conn, digest).status == "succeeded")
        worker.signal(signal.SIGTERM)
        assert worker.end()[0] == 0
    row = conn.execute(select(instances)).one()
    assert (row.instance_id, row.component, row.job_types) == (said["instance"], "mailer", ["send_digest"])
    assert row.stopped_at is not None
    assert factories.stored(conn, card).status == "queued"


def test_what_runs_at_the_signal_is_finished_first(shell: Shell, url: str, conn: Connection, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    held = {"WATCHFLOOR_HANDLERS": handlers.NAME, "GATE": str(gate)}
    with program("worker", "--json", DATABASE_URL=url, **held) as worker:
        worker.document()
        slow = UUID(shell.json("enqueue", "rebuild_search")["id"])
        until(gate.with_suffix(".begun").exists)  # what is claimed and has not begun is given back
        worker.signal(signal.SIGINT)
        gate.touch()
        assert worker.end()[0] == 0
    assert factories.stored(conn, slow).status == "succeeded"


def test_a_drain_from_elsewhere_ends_the_process(shell: Shell, url: str) -> None:
    beats = {"WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "0.5", "WATCHFLOOR_LEASE_SECONDS": "5"}
    with program("worker", "--json", DATABASE_URL=url, WATCHFLOOR_HANDLERS=HANDLERS, **beats) as worker:
        shell.ok("workers", "drain", worker.document()["instance"], "--yes")
        assert worker.end()[0] == 0


def test_settings_are_read_from_an_env_file(url: str, conn: Connection, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        f"DATABASE_URL={url}\nWATCHFLOOR_HANDLERS={HANDLERS}\nWATCHFLOOR_WORKER_LABEL=filed\n"
    )
    with interpreter("worker", "--json", cwd=tmp_path) as worker:
        said = worker.document()
        row = conn.execute(select(instances.c.label, instances.c.instance_id)).one()
        assert tuple(row) == ("filed", said["instance"])
        worker.signal(signal.SIGTERM)
        assert worker.end()[0] == 0
