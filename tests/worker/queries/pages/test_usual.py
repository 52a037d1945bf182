"""What is usual: from enough runs, of the hour for nothing, of the day where asked."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection

from tests.factories import NOON
from worker.model import AttemptOutcome
from worker.queries import statistics
from worker.queries.pages import figures, usual
from worker.queries.pages.usual import Usual
from worker.queries.statistics import Measured


def ran(conn: Connection, handler: str, *seconds: float, at: datetime = NOON, outcome: str = "completed") -> None:
    measured = [Measured(handler, "default", AttemptOutcome(outcome), each * 1000, 0) for each in seconds]
    statistics.add(conn, measured, now=at)


def test_the_last_hour_says_what_is_usual(conn: Connection) -> None:
    ran(conn, "mail", *[0.02] * 19, 2.0)
    ran(conn, "mail", *[99.0] * 30, outcome="failed")
    found = usual.of_hour(figures.sample(conn, now=NOON))
    assert found["mail"].runs == 20
    assert 0.01 <= found["mail"].median <= 0.03
    assert found["mail"].tail <= 3


def test_a_few_runs_say_nothing(conn: Connection) -> None:
    ran(conn, "mail", *[0.02] * (usual.ENOUGH - 1))
    assert usual.of_hour(figures.sample(conn, now=NOON)) == {}


def test_a_day_knows_what_an_hour_forgot_and_only_of_whom_it_is_asked(conn: Connection) -> None:
    for handler in ("train", "mail"):
        ran(conn, handler, *[200.0] * 5, at=NOON - timedelta(hours=20))
    ran(conn, "train", *[0.02] * 5, at=NOON - timedelta(hours=25))
    found = usual.of_day(conn, handlers={"train"}, now=NOON)
    assert found.keys() == {"train"}
    assert found["train"].runs == 5
    assert 100 <= found["train"].median <= 300
    assert usual.of_day(conn, handlers=(), now=NOON) == {}


@pytest.mark.parametrize(
    ("ran_seconds", "slow"), [(4.9, False), (30, True), (20, False)], ids=["a moment", "far longer", "about as long"]
)
def test_slow_is_far_beyond_nearly_all_others(ran_seconds: float, slow: bool) -> None:
    assert Usual(runs=50, median=2, tail=10).is_slow(timedelta(seconds=ran_seconds)) is slow
    assert Usual(runs=50, median=2, tail=10).times(timedelta(seconds=30)) == 15
    assert not Usual(runs=50, median=0.01, tail=0.02).is_slow(timedelta(seconds=4))
