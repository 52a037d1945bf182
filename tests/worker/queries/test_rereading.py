"""What died under an older rule is compared by the rule of today, and people's word about its group goes with it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, select

from tests import factories
from worker.database import Row
from worker.failures import RULE, alike, fingerprint, named
from worker.model import Status
from worker.queries import groups, rereading
from worker.queries.audit import Actor
from worker.queries.schema import dead_letter_groups
from worker.queries.schema import platform_jobs as job

LEE = Actor("lee")
HANDLER, KIND, SAID = "send_digest", "Timeout", "host 1 is down"
TODAY = fingerprint(HANDLER, KIND, SAID)
OLD_WORDS = "host 1 is ‹word›"
OLD = named(HANDLER, KIND, OLD_WORDS)


def die(conn: Connection, group: str = TODAY, **columns: Any) -> Any:
    said = {"job_type": HANDLER, "error_type": KIND, "error_summary": SAID, "error_fingerprint": group}
    return factories.job(conn, status=Status.FAILED, **said | columns)


def kept(conn: Connection, job_id: Any) -> Row:
    found = select(job.c.error_fingerprint, job.c.error_alike, job.c.error_rule).where(job.c.id == job_id)
    return conn.execute(found).one()


def test_what_was_never_noted_is_noted_and_stays_where_it_is(conn: Connection) -> None:
    own, moved = die(conn), die(conn, "another")
    assert rereading.reread(conn, limit=10) == 2
    assert kept(conn, own) == (TODAY, "host ‹n› is down", RULE)
    assert kept(conn, moved) == ("another", alike(SAID), RULE)
    assert rereading.reread(conn, limit=10) == 0


def test_no_more_than_so_many_are_read_at_once(conn: Connection) -> None:
    for _ in range(3):
        die(conn)
    assert [rereading.reread(conn, limit=2) for _ in range(3)] == [2, 1, 0]


def test_what_an_older_rule_grouped_moves_with_what_people_said_of_it(conn: Connection) -> None:
    groups.take(conn, fingerprint=OLD, actor=LEE)
    letter = die(conn, OLD, error_alike=OLD_WORDS, error_rule=0)
    rereading.reread(conn, limit=10)
    assert kept(conn, letter) == (TODAY, alike(SAID), RULE)
    assignee = select(dead_letter_groups.c.assignee).where(dead_letter_groups.c.fingerprint == TODAY)
    assert conn.execute(assignee).scalar_one() == "lee"


def test_where_the_new_group_is_known_already_its_own_word_stands(conn: Connection) -> None:
    groups.take(conn, fingerprint=OLD, actor=LEE)
    groups.take(conn, fingerprint=TODAY, actor=Actor("mira"))
    die(conn, OLD, error_alike=OLD_WORDS, error_rule=0)
    rereading.reread(conn, limit=10)
    assignee = select(dead_letter_groups.c.assignee).where(dead_letter_groups.c.fingerprint == TODAY)
    assert conn.execute(assignee).scalar_one() == "mira"


def test_what_an_operator_moved_under_an_older_rule_stays_there(conn: Connection) -> None:
    letter = die(conn, "another", error_alike=OLD_WORDS, error_rule=0)
    rereading.reread(conn, limit=10)
    assert kept(conn, letter).error_fingerprint == "another"


@pytest.mark.parametrize("rule", [RULE, RULE + 1])
def test_what_a_newer_worker_grouped_is_left_to_it(conn: Connection, rule: int) -> None:
    die(conn, error_rule=rule)
    assert rereading.reread(conn, limit=10) == 0
