"""Hot statements stay index scans, on a table with 200,000 finished and 50,000 queued jobs (A-22, rule R13).

Each plan is the generic one: what the server keeps once a statement is prepared, whatever the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection, Executable, text

from tests.architecture.history import TABLES
from worker.queries import (
    attempts,
    cancellations,
    claims,
    completions,
    dead_letters,
    homes,
    insertions,
    legacy,
    outbox,
    outcomes,
    provisioning,
    ready,
    recovery,
    rereading,
    retention,
    steps,
)
from worker.queries.ready import take
from worker.queries.spans import Rule, spans


@dataclass(frozen=True)
class Node:
    """One step of a plan."""

    kind: str
    table: str | None
    index: str | None


def plan(conn: Connection, statement: Executable) -> list[Node]:
    """The steps of the statement's generic plan."""
    sql = str(statement.compile(dialect=conn.dialect))  # type: ignore[attr-defined] # every statement compiles
    numbers: dict[str, str] = {}
    following = count(1)
    sql = re.sub(r"%\((\w+)\)s", lambda match: numbers.setdefault(match[1], f"${next(following)}"), sql)
    explained = conn.exec_driver_sql(f"EXPLAIN (GENERIC_PLAN, FORMAT JSON) {sql}".replace("%", "%%")).scalar_one()
    return list(_nodes(explained[0]["Plan"]))


def _nodes(step: dict[str, Any]) -> Iterator[Node]:
    yield Node(step["Node Type"], step.get("Relation Name"), step.get("Index Name"))
    for inner in step.get("Plans", ()):
        yield from _nodes(inner)


HOT = {
    "promote what is due": (ready.PROMOTE, {"ix_platform_jobs_scheduled", "pk_platform_jobs"}),
    "next due": (ready.NEXT_DUE, {"ix_platform_jobs_scheduled"}),
    "take": (ready.taking((Rule.ANYBODY,)), {"ix_platform_jobs_ready", "pk_platform_jobs"}),
    "take in rotation": (ready.taking((Rule.ANYBODY,) * 2), {"ix_platform_jobs_ready", "pk_platform_jobs"}),
    "take by legacy rules": (ready.taking(tuple(Rule)), {"ix_platform_jobs_ready", "pk_platform_jobs"}),
    "renew": (claims.RENEW, {"pk_platform_jobs"}),
    "release": (claims.RELEASE, {"pk_platform_jobs"}),
    "complete": (completions.COMPLETE, {"pk_platform_jobs"}),
    "finish": (outcomes.FINISH, {"pk_platform_jobs"}),
    "find stale": (recovery.STALE, {"ix_platform_jobs_running"}),
    "recover": (recovery.RECOVER, {"pk_platform_jobs"}),
    "go to the group that it joined": (homes.GO_HOME, {"pk_platform_jobs", "pk_dead_letter_groups"}),
    "find what an older rule grouped": (rereading.OUTDATED, {"ix_platform_jobs_dead_rule"}),
    "find by key or id": (insertions.KNOWN, {"uq_platform_jobs_key", "pk_platform_jobs"}),
    "how far a provisioning is": (provisioning.STATUS, {"uq_platform_jobs_key", "pk_tenants"}),
    "close lost steps": (steps.CLOSE_LOST, {"pk_job_steps", "pk_job_attempts"}),
    "skip steps": (steps.SKIP, {"pk_platform_jobs"}),
    "begin a step": (steps.START, {"pk_platform_jobs"}),
    "end a step": (steps.COMPLETE, {"pk_platform_jobs"}),
    "end a step's row": (steps.FINISH, {"pk_job_steps"}),
    "fail a step": (steps.FAIL, {"pk_job_steps", "pk_platform_jobs"}),
    "relay fresh events": (outbox.FRESH, {"ix_event_outbox_pending"}),
    "relay parked events": (outbox.PARKED, {"ix_event_outbox_parked"}),
    "move legacy jobs": (legacy.RETAG, {"ix_platform_jobs_ready", "ix_platform_jobs_scheduled", "pk_platform_jobs"}),
    "run again by key or id": (insertions.RETRY, {"uq_platform_jobs_key", "pk_platform_jobs"}),
    "lock a batch of outcomes": (outcomes.LOCK, {"pk_platform_jobs"}),
    "fan out": (outbox.FAN_OUT, {"pk_event_outbox"}),
    "stamp": (outbox.STAMP, {"pk_event_outbox"}),
    "lock dead letters": (dead_letters.LOCK, {"pk_platform_jobs"}),
    "replay": (dead_letters.REPLAY, {"pk_platform_jobs"}),
    "a group of dead letters": (dead_letters.MATCHING, {"ix_platform_jobs_dead_group"}),
    "cancel": (cancellations.CANCEL, {"pk_platform_jobs"}),
    "request a cancel": (cancellations.REQUEST, {"pk_platform_jobs"}),
    "supersede": (attempts.SUPERSEDE, {"pk_job_attempts", "pk_platform_jobs"}),
    "prune events": (retention.OLD_EVENTS, {"ix_event_outbox_relayed"}),
    "prune jobs": (retention.OLD_JOBS, {"ix_platform_jobs_prunable", "uq_event_outbox_event_id"}),
    "delete events": (retention.DELETE_EVENTS, {"pk_event_outbox"}),
    "delete jobs": (retention.DELETE_JOBS, {"pk_platform_jobs"}),
    "delete attempts": (retention.DELETE_ATTEMPTS, {"pk_job_attempts"}),
}


