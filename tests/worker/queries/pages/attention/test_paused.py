"""Pauses."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages.attention import people


def test_a_pause_without_an_end_over_waiting_jobs_needs_a_person(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, queue="mail")
    queues.pause(conn, queue="mail", actor=Actor("dana"), reason="why", now=ago(hours=1))
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="why", until=NOON + timedelta(hours=1), now=NOON)
    assert kinds(conn) == [("paused", "warn"), ("paused", "info")]
    assert people(items(conn)) == 1


def test_one_that_was_just_begun_is_only_not_forgotten(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, queue="mail")
    queues.pause(conn, queue="mail", actor=Actor("dana"), reason="why", now=ago(minutes=14))
    assert kinds(conn) == [("paused", "info")]
    assert worst(conn, "paused") == 840
