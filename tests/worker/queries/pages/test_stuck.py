"""Provisionings that do not get on: nobody takes them, or no step of theirs has ended for long."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests.factories import NOON
from tests.worker.queries.pages import rows
from tests.worker.queries.pages.rows import provisioned, ran
from worker.model import Status
from worker.queries.pages import tenants
from worker.queries.pages.stuck import Watch
from worker.queries.pages.tenants import Wanted

LONG_AGO, JUST_NOW = NOON - timedelta(minutes=6), NOON - timedelta(seconds=4)


def stuck(conn: Connection, *, served: frozenset[str] | None = frozenset({"default"})) -> dict[str, str | None]:
    """Who is stuck, and why."""
    page = tenants.page(conn, Wanted(state="stuck"), watch=Watch(served, after_seconds=300), now=NOON)
    return {line.row.slug: line.stuck for line in page.lines}


@pytest.mark.parametrize(
    ("served", "found"),
    [(frozenset({"default"}), ["retrying", "untaken"]), (None, []), (frozenset(), ["retrying", "taken", "untaken"])],
)
def test_what_nobody_live_takes_is(conn: Connection, served: frozenset[str] | None, found: list[str]) -> None:
    provisioned(conn, "taken")
    provisioned(conn, "untaken", queue="elsewhere")
    provisioned(conn, "retrying", queue="elsewhere", attempts=1, generation=1, updated_at=JUST_NOW)
    provisioned(conn, "running", queue="elsewhere", status=Status.RUNNING)
    provisioned(conn, "failed", queue="elsewhere", status=Status.FAILED)
    assert stuck(conn, served=served) == dict.fromkeys(found, "untaken")


def test_what_runs_or_retries_and_has_finished_no_step_for_too_long_is(conn: Connection) -> None:
    for slug, since in (("hanging", LONG_AGO), ("running", JUST_NOW)):
        provisioned(conn, slug, status=Status.RUNNING, locked_at=since)
    for slug, first_try in (("hopeless", LONG_AGO), ("retrying", JUST_NOW)):
        job_id = provisioned(conn, slug, attempts=3, generation=7, updated_at=JUST_NOW)
        rows.attempt(conn, job_id, 5, claimed_at=first_try)
    provisioned(conn, "waiting", created_at=LONG_AGO)
    assert stuck(conn) == {"hanging": "idle", "hopeless": "idle"}


def test_a_step_that_ended_well_lately_is_progress_and_one_that_failed_or_was_skipped_is_none(conn: Connection) -> None:
    for slug, outcome in (("slow", "done"), ("failing", "failed"), ("resumed", "skipped")):
        ran(conn, provisioned(conn, slug, status=Status.RUNNING, locked_at=LONG_AGO), 0, outcome, at=JUST_NOW)
    assert list(stuck(conn)) == ["failing", "resumed"]


def test_what_was_asked_for_again_is_not_for_what_came_before(conn: Connection) -> None:
    job_id = provisioned(conn, "again", status=Status.RUNNING, attempts=1, generation=6, locked_at=JUST_NOW)
    for generation in range(1, 6):
        rows.attempt(conn, job_id, generation, claimed_at=LONG_AGO)
    ran(conn, job_id, 0, at=LONG_AGO)
    assert stuck(conn) == {}
