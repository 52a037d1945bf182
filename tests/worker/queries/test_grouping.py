"""Groups by the operator's hand: joined, parted, split and joined again, for what has died and for what will."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import Connection, select

from tests import factories
from tests.factories import NOON
from tests.worker.queries.bulk_acts.desk import SAME, ran
from worker.errors import InvalidInput
from worker.failures import exact_fingerprint, fingerprint
from worker.model import Status
from worker.queries import grouping, regrouping
from worker.queries.audit import Actor
from worker.queries.schema import dead_letter_groups, operator_actions
from worker.queries.schema import platform_jobs as job

LEE = Actor("lee")
HANDLER, KIND = "send_digest", "Timeout"
SAID, OTHER = "host 1 is down", "no answer from the host"
A, B = fingerprint(HANDLER, KIND, SAID), fingerprint(HANDLER, KIND, OTHER)


def die(conn: Connection, summary: str = SAID, group: str | None = None) -> UUID:
    return factories.job(
        conn,
        status=Status.FAILED,
        job_type=HANDLER,
        error_type=KIND,
        error_summary=summary,
        error_fingerprint=group or fingerprint(HANDLER, KIND, summary),
    )


def group_of(conn: Connection, job_id: UUID) -> str:
    return str(conn.execute(select(job.c.error_fingerprint).where(job.c.id == job_id)).scalar_one())


def merge(conn: Connection, one: str = A, into: str = B) -> int:
    return grouping.merge(conn, fingerprint=one, into=into, actor=LEE, now=NOON)


def test_a_group_that_joins_another_brings_its_letters_and_those_to_come(conn: Connection) -> None:
    first, other = die(conn), die(conn, OTHER)
    assert merge(conn) == 1
    assert (group_of(conn, first), group_of(conn, other)) == (B, B)
    later = die(conn)
    assert regrouping.regroup(conn, limit=10, now=NOON) == 1
    assert group_of(conn, later) == B
    assert regrouping.regroup(conn, limit=10, now=NOON) == 0


def test_what_had_joined_a_group_comes_along_when_that_one_joins_another(conn: Connection) -> None:
    merge(conn)
    merge(conn, B, "c")
    letter = die(conn)
    regrouping.regroup(conn, limit=10, now=NOON)
    assert group_of(conn, letter) == "c"


@pytest.mark.parametrize("into", [A, B])
def test_no_group_joins_itself_whatever_the_way(conn: Connection, into: str) -> None:
    merge(conn, B, A)
    with pytest.raises(InvalidInput, match="into"):
        merge(conn, A, into)


def test_a_group_that_leaves_takes_its_own_letters_with_it(conn: Connection) -> None:
    own, other = die(conn), die(conn, OTHER)
    expired = die(conn, group=f"lease-expired:{HANDLER}")
    merge(conn)
    assert grouping.part(conn, fingerprint=A, actor=LEE, now=NOON) == 1
    assert [group_of(conn, each) for each in (own, other)] == [A, B]
    assert group_of(conn, expired) == f"lease-expired:{HANDLER}"
    assert grouping.part(conn, fingerprint=A, actor=LEE, now=NOON) is None


def test_messages_that_are_kept_apart_are_a_group_each(conn: Connection) -> None:
    letters = [die(conn, f"host {number} is down") for number in (1, 1, 2)]
    assert grouping.split(conn, fingerprint=A, actor=LEE, now=NOON) == 3
    groups = [group_of(conn, each) for each in letters]
    assert groups == [exact_fingerprint(HANDLER, KIND, f"host {number} is down") for number in (1, 1, 2)]
    made = conn.execute(select(dead_letter_groups.c.title).where(dead_letter_groups.c.split_from == A)).scalars()
    assert sorted(made) == ["Timeout: host 1 is down", "Timeout: host 2 is down"]
    assert grouping.split(conn, fingerprint=A, actor=LEE, now=NOON) is None


def test_of_a_thousand_messages_most_stay_together_as_the_rest(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regrouping, "MOST_PARTS", 3)
    letters = [die(conn, f"host {number} is down") for number in range(6)]
    grouping.split(conn, fingerprint=A, actor=LEE, now=NOON)
    assert len({group_of(conn, each) for each in letters}) == 3
    later = die(conn, "host 77 is down")
    assert regrouping.regroup(conn, limit=10, now=NOON) == 1
    assert group_of(conn, later) == exact_fingerprint(HANDLER, KIND, "…")


def test_messages_that_are_grouped_again_are_one_group_and_can_be_split_anew(conn: Connection) -> None:
    letters = [die(conn, f"host {number} is down") for number in (1, 2)]
    grouping.split(conn, fingerprint=A, actor=LEE, now=NOON)
    assert grouping.rejoin(conn, fingerprint=A, actor=LEE, now=NOON) == 2
    assert {group_of(conn, each) for each in letters} == {A}
    assert grouping.rejoin(conn, fingerprint=A, actor=LEE, now=NOON) is None
    assert grouping.split(conn, fingerprint=A, actor=LEE, now=NOON) == 2
    assert len({group_of(conn, each) for each in letters}) == 2
    actions = conn.execute(select(operator_actions.c.action).order_by(operator_actions.c.id)).scalars()
    assert list(actions) == ["split", "rejoin", "split"]


def test_only_dead_letters_are_moved(conn: Connection) -> None:
    die(conn)
    retried = factories.job(conn, attempts=1, error_fingerprint=A)
    assert merge(conn) == 1
    assert group_of(conn, retried) == A


def test_a_part_does_not_join_the_group_that_is_kept_apart(conn: Connection) -> None:
    die(conn, "host 1 is down")
    grouping.split(conn, fingerprint=A, actor=LEE, now=NOON)
    with pytest.raises(InvalidInput, match="kept apart"):
        merge(conn, exact_fingerprint(HANDLER, KIND, "host 1 is down"), A)
    assert regrouping.regroup(conn, limit=10, now=NOON) == 0


def test_a_group_that_joined_another_is_not_kept_apart_by_itself(conn: Connection) -> None:
    merge(conn)
    assert grouping.split(conn, fingerprint=A, actor=LEE, now=NOON) is None
    letter = die(conn)
    assert regrouping.regroup(conn, limit=10, now=NOON) == 1
    assert group_of(conn, letter) == B


def test_what_dies_of_an_error_that_joined_another_group_is_in_that_one_at_once(conn: Connection) -> None:
    grouping.merge(conn, fingerprint=SAME.fingerprint, into=B, actor=LEE, now=NOON)
    letter = factories.job(conn)
    assert ran(conn, NOON, SAME) == 1
    assert group_of(conn, letter) == B
