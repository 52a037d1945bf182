"""Dead letters by what went wrong."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs
from worker.model import Status
from worker.queries import grouping
from worker.queries import groups as actions
from worker.queries.audit import Actor
from worker.queries.pages import group, groups
from worker.queries.schema import dead_letter_groups

A, B, C = "a" * 16, "b" * 16, "lease-expired:crm.sync"


def die(conn: Connection, fingerprint: str, at: datetime, **columns: object) -> UUID:
    return factories.job(conn, status=Status.FAILED, error_fingerprint=fingerprint, finished_at=at, **columns)


def test_each_error_is_a_group_and_the_one_that_grew_last_comes_first(conn: Connection) -> None:
    acme, globex = factories.tenant(conn), factories.tenant(conn, "globex")
    die(conn, A, NOON - timedelta(hours=2), tenant_id=acme, error_summary="old words")
    die(conn, A, NOON - timedelta(minutes=1), tenant_id=globex, error_summary="new words", queue="mail")
    die(conn, A, NOON - timedelta(hours=1), tenant_id=acme)
    die(conn, B, NOON - timedelta(minutes=5), job_type="charge_card")
    die(conn, C, NOON - timedelta(minutes=9))
    factories.job(conn)
    factories.job(conn, status=Status.SUCCEEDED)
    first, second, third = groups.read(conn, now=NOON)
    assert [first.fingerprint, second.fingerprint, third.fingerprint] == [A, B, C]
    assert (first.jobs, first.tenants, first.error_summary, first.queue) == (3, 2, "new words", "mail")
    assert (first.first_at, first.last_at) == (NOON - timedelta(hours=2), NOON - timedelta(minutes=1))
    assert (second.jobs, second.tenants, second.handler_key) == (1, 0, "charge_card")


def test_without_dead_letters_there_is_no_group(conn: Connection) -> None:
    factories.job(conn, status=Status.CANCELLED)
    assert groups.read(conn, now=NOON) == []
    assert groups.one(conn, fingerprint=A, now=NOON) is None


def test_all_groups_share_one_axis_that_ends_now(conn: Connection) -> None:
    die(conn, A, NOON - timedelta(minutes=32))
    die(conn, A, NOON)
    die(conn, B, NOON - timedelta(minutes=15, seconds=30))
    first, second = groups.read(conn, now=NOON)
    assert first.axis_from == second.axis_from == NOON - timedelta(minutes=32)
    assert len(first.counts) == len(second.counts) == groups.SLOTS
    assert [slot for slot, jobs in enumerate(first.counts) if jobs] == [0, 31]
    assert [slot for slot, jobs in enumerate(second.counts) if jobs] == [16]


def test_the_axis_reaches_back_a_day_at_most(conn: Connection) -> None:
    die(conn, A, NOON - timedelta(days=3))
    (group,) = groups.read(conn, now=NOON)
    assert group.axis_from == NOON - timedelta(days=1)
    assert (group.jobs, sum(group.counts)) == (1, 0)


def test_a_group_can_be_read_alone(conn: Connection) -> None:
    die(conn, A, NOON)
    die(conn, B, NOON)
    group = groups.one(conn, fingerprint=B, now=NOON)
    assert group
    assert (group.fingerprint, group.jobs) == (B, 1)


def test_what_somebody_noted_on_a_group_comes_with_it(conn: Connection) -> None:
    die(conn, A, NOON)
    row = {"fingerprint": A, "assignee": "lee", "note": "fixed tonight", "updated_at": NOON, "updated_by": "lee"}
    conn.execute(insert(dead_letter_groups), row)
    (group,) = groups.read(conn, now=NOON)
    assert (group.assignee, group.note) == ("lee", "fixed tonight")


def test_counting_ends_and_says_so(conn: Connection) -> None:
    jobs(conn, groups.COUNTED + 5, status=Status.FAILED, error_fingerprint=A)
    jobs(conn, groups.SAMPLED, status=Status.FAILED, error_fingerprint=B)
    many, few = sorted(groups.read(conn, now=NOON), key=lambda group: -group.jobs)
    assert (many.jobs, many.capped, many.sampled) == (groups.COUNTED, True, True)
    assert (few.jobs, few.capped, few.sampled) == (groups.SAMPLED, False, False)


def test_each_view_has_its_groups_and_the_tally_counts_them(conn: Connection) -> None:
    lee = Actor("lee")
    for number, fingerprint in enumerate((A, B, C)):
        die(conn, fingerprint, NOON - timedelta(minutes=number))
    actions.take(conn, fingerprint=A, actor=lee, now=NOON)
    actions.resolve(conn, fingerprint=B, actor=lee, release="2", now=NOON)
    seen = {view: groups.read(conn, view=view, me="lee", now=NOON) for view in groups.VIEWS}
    found = {view: [each.fingerprint for each in them] for view, them in seen.items()}
    assert found == {"open": [A, C], "mine": [A], "snoozed": [], "resolved": [B], "all": [A, B, C]}
    assert groups.tally_of(conn, me="lee", now=NOON) == {"open": 2, "mine": 1, "resolved": 1, "all": 3}
    (resolved,) = seen["resolved"]
    assert (resolved.state, resolved.state_at, resolved.state_by, resolved.resolved_in) == (
        "resolved",
        NOON,
        "lee",
        "2",
    )


def test_what_a_group_says_is_counted_and_its_acts_and_rules_are_told(conn: Connection) -> None:
    for summary in ("host 1", "host 1", "host 2"):
        die(conn, A, NOON, error_summary=summary)
    die(conn, B, NOON)
    grouping.merge(conn, fingerprint=B, into=A, actor=Actor("lee"), now=NOON)
    said = [(row.message, row.jobs) for row in group.messages(conn, fingerprint=A)]
    assert said[0] == ("host 1", 2)
    assert [row.action for row in group.acts(conn, fingerprint=B)] == ["merge"]
    assert [(row.fingerprint, row.merged_into) for row in group.related(conn, fingerprint=A)] == [(B, A)]
