"""The newest dead letters by what went wrong."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries.pages import failures
from worker.queries.schema import dead_letter_groups


def dead(conn: Connection, minutes_ago: float, fingerprint: str | None = "f", **columns: Any) -> None:
    at = NOON - timedelta(minutes=minutes_ago)
    factories.job(conn, status=Status.FAILED, finished_at=at, error_fingerprint=fingerprint, **columns)


def group(conn: Connection, fingerprint: str, **columns: Any) -> None:
    row = {"fingerprint": fingerprint, "updated_at": NOON, "updated_by": "dana"}
    conn.execute(insert(dead_letter_groups), row | columns)


def fingerprints(conn: Connection) -> list[str | None]:
    return [each.fingerprint for each in failures.groups(conn, now=NOON)]


def test_a_group_tells_its_size_its_span_and_its_last_words(conn: Connection) -> None:
    acme, globex = new_id(), new_id()
    dead(conn, 30, error_summary="the first", tenant_id=acme)
    dead(conn, 20, error_summary="between", tenant_id=globex)
    dead(conn, 10, error_summary="the last", tenant_id=acme)
    (found,) = failures.groups(conn, now=NOON)
    assert (found.jobs, found.tenants, found.error_summary, found.fresh) == (3, 2, "the last", True)
    assert (found.first_at, found.last_at) == (NOON - timedelta(minutes=30), NOON - timedelta(minutes=10))


def test_what_still_grows_comes_first_then_what_nobody_has_then_the_greatest(conn: Connection) -> None:
    for fingerprint, minutes_ago, times in (("old", 90, 9), ("taken", 80, 5), ("small", 70, 2), ("fresh", 50, 1)):
        for _ in range(times):
            dead(conn, minutes_ago, fingerprint)
    group(conn, "taken", assignee="mira")
    assert fingerprints(conn) == ["fresh", "old", "small"]
    assert {each.groups for each in failures.groups(conn, now=NOON)} == {4}


def test_a_snoozed_group_is_left_out_until_it_wakes(conn: Connection) -> None:
    dead(conn, 5, "asleep")
    dead(conn, 5, "awake")
    group(conn, "asleep", snoozed_until=NOON + timedelta(minutes=1))
    group(conn, "awake", snoozed_until=NOON)
    assert fingerprints(conn) == ["awake"]


def test_dead_letters_without_a_fingerprint_are_one_group(conn: Connection) -> None:
    dead(conn, 5, None)
    dead(conn, 4, None)
    (found,) = failures.groups(conn, now=NOON)
    assert (found.fingerprint, found.jobs, found.first_at) == (None, 2, NOON - timedelta(minutes=5))


def test_provisioning_is_told_elsewhere(conn: Connection) -> None:
    dead(conn, 5, job_type="provision_tenant", tenant_id=factories.tenant(conn))
    assert fingerprints(conn) == []
