"""How long each step usually takes: the last finished runs of the whole fleet."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.queries.pages import step_times
from worker.queries.pages.step_times import LAST, Usual


def took(conn: Connection, *seconds: float, step: str = "create_schema", outcome: str = "done", day: int = 0) -> None:
    """Runs that took so long, a minute apart, the first of them the oldest."""
    for number, each in enumerate(seconds):
        began = NOON + timedelta(days=day, minutes=number)
        times = {"started_at": began, "finished_at": began + timedelta(seconds=each)}
        factories.job_step(conn, factories.job(conn), 1, step, outcome=outcome, **times)


def test_the_middle_and_what_95_of_100_did_not_exceed(conn: Connection) -> None:
    took(conn, *(float(each) for each in range(1, 41)))
    assert step_times.usual(conn) == {"create_schema": Usual(40, median=20, p95=38)}


def test_each_step_has_its_own_times(conn: Connection) -> None:
    took(conn, 1, 2, 3, 4, 5)
    took(conn, 10, 20, 30, 40, 50, step="grant_app_rw")
    found = step_times.usual(conn)
    assert {step: (each.runs, each.median, each.p95) for step, each in found.items()} == {
        "create_schema": (5, 3, 5),
        "grant_app_rw": (5, 30, 50),
    }


def test_under_five_runs_there_is_no_usual_time(conn: Connection) -> None:
    took(conn, 1, 2, 3, 4)
    assert step_times.usual(conn) == {}


@pytest.mark.parametrize("outcome", ["failed", "lost", "skipped"])
def test_only_what_was_done_counts(conn: Connection, outcome: str) -> None:
    took(conn, 1, 1, 1, 1, 1)
    took(conn, 900, 900, 900, outcome=outcome)
    assert step_times.usual(conn) == {"create_schema": Usual(5, 1, 1)}


def test_the_last_runs_count_and_none_before(conn: Connection) -> None:
    took(conn, *[60.0] * 10)
    took(conn, *[2.0] * LAST, day=1)
    assert step_times.usual(conn) == {"create_schema": Usual(LAST, 2, 2)}
