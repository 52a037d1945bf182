"""Runs of backfills: one runner at a time, once an interval, whoever asks."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, select

from tests.factories import NOON
from worker.queries import nets
from worker.queries.schema import net_runs

HOUR = timedelta(hours=1)


def take(conn: Connection, runner: str, later: timedelta = timedelta(0)) -> bool:
    """Ask to run the backfill of an hourly net, for half an hour at most."""
    return nets.take(
        conn, subscriber_id="cache.warm", runner=runner, every_seconds=3600, lease_seconds=1800, now=NOON + later
    )


def test_the_first_to_ask_runs_it_and_the_next_an_interval_later(conn: Connection) -> None:
    assert take(conn, "a")
    nets.finish(conn, subscriber_id="cache.warm", runner="a", now=NOON + timedelta(minutes=1))
    assert not take(conn, "b", HOUR - timedelta(seconds=1))
    assert take(conn, "b", HOUR)
    assert not take(conn, "a", HOUR)


@pytest.mark.parametrize("runner", ["a", "b"])
def test_a_runner_that_died_is_followed_by_another_once_its_time_is_over(conn: Connection, runner: str) -> None:
    assert nets.take(conn, subscriber_id="cache.warm", runner="a", every_seconds=3600, lease_seconds=7200, now=NOON)
    assert not take(conn, runner, 2 * HOUR - timedelta(seconds=1))
    assert take(conn, runner, 2 * HOUR)


def test_what_a_run_came_to_is_kept_until_the_next_one_ended(conn: Connection) -> None:
    take(conn, "a")
    nets.finish(conn, subscriber_id="cache.warm", runner="a", error="ValueError: no", now=NOON + timedelta(minutes=1))
    row = conn.execute(select(net_runs)).one()
    assert (row.started_at, row.finished_at) == (NOON, NOON + timedelta(minutes=1))
    assert (row.leased_until, row.error) == (None, "ValueError: no")
    take(conn, "a", HOUR)
    assert conn.execute(select(net_runs.c.error)).scalar() == "ValueError: no"
    nets.finish(conn, subscriber_id="cache.warm", runner="a", now=NOON + HOUR)
    assert conn.execute(select(net_runs.c.error)).scalar() is None


def test_one_that_lost_its_place_says_nothing(conn: Connection) -> None:
    take(conn, "a")
    take(conn, "b", HOUR)
    nets.finish(conn, subscriber_id="cache.warm", runner="a", error="too late", now=NOON + HOUR)
    row = conn.execute(select(net_runs)).one()
    assert (row.runner, row.finished_at, row.error) == ("b", None, None)
