"""What the two databases find by different means is the same: rows by name, groups, sums and slots."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Text, func, literal, select

from tests.factories import NOON, job, worker_instance
from tests.worker.queries.pages.rows import minute
from worker.database import (
    Timestamp,
    earliest,
    for_each,
    grouped_by,
    holds,
    lowered,
    octets,
    of_server,
    records,
    slot_of,
    tally,
)
from worker.queries.schema import platform_jobs, statistics_minutes, worker_instances

jobs, minutes = platform_jobs.c, statistics_minutes.c


def ago(minutes: float) -> datetime:
    return NOON - timedelta(minutes=minutes)


def test_the_first_rows_of_each_name_are_found_beside_it(conn: Connection) -> None:
    for queue, age in (("mail", 1), ("mail", 3), ("mail", 2), ("bulk", 9), ("other", 9)):
        job(conn, queue=queue, created_at=ago(age))
    wanted = records("wanted", queue=Text())
    oldest = select(jobs.queue, jobs.created_at).where(jobs.queue == wanted.c.queue)
    rows = for_each(wanted, oldest.order_by(jobs.created_at).limit(2), key=jobs.id).subquery("rows")
    asked = '[{"queue": "mail"}, {"queue": "bulk"}, {"queue": "none"}]'
    found = conn.execute(select(rows).order_by(rows.c.queue, rows.c.created_at), {"wanted": asked})
    assert found.all() == [("bulk", ago(9)), ("mail", ago(3)), ("mail", ago(2))]


def test_rows_are_grouped_in_several_ways_at_once(conn: Connection) -> None:
    for age, queue in ((1, "mail"), (2, "mail"), (2, "bulk")):
        minute(conn, ago(age), queue=queue, jobs=1)
    keys = (minutes.minute, minutes.queue)
    found = conn.execute(grouped_by(select(*keys, func.sum(minutes.jobs)), [minutes.minute], [minutes.queue]))
    assert set(found.all()) == {(ago(1), None, 1), (ago(2), None, 2), (None, "mail", 2), (None, "bulk", 1)}


def test_a_statement_of_two_forms_may_be_asked_again(conn: Connection) -> None:
    everyone = grouped_by(select(jobs.queue, func.count()), [jobs.queue])
    assert conn.execute(everyone).all() == []
    job(conn, queue="mail")
    assert conn.execute(everyone).all() == [("mail", 1)]


def test_a_file_tells_nothing_of_a_server(conn: Connection, database: str) -> None:
    found = conn.execute(of_server(select(func.pg_backend_pid().label("pid"))))
    assert (list(found.keys()), len(found.all())) == (["pid"], {"postgresql": 1, "sqlite": 0}[database])


def test_many_rows_are_told_as_one_value(conn: Connection) -> None:
    for age, queue in ((5, "first"), (1, "last")):
        job(conn, queue=queue, created_at=ago(age))
    assert conn.execute(select(earliest(jobs.queue, jobs.created_at))).scalar_one() == "first"
    counts = select(jobs.queue, func.count().label("number")).group_by(jobs.queue).subquery()
    assert conn.execute(select(tally(counts.c.queue, counts.c.number))).scalar_one() == {"first": 1, "last": 1}


@pytest.mark.parametrize(("at", "slot"), [(-0.5, 0), (0, 1), (14.9, 1), (15, 2), (59.9, 4), (60, 4), (61, 4)], ids=str)
def test_a_time_falls_in_one_of_the_slots(conn: Connection, at: float, slot: int) -> None:
    begin, end, then = (literal(NOON + timedelta(minutes=each), Timestamp) for each in (0, 60, at))
    assert conn.execute(select(slot_of(then, begin, end, slots=4))).scalar_one() == slot


def test_a_moment_without_length_has_slots_too(conn: Connection) -> None:
    noon = literal(NOON, Timestamp)
    assert conn.execute(select(slot_of(noon, noon, noon, slots=4))).scalar_one() == 1


def test_a_stored_list_holds_its_names_and_no_parts_of_them(conn: Connection) -> None:
    worker_instance(conn, job_types=["render_report", 'odd "name"'], queues=None)
    types, queues = worker_instances.c.job_types, worker_instances.c.queues
    held = [holds(types, literal(name)) for name in ("render_report", "report", 'odd "name"')]
    assert conn.execute(select(*held)).one() == (True, False, True)
    assert conn.execute(select(worker_instances.c.pid).where(holds(queues, literal("mail")))).all() == []


@pytest.mark.parametrize(("text", "size", "small"), [("Böse", 5, "böse"), ("", 0, ""), ("ΑΒΓ", 6, "αβγ")])
def test_text_is_measured_in_bytes_and_made_small(conn: Connection, text: str, size: int, small: str) -> None:
    asked: Any = literal(text, Text)
    assert conn.execute(select(octets(asked), lowered(asked))).one() == (size, small)
