"""In a tenant's lens each page walks an index of the tenant's own, however much others have (R13)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests.architecture.history import TABLES
from tests.architecture.test_page_plans import NOW, Read, plans
from worker.model import new_id
from worker.queries.pages import dead_letters, group, groups, job, jobs, selection
from worker.queries.pages.filters import Filters

TENANT = UUID(int=7)
NEWEST, WAITING = "ix_platform_jobs_tenant", "ix_platform_jobs_tenant_waiting"
DEAD, GROUP = "ix_platform_jobs_tenant_dead", "ix_platform_jobs_tenant_group"
ROW, ATTEMPT, RUNNING = "pk_platform_jobs", "pk_job_attempts", "ix_platform_jobs_running"
STATES = {GROUP, "ix_platform_jobs_dead_group", ATTEMPT}
"""How a group stands is one thing for all tenants: its newest dead letter, whosever it is, may have brought it back."""
OF_GROUP: dict[str, Any] = {"fingerprint": "g1", "tenant_id": TENANT}


def listed(**filters: Any) -> Read:
    """Reads the first page of a list in the lens and, where there is more, the second."""

    def read(conn: Connection) -> None:
        wanted = Filters(tenant="acme", **filters)
        first = jobs.read(conn, wanted, tenant_id=TENANT, now=NOW)
        if first.older:
            jobs.read(conn, wanted, tenant_id=TENANT, before=first.older, now=NOW)

    return read


def counted(**filters: Any) -> Read:
    """Counts what matches in the lens."""
    wanted = Filters(tenant="acme", **filters)
    return lambda conn: selection.count(conn, wanted, tenant_id=TENANT, before=NOW, now=NOW)


READS: dict[str, tuple[Read, set[str]]] = {
    "jobs": (listed(), {NEWEST}),
    "jobs, the oldest first": (listed(sort="created"), {NEWEST}),
    "dead letters": (listed(status="failed"), {DEAD}),
    "dead letters that say something": (listed(status="failed", error=("timeout",)), {DEAD}),
    "ready jobs": (listed(status="ready"), {WAITING}),
    "scheduled jobs": (listed(status="scheduled"), {WAITING}),
    "the scheduled jobs of a queue": (listed(status="scheduled", queue="queue_1"), {WAITING}),
    "retrying jobs": (listed(status="retrying"), {WAITING}),
    "running jobs": (listed(status="running"), {RUNNING}),
    "succeeded jobs": (listed(status="succeeded"), {NEWEST}),
    "how many dead letters match": (counted(status="failed", queue="queue_1"), {DEAD}),
    "how many ready jobs match": (counted(status="ready"), {WAITING}),
    "groups": (lambda conn: groups.read(conn, tenant_id=TENANT, now=NOW), STATES),
    "groups of my own": (
        lambda conn: groups.read(conn, view="mine", me="lee", tenant_id=TENANT, now=NOW),
        STATES,
    ),
    "one group": (lambda conn: groups.one(conn, **OF_GROUP, now=NOW), STATES),
    "how many groups each view has": (
        lambda conn: groups.tally_of(conn, me="lee", tenant_id=TENANT, now=NOW),
        STATES,
    ),
    "the jobs of a group": (lambda conn: dead_letters.members(conn, **OF_GROUP, now=NOW), {GROUP}),
    "what a group has in common": (lambda conn: dead_letters.traits(conn, **OF_GROUP), {GROUP, ATTEMPT}),
    "the trace of a group": (lambda conn: dead_letters.trace(conn, **OF_GROUP), {GROUP}),
    "what the newest of a group say": (lambda conn: group.messages(conn, **OF_GROUP), {GROUP}),
    "how many are alike": (lambda conn: job.alike(conn, **OF_GROUP), {GROUP}),
    "a selection": (
        lambda conn: selection.read(conn, selection.by_id([new_id()], tenant_id=TENANT), now=NOW),
        {ROW},
    ),
}


@pytest.mark.parametrize("name", READS)
def test_a_page_in_the_lens_reads_only_the_index_that_is_promised(filled: Connection, name: str) -> None:
    read, promised = READS[name]
    for steps in plans(filled, read):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in TABLES] == []
        used = {step.index for step in steps if step.table in TABLES or step.kind.startswith("Bitmap")} - {None}
        assert used & promised - {ATTEMPT, "ix_platform_jobs_dead_group"}
        assert used <= promised
