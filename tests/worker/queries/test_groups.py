"""What people do about a group, and what it does by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, insert, select

from tests import factories
from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import Status
from worker.queries import group_states, groups
from worker.queries.audit import Actor
from worker.queries.group_states import GroupState
from worker.queries.schema import dead_letter_groups, job_attempts, operator_actions, releases

A = "a" * 16
LEE, DANA = Actor("lee"), Actor("dana")
NEXT = NOON + timedelta(minutes=1)


def die(conn: Connection, at: datetime = NEXT, *, worker: str | None = None) -> UUID:
    """A dead letter of the group, and the attempt it died of."""
    job_id = factories.job(conn, status=Status.FAILED, error_fingerprint=A, finished_at=at, generation=5)
    if worker:
        row = {"job_id": job_id, "generation": 5, "attempt": 5, "worker_id": worker, "claimed_at": at}
        conn.execute(insert(job_attempts), row | {"finished_at": at, "outcome": "dead_letter"})
    return job_id


def state(conn: Connection, now: datetime = NEXT) -> str:
    return conn.execute(
        select(group_states.STATE).where(dead_letter_groups.c.fingerprint == A), {"at_now": now}
    ).scalar_one()


def row(conn: Connection) -> Any:
    return conn.execute(select(dead_letter_groups).where(dead_letter_groups.c.fingerprint == A)).one()


def acts(conn: Connection) -> list[tuple[str, str]]:
    rows = conn.execute(select(operator_actions.c.action, operator_actions.c.actor).order_by(operator_actions.c.id))
    return [(each.action, each.actor) for each in rows]


def test_a_group_that_was_taken_is_somebodys_and_the_trail_says_so(conn: Connection) -> None:
    assert groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    assert (state(conn), row(conn).assignee, row(conn).state_by, row(conn).state_at) == ("taken", "lee", "lee", NOON)
    assert acts(conn) == [("take", "lee")]


def test_of_two_who_take_a_group_that_nobody_had_the_second_learns_that_somebody_has_it(conn: Connection) -> None:
    assert groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    assert not groups.take(conn, fingerprint=A, actor=DANA, now=NOON)
    assert (row(conn).assignee, acts(conn)) == ("lee", [("take", "lee")])


def test_it_can_be_taken_from_whom_it_was_seen_with(conn: Connection) -> None:
    groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    assert groups.take(conn, fingerprint=A, actor=DANA, seen_with="lee", now=NOON)
    assert row(conn).assignee == "dana"


def test_a_group_that_is_given_back_is_nobodys(conn: Connection) -> None:
    groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    assert groups.give_back(conn, fingerprint=A, actor=LEE, seen_with="lee", now=NOON)
    assert (state(conn), row(conn).assignee) == ("new", None)
    assert not groups.give_back(conn, fingerprint=A, actor=LEE, seen_with="lee", now=NOON)
    assert acts(conn) == [("take", "lee"), ("give-back", "lee")]


def test_a_group_sleeps_until_a_time_whatever_dies(conn: Connection) -> None:
    groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    groups.snooze(conn, fingerprint=A, actor=LEE, until=NOON + timedelta(hours=1), now=NOON)
    die(conn)
    assert state(conn) == "snoozed"
    assert state(conn, NOON + timedelta(hours=1)) == "taken"
    assert group_states.bring_back(conn, now=NOON + timedelta(hours=1)) == []


def test_a_group_sleeps_until_it_happens_again(conn: Connection) -> None:
    die(conn, NOON - timedelta(hours=1))
    groups.snooze(conn, fingerprint=A, actor=LEE, now=NOON)
    assert state(conn) == "snoozed"
    die(conn)
    assert state(conn) == "returned"


def test_a_group_sleeps_until_more_die_within_an_hour_than_it_bears(conn: Connection) -> None:
    for minutes in (1, 2):
        die(conn, NOON - timedelta(minutes=minutes))
    groups.snooze(conn, fingerprint=A, actor=LEE, rate=2, now=NOON)
    for minutes in (10, 100, 101):
        die(conn, NOON + timedelta(minutes=minutes))
    assert state(conn, NOON + timedelta(minutes=102)) == "snoozed"
    die(conn, NOON + timedelta(minutes=103))
    assert state(conn, NOON + timedelta(minutes=103)) == "returned"


def test_what_was_resolved_returns_by_itself_and_stays_so_though_the_letter_be_replayed(conn: Connection) -> None:
    groups.resolve(conn, fingerprint=A, actor=LEE, reason="fixed the template", now=NOON)
    assert (state(conn), group_states.bring_back(conn, now=NEXT)) == ("resolved", [])
    die(conn)
    assert state(conn) == "returned"
    assert group_states.bring_back(conn, now=NEXT) == [A]
    assert (row(conn).state, row(conn).state_by) == ("returned", "watchfloor")
    assert acts(conn) == [("resolve", "lee"), ("return", "watchfloor")]
    assert group_states.bring_back(conn, now=NEXT) == []


def test_resolved_in_a_release_only_deaths_under_it_count(conn: Connection) -> None:
    old = factories.worker_instance(conn, "w-old", version="1", started_at=NOON - timedelta(days=1))
    new = factories.worker_instance(conn, "w-new", version="2", started_at=NOON + timedelta(minutes=30))
    groups.resolve(conn, fingerprint=A, actor=LEE, release="2", now=NOON)
    later = NOON + timedelta(hours=1)
    die(conn, NOON + timedelta(minutes=40), worker=old)
    assert state(conn, later) == "resolved"
    die(conn, NOON + timedelta(minutes=45), worker=new)
    assert state(conn, later) == "returned"


def test_a_release_after_the_one_it_was_resolved_in_counts_too(conn: Connection) -> None:
    conn.execute(insert(releases), {"name": "2", "at": NOON + timedelta(minutes=10), "told_by": "lee"})
    old = factories.worker_instance(conn, "w-old", version="1", started_at=NOON - timedelta(days=1))
    newer = factories.worker_instance(conn, "w-newer", version="3", started_at=NOON + timedelta(minutes=30))
    groups.resolve(conn, fingerprint=A, actor=LEE, release="2", now=NOON)
    later = NOON + timedelta(hours=1)
    die(conn, NOON + timedelta(minutes=40), worker=old)
    assert state(conn, later) == "resolved"
    die(conn, NOON + timedelta(minutes=45), worker=newer)
    assert state(conn, later) == "returned"


@pytest.mark.parametrize(("comes", "then"), [(False, "returned"), (True, "resolved")])
def test_a_release_that_does_not_come_is_waited_for_a_week_and_no_longer(
    conn: Connection, comes: bool, then: str
) -> None:
    old = factories.worker_instance(conn, "w-old", version="1", started_at=NOON - timedelta(days=1))
    groups.resolve(conn, fingerprint=A, actor=LEE, release="2", now=NOON)
    die(conn, NOON + timedelta(days=6), worker=old)
    week, later = NOON + group_states.PATIENCE, NOON + timedelta(days=8)
    assert state(conn, later) == "resolved"
    if comes:
        conn.execute(insert(releases), {"name": "2", "at": week, "told_by": "lee"})
    die(conn, week + timedelta(minutes=1), worker=old)
    assert state(conn, later) == then


@pytest.mark.parametrize(("owned", "then"), [(True, GroupState.TAKEN), (False, GroupState.NEW)])
def test_what_is_reopened_is_its_owners_or_nobodys(conn: Connection, owned: bool, then: GroupState) -> None:
    if owned:
        groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    assert not groups.reopen(conn, fingerprint=A, actor=DANA, now=NOON)
    groups.resolve(conn, fingerprint=A, actor=LEE, release="2", now=NOON)
    assert groups.reopen(conn, fingerprint=A, actor=DANA, now=NOON)
    assert (state(conn), row(conn).resolved_in) == (then, None)


def test_a_note_stays_whatever_becomes_of_the_group_and_can_be_wiped_away(conn: Connection) -> None:
    groups.write_note(conn, fingerprint=A, actor=LEE, note="ask the storage team", now=NOON)
    groups.take(conn, fingerprint=A, actor=DANA, now=NOON)
    assert (row(conn).note, row(conn).state) == ("ask the storage team", "taken")
    groups.write_note(conn, fingerprint=A, actor=DANA, note="", now=NOON)
    assert (row(conn).note, row(conn).assignee) == (None, "dana")


@pytest.mark.parametrize("given", [{"rate": 0}, {"rate": 1001}, {"rate": 3, "until": NEXT}])
def test_a_snooze_that_makes_no_sense_is_refused(conn: Connection, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        groups.snooze(conn, fingerprint=A, actor=LEE, now=NOON, **given)
    assert acts(conn) == []


@pytest.mark.postgresql
def test_what_somebody_puts_to_sleep_anew_at_that_moment_sleeps_on(engine: Engine, conn: Connection) -> None:
    groups.snooze(conn, fingerprint=A, actor=LEE, now=NOON)
    die(conn)
    with engine.begin() as mine:
        groups.snooze(mine, fingerprint=A, actor=DANA, now=NEXT)
        assert group_states.bring_back(conn, now=NEXT) == []
    assert group_states.bring_back(conn, now=NEXT) == []
    assert row(conn).state == "snoozed"
