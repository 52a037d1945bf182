"""S1, workers: one command, and what the environment makes of it."""

from __future__ import annotations

import ast
import signal
from contextlib import AbstractContextManager
from pathlib import Path
from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, select

from tests.app.program import Program, program, until
from tests.app.shell import HANDLERS, Shell
from tests.factories import stored
from tests.worker.runtime.bench import Start, nothing
from worker.queries.schema import runtime_heartbeats, worker_instances
from worker.settings import WorkerSettings

ROOT = Path(__file__).resolve().parents[2]
TYPES = "WATCHFLOOR_WORKER_JOB_TYPES"


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def launch(url: str, **environment: str) -> AbstractContextManager[Program]:
    """A worker process of its own."""
    return program("worker", "--json", DATABASE_URL=url, WATCHFLOOR_HANDLERS=HANDLERS, **environment)


def beats(conn: Connection) -> dict[str, list[str]]:
    """What each component says that it runs."""
    return {row.component: row.detail["job_types"] for row in conn.execute(select(runtime_heartbeats))}


@pytest.mark.postgresql
def test_s1_52_every_worker_is_the_same_command(url: str, conn: Connection) -> None:
    one = {"WATCHFLOOR_WORKER_COMPONENT": "product-worker", TYPES: "send_digest,sync_inventory"}
    other = {"WATCHFLOOR_WORKER_COMPONENT": "provisioner-worker", TYPES: "rebuild_search"}
    with launch(url, **one) as first, launch(url, **other) as second:
        first.document(), second.document()
        assert first.process.arguments == second.process.arguments
        assert beats(conn) == {
            "product-worker": ["send_digest", "sync_inventory"],
            "provisioner-worker": ["rebuild_search"],
        }


@pytest.mark.postgresql
def test_s1_53_a_worker_reads_an_env_file(url: str, conn: Connection, tmp_path: Path) -> None:
    settings = f"DATABASE_URL={url}\nWATCHFLOOR_HANDLERS={HANDLERS}\nWATCHFLOOR_WORKER_COMPONENT=filed\n"
    (tmp_path / ".env").write_text(settings)
    with program("worker", "--json", cwd=tmp_path) as worker:
        assert worker.document()["component"] == "filed"
    assert list(beats(conn)) == ["filed"]


@pytest.mark.postgresql
def test_s1_54_the_entry_ends_cleanly_on_sigterm(url: str, conn: Connection) -> None:
    with launch(url) as worker:
        worker.document()
        worker.signal(signal.SIGTERM)
        assert worker.end()[0] == 0
    assert conn.execute(select(worker_instances.c.stopped_at)).scalar_one() is not None


def test_s1_55_no_code_asks_for_a_components_name() -> None:
    asked = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in [*(ROOT / "app").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare)
        and any("component" in ast.unparse(side) for side in (node.left, *node.comparators))
        and any(
            isinstance(side, ast.Constant) and isinstance(side.value, str) for side in (node.left, *node.comparators)
        )
    ]
    assert asked == []


@pytest.mark.postgresql
def test_s1_56_the_component_names_the_heartbeats_row(
    start: Start, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHFLOOR_WORKER_COMPONENT", "night-shift")
    start(render_report=nothing)
    assert beats(conn) == {"night-shift": ["render_report"]}


@pytest.mark.postgresql
def test_s1_57_the_list_of_types_is_what_a_worker_claims(shell: Shell, url: str, conn: Connection) -> None:
    names = ("charge_card", "send_digest", "sync_inventory")
    card, digest, inventory = (UUID(shell.json("enqueue", name)["id"]) for name in names)
    with launch(url, **{TYPES: "send_digest,sync_inventory"}):
        until(lambda: stored(conn, digest).attempts and stored(conn, inventory).attempts)
    assert (stored(conn, card).status, stored(conn, card).attempts) == ("queued", 0)


@pytest.mark.postgresql
def test_s1_58_an_unknown_type_is_refused_by_name(shell: Shell) -> None:
    refusal = shell.refused("worker", code=78, **{TYPES: "send_digest,nope"})
    assert TYPES in refusal
    assert "'nope'" in refusal
    assert "send_digest" not in refusal


@pytest.mark.postgresql
def test_s1_59_a_refused_worker_never_beats(shell: Shell, conn: Connection) -> None:
    shell.refused("worker", code=78, **{TYPES: "nope"})
    assert beats(conn) == {}
    assert conn.execute(select(worker_instances)).all() == []


def test_s1_60_the_list_is_trimmed_and_never_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TYPES, " send_email, ,send_email")
    assert WorkerSettings().worker_job_types == ("send_email",)
    for empty in ("", " , "):
        monkeypatch.setenv(TYPES, empty)
        with pytest.raises(ValidationError, match="must not be empty"):
            WorkerSettings()
