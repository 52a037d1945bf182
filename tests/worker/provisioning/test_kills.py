"""Provisioners that are killed anywhere: the next run goes on where the last one died (S1-74, S1-82)."""

from __future__ import annotations

import random
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select

from tests import factories
from tests.provisioned import clear
from tests.worker.provisioning.conftest import Mortals
from tests.worker.provisioning.mortal import take, work
from tests.worker.provisioning.rig import asked, claimed, deployment, history, is_open
from tests.worker.runtime.process import end_leases
from worker.handlers.provision_tenant import provision
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries.schema import job_attempts

PLACES = ("begun", "inside", "done", "recorded")
NOTHING_INSIDE = {"sqlite": {"create_schema", "grant_app_rw"}}
"""Steps of a file that commit nothing: there is no place within them."""
STRIDE = 8


def test_a_worker_that_is_killed_at_any_boundary_leaves_what_the_next_one_finishes(
    engine: Engine, conn: Connection, mortals: Mortals, database: str, tmp_path: Path
) -> None:
    tenant_id, job_id = asked(engine, max_attempts=1000)
    deaths: dict[str, int] = {}
    for number, step in enumerate(STEPS):
        for place in PLACES:
            if place == "inside" and step in NOTHING_INSIDE.get(database, ()):
                continue
            assert mortals(work, step, place) == "killed", f"{step} {place}"
            done = number + (place == "recorded")
            row = factories.stored(conn, job_id)
            assert (row.status, row.steps_completed) == (Status.RUNNING, list(STEPS[:done])), f"{step} {place}"
            end_leases(conn)
            deaths[step] = deaths.get(step, 0) + (place != "recorded")
    assert mortals(work, "nowhere") == "lived"
    row = factories.stored(conn, job_id)
    assert (row.status, row.progress, row.steps_completed) == (Status.SUCCEEDED, 100, list(STEPS))
    assert is_open(engine, tenant_id)
    assert [path for path in (tmp_path / "objects").rglob("*") if path.is_file()] == []
    outcomes = [(step, outcome) for _, step, outcome in history(conn, job_id)]
    for step in STEPS:
        assert (outcomes.count((step, "lost")), outcomes.count((step, "done"))) == (deaths[step], 1)
    assert {outcome for _, outcome in outcomes} == {"done", "lost", "skipped"}
    ended = select(func.count()).where(job_attempts.c.outcome == "lease_expired")
    assert conn.execute(ended).scalar_one() == sum(deaths.values()) + len(STEPS)


def test_a_handler_that_is_killed_at_any_statement_or_commit_leaves_what_the_next_one_finishes(
    engine: Engine, url: str, conn: Connection, mortals: Mortals, tmp_path: Path
) -> None:
    """Every eighth of them, from another first one each time: all take minutes."""
    number, ended, killed = random.randint(1, STRIDE), "killed", 0
    while ended == "killed":
        tenant_id, job_id = asked(engine, f"acme-{number}")
        ended = mortals(take, number, job_id)
        if ended == "killed":
            assert len(factories.stored(conn, job_id).steps_completed) < len(STEPS), f"statement {number}"
            provision(deployment(url, tmp_path), claimed(engine, job_id))
        assert factories.stored(conn, job_id).steps_completed == list(STEPS), f"statement {number}"
        assert is_open(engine, tenant_id), f"statement {number}"
        assert None not in {outcome for _, _, outcome in history(conn, job_id)}, f"statement {number}"
        clear(engine, f"acme-{number}")
        number, killed = number + STRIDE, killed + (ended == "killed")
    assert ended == "lived"
    assert killed > 4