@pytest.mark.parametrize("name", HOT)
def test_a_hot_statement_reads_only_the_index_that_is_promised(filled: Connection, name: str) -> None:
    statement, promised = HOT[name]
    steps = plan(filled, statement)
    assert [step for step in steps if step.kind == "Seq Scan" and step.table in TABLES] == []
    assert {step.index for step in steps if step.table in TABLES or step.kind.startswith("Bitmap")} - {None} <= promised
    assert {step.index for step in steps} & promised


@pytest.mark.parametrize(
    "name",
    [
        "promote what is due",
        "next due",
        "take",
        "take in rotation",
        "take by legacy rules",
        "move legacy jobs",
        "relay fresh events",
        "a group of dead letters",
    ],
)
def test_the_backlog_is_never_sorted(filled: Connection, name: str) -> None:
    assert "Sort" not in {step.kind for step in plan(filled, HOT[name][0])}


def test_a_22_a_claim_finds_ten_due_jobs_behind_a_mountain_of_later_ones(filled: Connection) -> None:
    query = text(
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT id FROM control.platform_jobs WHERE status = 'queued' AND NOT"
        " scheduled AND queue >= 'queue_0' AND queue < 'queue_0 ' ORDER BY queue, created_at, id LIMIT 10"
    )
    (explained,) = filled.execute(query).scalar_one()
    assert explained["Plan"]["Shared Hit Blocks"] + explained["Plan"]["Shared Read Blocks"] < 60


@pytest.mark.parametrize("name", ["take", "take in rotation", "take by legacy rules"])
def test_pauses_are_read_once_per_span_and_joined_to_nothing(filled: Connection, name: str) -> None:
    steps = plan(filled, HOT[name][0])
    scans = [step for step in steps if step.index == "ix_platform_jobs_ready"]
    assert len([step for step in steps if step.table == "queue_controls"]) == len(scans)
    assert {step.kind for step in steps} & {"Hash Join", "Merge Join"} == set()


def test_moving_legacy_jobs_never_walks_over_what_is_finished(filled: Connection) -> None:
    scans = [step.index for step in plan(filled, legacy.RETAG) if step.kind == "Index Scan"]
    assert scans[:2] == ["ix_platform_jobs_ready", "ix_platform_jobs_scheduled"]


def test_a_claim_locks_no_more_than_it_takes(filled: Connection) -> None:
    locked_or_written = text(
        "SELECT count(*) FROM control.platform_jobs WHERE pg_current_xact_id()::text IN (xmin::text, xmax::text)"
    )
    with filled.engine.connect() as conn:
        wanted = spans(None, "queue_1")
        taken = take(conn, instance_id="me", job_types=["type_1"], wanted=wanted, limit=7, lease_seconds=30)
        touched = conn.execute(locked_or_written).scalar_one()
        assert (len(taken), touched) == (7, 7)
