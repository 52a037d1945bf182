"""A shift as the page reads it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.bulk_acts.desk import MIRA, press
from worker.failures import fingerprint
from worker.model import Status
from worker.queries import groups, queues, workers
from worker.queries.audit import record
from worker.queries.bulk_acts.acts import Mode
from worker.queries.pages import figures, hand_over
from worker.queries.pages.hand_over import HandOver

SINCE = NOON - timedelta(hours=8)


def named(said: str = "host is down") -> str:
    return fingerprint("send_digest", "Timeout", said)


def shift(conn: Connection, since: datetime = SINCE, until: datetime = NOON) -> HandOver:
    return hand_over.read(conn, figures.sample(conn, now=NOON), since=since, until=until, now=NOON)


def die(conn: Connection, hours_ago: float, said: str = "host is down") -> Any:
    at = NOON - timedelta(hours=hours_ago)
    error = {"error_type": "Timeout", "error_summary": said, "error_fingerprint": named(said)}
    return factories.job(conn, status=Status.FAILED, job_type="send_digest", finished_at=at, **error)


def test_only_what_was_done_in_the_shift_is_told_the_newest_first(conn: Connection) -> None:
    for number, hours in enumerate((9, 7, 1, 0)):
        record(conn, actor=MIRA, action="note", reason=str(number), now=NOON - timedelta(hours=hours))
    assert [row.reason for row in shift(conn).trail] == ["3", "2", "1"]
    assert [row.reason for row in shift(conn, until=NOON - timedelta(hours=1)).trail] == ["2", "1"]
    assert not shift(conn).capped


def test_a_snooze_is_told_when_it_ends_in_the_next_eight_hours(conn: Connection) -> None:
    die(conn, 20)
    groups.snooze(conn, fingerprint=named(), actor=MIRA, until=NOON + timedelta(hours=9), now=NOON)
    assert shift(conn).waking == []
    groups.reopen(conn, fingerprint=named(), actor=MIRA, now=NOON)
    assert [each.fingerprint for each in shift(conn).open_groups] == [named()]
    groups.snooze(conn, fingerprint=named(), actor=MIRA, until=NOON + timedelta(hours=7), now=NOON)
    assert [each.fingerprint for each in shift(conn).waking] == [named()]
    assert shift(conn).open_groups == []


def test_dead_letters_and_errors_of_the_shift_are_told_apart_from_older_ones(conn: Connection) -> None:
    die(conn, 20)
    die(conn, 2)
    die(conn, 1, "disk is full")
    found = shift(conn)
    assert (found.dead, found.dead_capped, len(found.open_groups)) == (2, False, 2)
    assert [each.error_summary for each in found.new_groups] == ["disk is full"]


def test_what_is_paused_drains_or_moves_still_is_open(conn: Connection) -> None:
    queues.pause(conn, queue="mail", actor=MIRA, reason="provider down", now=NOON - timedelta(days=2))
    factories.job(conn, queue="mail")
    instance = factories.worker_instance(conn)
    workers.request_drain(conn, instance_id=instance, actor=MIRA, now=NOON)
    jobs = [die(conn, 1), die(conn, 1)]
    press(conn, jobs, who=MIRA, mode=Mode.ONE_FIRST)
    found = shift(conn)
    assert [(each.of.queue, each.of.paused_by, each.waiting) for each in found.paused] == [("mail", "mira", 1)]
    assert [each.instance_id for each in found.draining] == [instance]
    assert [(each.action, each.chosen, each.actor) for each in found.open_acts] == [("replay", 2, "mira")]
