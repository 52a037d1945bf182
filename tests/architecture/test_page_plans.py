"""What the pages read keeps to an index, and the history behind it is neither scanned nor sorted (R13)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Executable, event

from tests.architecture.history import TABLES
from tests.architecture.test_plans import Node, plan
from worker.model import Status, new_id
from worker.queries import group_states, regrouping, titles
from worker.queries.pages import (
    checkpoints,
    dead_letters,
    group,
    groups,
    job,
    jobs,
    keyset,
    lookup,
    selection,
    step_times,
    tenant,
    worker,
)
from worker.queries.pages.filters import Filters
from worker.queries.pages.stuck import Watch

NOW = datetime.now(UTC)
RECENT, DEAD, GROUP = "ix_platform_jobs_recent", "ix_platform_jobs_dead", "ix_platform_jobs_dead_group"
READY, SCHEDULED, RUNNING = "ix_platform_jobs_ready", "ix_platform_jobs_scheduled", "ix_platform_jobs_running"
TENANT, ROW, EVENT = "ix_platform_jobs_tenant", "pk_platform_jobs", "uq_platform_jobs_event_subscriber"
ATTEMPT, KEY = "pk_job_attempts", "uq_platform_jobs_key"
STEP, STEP_DONE = "pk_job_steps", "ix_job_steps_done"

OF_GROUP = Filters(status=Status.FAILED, group="g1")
SEEN: dict[str, Any] = {"tenant_id": None, "before": NOW, "now": NOW}

Read = Callable[[Connection], Any]


def listed(**filters: Any) -> Read:
    """Reads the first page of a list and, where there is more, the second."""

    def read(conn: Connection) -> None:
        tenant_id = new_id() if "tenant" in filters else None
        wanted = Filters(**filters)
        first = jobs.read(conn, wanted, tenant_id=tenant_id, now=NOW)
        if first.older:
            jobs.read(conn, wanted, tenant_id=tenant_id, before=first.older, now=NOW)
            jobs.read(conn, wanted, tenant_id=tenant_id, after=first.older, now=NOW)

    return read


ORDERED: dict[str, tuple[Read, set[str]]] = {
    "all jobs": (listed(), {RECENT}),
    "all jobs since": (listed(since="1h"), {RECENT}),
    "a tenant's jobs": (listed(tenant="acme"), {TENANT}),
    "dead letters": (listed(status="failed"), {DEAD}),
    "dead letters that say something": (listed(status="failed", error=("timeout",)), {DEAD}),
    "the jobs of a group": (lambda conn: dead_letters.members(conn, fingerprint="g1", now=NOW), {GROUP}),
    "the trace of a group": (lambda conn: dead_letters.trace(conn, fingerprint="g1"), {GROUP}),
    "ready jobs": (listed(status="ready"), {READY}),
    "the ready jobs of a queue": (listed(status="ready", queue="queue_1"), {READY}),
    "scheduled jobs": (listed(status="scheduled"), {SCHEDULED}),
    "retrying jobs": (listed(status="retrying"), {SCHEDULED}),
    "succeeded jobs": (listed(status="succeeded"), {RECENT}),
    "the jobs of a queue": (listed(queue="queue_1"), {RECENT}),
    "all jobs, the oldest first": (listed(sort="created"), {RECENT}),
    "dead letters, the first to die first": (listed(status="failed", sort="ended"), {DEAD}),
    "dead letters, the newest first": (listed(status="failed", sort="-created"), {RECENT}),
    "scheduled jobs, the last first": (listed(status="scheduled", sort="-due"), {SCHEDULED}),
    "what a payload holds": (listed(payload=(("order", "7"),)), {RECENT}),
}
PROBED: dict[str, tuple[Read, set[str]]] = {
    "groups": (lambda conn: groups.read(conn, now=NOW), {GROUP, ATTEMPT}),
    "open groups of my own": (lambda conn: groups.read(conn, view="mine", me="lee", now=NOW), {GROUP, ATTEMPT}),
    "how many groups each view has": (lambda conn: groups.tally_of(conn, me="lee", now=NOW), {GROUP, ATTEMPT}),
    "what the newest of a group say": (lambda conn: group.messages(conn, fingerprint="g1"), {GROUP}),
    "what a group is called": (lambda conn: titles.title(conn, fingerprint="g1"), {GROUP}),
    "groups that came back": (lambda conn: group_states.bring_back(conn, now=NOW), {GROUP, ATTEMPT}),
    "letters in a group that is not theirs": (lambda conn: regrouping.regroup(conn, limit=10, now=NOW), {GROUP}),
    "what a group has in common": (lambda conn: dead_letters.traits(conn, fingerprint="g1"), {GROUP, ATTEMPT}),
    "running jobs": (listed(status="running"), {RUNNING}),
    "what a worker holds": (listed(status="running", worker="w-1"), {RUNNING}),
    "what a process runs": (lambda conn: conn.execute(worker.HOLDS, {"of_instance": "w-1"}), {RUNNING}),
    "an event's jobs": (listed(event="event-7"), {EVENT}),
    "a key's jobs": (listed(key="key-7"), {KEY, ROW}),
    "a job": (lambda conn: job.read(conn, job_id=new_id(), now=NOW), {ROW}),
    "a job's attempts": (lambda conn: job.attempts(conn, job_id=new_id()), {ATTEMPT}),
    "its siblings": (lambda conn: job.siblings(conn, event_id="event-7", now=NOW), {EVENT}),
    "how many are alike": (lambda conn: job.alike(conn, fingerprint="g1"), {GROUP}),
    "what is ahead": (lambda conn: job.ahead(conn, queue="queue_1", created_at=NOW, job_id=new_id()), {READY}),
    "what a word names": (lambda conn: lookup.look(conn, word="word"), {ROW, EVENT, KEY}),
    "a tenant's provisioning": (
        lambda conn: tenant.find(conn, name="acme", watch=Watch(frozenset({"provision"}), 300), now=NOW),
        {KEY, ATTEMPT, STEP},
    ),
    "the steps of a provisioning": (lambda conn: tenant.steps(conn, job_id=new_id(), generation=9), {STEP}),
    "what steps usually take": (step_times.usual, {STEP_DONE}),
    "what a group did before": (
        lambda conn: checkpoints.read(conn, selection.matching(OF_GROUP, **SEEN, limit=500), now=NOW),
        {GROUP, ROW, ATTEMPT, STEP},
    ),
    "a selection": (lambda conn: selection.read(conn, selection.by_id([new_id()]), now=NOW), {ROW}),
}


@pytest.mark.parametrize("name", ORDERED | PROBED)
def test_a_page_reads_only_the_index_that_is_promised(filled: Connection, name: str) -> None:
    read, promised = (ORDERED | PROBED)[name]
    for steps in plans(filled, read):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in TABLES] == []
        used = {step.index for step in steps if step.table in TABLES or step.kind.startswith("Bitmap")} - {None}
        assert used <= promised
        assert used


@pytest.mark.parametrize("name", ORDERED)
def test_only_the_rows_of_one_page_are_ever_sorted(filled: Connection, name: str) -> None:
    for steps in plans(filled, ORDERED[name][0]):
        kinds = [step.kind for step in steps]
        sorts = [place for place, kind in enumerate(kinds) if kind in ("Sort", "Incremental Sort")]
        walk = next(place for place, step in enumerate(steps) if step.table in TABLES)
        assert [place for place in sorts if "Limit" not in kinds[place:walk]] == []


def test_a_search_looks_at_no_more_than_it_says(filled: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "WINDOW", 1000)
    page = jobs.read(filled, Filters(queue="nowhere"), now=NOW)
    assert page.stopped
    assert page.rows == []


def plans(conn: Connection, read: Read) -> list[list[Node]]:
    """The plan of each statement that the reading executes."""
    statements: list[Executable] = []

    def keep(_conn: Connection, statement: Executable, *_more: object) -> None:
        statements.append(statement)

    event.listen(conn, "before_execute", keep)
    try:
        read(conn)
    finally:
        event.remove(conn, "before_execute", keep)
    assert statements
    driver: Any = conn.connection.driver_connection
    driver.prepare_threshold = None  # EXPLAIN itself takes no parameters
    return [plan(conn, statement) for statement in statements]
