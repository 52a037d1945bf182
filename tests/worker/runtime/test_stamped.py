"""A duty says that it was done: not each time, and not when it failed."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, delete, select, update

from tests.factories import NOON
from worker.queries.schema import duty_runs
from worker.runtime.stamped import Stamped


def test_a_pass_is_noted_and_the_next_ones_soon_after_are_not(engine: Engine, conn: Connection) -> None:
    duty = Stamped(engine, "relay", lambda: True)
    assert duty.tick()
    assert conn.execute(select(duty_runs.c.duty)).scalars().all() == ["relay"]
    conn.execute(delete(duty_runs))
    duty.tick()
    assert conn.execute(select(duty_runs)).all() == []


def test_another_process_says_so_too(engine: Engine, conn: Connection) -> None:
    Stamped(engine, "relay", lambda: False).tick()
    conn.execute(update(duty_runs).values(ran_at=NOON - timedelta(days=900)))
    assert not Stamped(engine, "relay", lambda: False).tick()
    assert conn.execute(select(duty_runs.c.ran_at)).scalar_one() > NOON - timedelta(days=899)


def test_a_pass_that_fails_is_none(engine: Engine, conn: Connection) -> None:
    def fail() -> bool:
        raise RuntimeError("down")

    with pytest.raises(RuntimeError, match="down"):
        Stamped(engine, "relay", fail).tick()
    assert conn.execute(select(duty_runs)).all() == []
