"""The observer: one look a minute, whichever process comes first."""

from datetime import timedelta

from sqlalchemy import Connection, Engine, func, select

from worker.queries.pages.looks import look
from worker.queries.samples import Sample
from worker.queries.schema import sample_minutes, statistics_marks
from worker.runtime.observer import Observer


def test_a_minute_is_looked_at_once_whoever_asks(engine: Engine, conn: Connection) -> None:
    looks: list[Connection] = []

    def counted(looking: Connection) -> Sample:
        looks.append(looking)
        return Sample(ready=7)

    replicas = [Observer(engine, counted) for _ in range(3)]
    assert not any(each.tick() for each in replicas)
    minutes = conn.execute(select(func.count()).select_from(sample_minutes)).scalar_one()
    assert 1 <= len(looks) == minutes <= 2  # a minute may end in between


def test_the_work_role_may_look_and_keep_what_it_saw(engine: Engine, conn: Connection) -> None:
    Observer(engine, look).tick()
    assert conn.execute(select(sample_minutes.c.ready)).scalar_one() == 0


def test_with_each_look_the_totals_are_brought_on(engine: Engine, conn: Connection) -> None:
    Observer(engine, look).tick()
    looked = conn.execute(select(sample_minutes.c.minute)).scalar_one()
    marked = conn.execute(select(statistics_marks.c.minute)).scalar_one()
    assert timedelta(minutes=4) <= looked - marked <= timedelta(minutes=6)
