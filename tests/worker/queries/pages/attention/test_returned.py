"""Errors that were put aside and came back."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst
from tests.worker.queries.pages.attention.notes import note
from worker.model import Status


def test_an_error_that_came_back_is_told_as_that_and_not_once_more_as_dead(conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=5), error_fingerprint="again")
    note(conn, "again", state="resolved", state_at=ago(hours=1))
    assert kinds(conn) == [("returned", "urgent")]
    assert items(conn)[0].facts["of"].fingerprint == "again"
    assert worst(conn, "returned") == 1


def test_one_that_somebody_has_is_no_emergency(conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=5), error_fingerprint="again")
    note(conn, "again", state="returned", state_at=ago(minutes=4), assignee="mira")
    assert kinds(conn) == [("returned", "warn")]
