"""Sleepers: producers notify only while somebody waits."""

from sqlalchemy import Connection, Engine, select

from worker.queries import wakeups
from worker.queries.schema import sleepers
from worker.runtime.sleeper import Sleeper


def asleep(conn: Connection) -> list[tuple[str, str]]:
    return [(row.channel, row.sleeper) for row in conn.execute(select(sleepers))]


def test_who_finds_nothing_asks_for_hints_and_looks_once_more_before_waiting(engine: Engine, conn: Connection) -> None:
    sleeper = Sleeper(engine, channel=wakeups.JOBS, name="me")
    assert sleeper.look_again(busy=False)
    assert asleep(conn) == [(wakeups.JOBS, "me")]
    assert not sleeper.look_again(busy=False)


def test_a_full_batch_ends_the_sleep_and_there_may_be_more(engine: Engine, conn: Connection) -> None:
    sleeper = Sleeper(engine, channel=wakeups.JOBS, name="me")
    sleeper.look_again(busy=False)
    assert sleeper.look_again(busy=True)
    assert asleep(conn) == []
    assert sleeper.look_again(busy=False)
    assert asleep(conn) == [(wakeups.JOBS, "me")]


def test_one_sleeper_does_not_wake_another(engine: Engine, conn: Connection) -> None:
    mine, other = (Sleeper(engine, channel=wakeups.JOBS, name=name) for name in ("me", "other"))
    mine.look_again(busy=False)
    other.look_again(busy=False)
    mine.awake()
    assert asleep(conn) == [(wakeups.JOBS, "other")]


def test_a_long_sleeper_says_so_again_before_its_row_is_pruned(engine: Engine, conn: Connection) -> None:
    sleeper = Sleeper(engine, channel=wakeups.JOBS, name="me")
    sleeper.look_again(busy=False)
    conn.execute(sleepers.delete())
    assert sleeper._asleep_since
    sleeper._asleep_since -= 3600
    assert sleeper.look_again(busy=False)
    assert asleep(conn) == [(wakeups.JOBS, "me")]
