"""The words of the query layer: each means the same on PostgreSQL and on SQLite."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import ColumnElement, Connection, Float, Integer, Text, insert, literal, select, update
from sqlalchemy import cast as sql_cast

from tests.factories import NOON, job, stored, worker_instance
from worker.database import (
    Id,
    Json,
    Timestamp,
    among,
    append_recent,
    bin_of,
    digest,
    elapsed_ms,
    epoch_of,
    greatest,
    hint,
    json_of,
    least,
    minute_of,
    moment,
    one_of,
    position,
    records,
    seconds,
)
from worker.model import new_id
from worker.queries.schema import platform_jobs, worker_instances

ODD = datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)


def at(instant: datetime) -> ColumnElement[datetime]:
    return literal(instant, Timestamp)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (at(ODD), ODD),
        (at(ODD) + seconds(literal(0.000_001)), ODD + timedelta(microseconds=1)),
        (at(NOON) - seconds(literal(90.5)), NOON - timedelta(seconds=90.5)),
        (minute_of(at(ODD)), ODD.replace(second=0, microsecond=0)),
        (bin_of(at(ODD), literal(3600)), ODD.replace(minute=0, second=0, microsecond=0)),
        (elapsed_ms(at(NOON), at(NOON) + seconds(literal(1.5))), 1500),
        (elapsed_ms(at(NOON), at(NOON) - seconds(literal(1))), 0),
        (epoch_of(at(NOON)), int(NOON.timestamp())),
        (greatest(at(NOON), at(ODD)), NOON),
        (least(literal(3), literal(2)), 2),
        (position(literal("böse"), literal("se")), 3),
        (position(literal("böse"), literal("x")), 0),
        (digest(literal("ö")), hashlib.sha256("ö".encode()).hexdigest()),
    ],
)
def test_a_word_means_the_same_on_both(conn: Connection, expression: ColumnElement[Any], value: object) -> None:
    assert conn.execute(select(expression)).scalar_one() == value


def test_the_clock_stands_still_during_a_statement_and_can_be_set(conn: Connection) -> None:
    clock = select(moment().label("one"), moment().label("two"))
    row = conn.execute(clock).one()
    assert row.one == row.two
    assert abs(row.one - datetime.now(UTC)) < timedelta(seconds=5)
    assert conn.execute(clock, {"at_now": NOON}).one() == (NOON, NOON)


def test_equal_documents_have_one_form(conn: Connection) -> None:
    texts = ('{"b": [1, 2.5, "ü"], "a": null}', '{"a":null,"b":[1,2.5,"ü"]}')
    forms = [conn.execute(select(sql_cast(json_of(literal(each)), Text))).scalar_one() for each in texts]
    assert forms[0] == forms[1]
    assert json.loads(forms[0]) == {"a": None, "b": [1, 2.5, "ü"]}


def test_a_set_is_one_parameter(conn: Connection) -> None:
    ids = [job(conn, queue=queue) for queue in ("a", "b", "c")]
    found = select(platform_jobs.c.id).where(among(platform_jobs.c.id, "of_ids"))
    assert set(conn.execute(found, {"of_ids": ids[:2]}).scalars()) == set(ids[:2])
    assert conn.execute(found, {"of_ids": []}).all() == []
    queues = select(platform_jobs.c.id).where(~among(platform_jobs.c.queue, "but"))
    assert conn.execute(queues, {"but": ["a", "b"]}).scalars().all() == ids[2:]


def test_what_a_subquery_picks_is_taken_in_one_statement(conn: Connection) -> None:
    ids = sorted(job(conn) for _ in range(5))
    picked = select(platform_jobs.c.id).order_by(platform_jobs.c.id).limit(2).with_for_update(skip_locked=True)
    take = update(platform_jobs).where(one_of(platform_jobs.c.id, picked)).values(source="taken")
    taken = conn.execute(take.returning(platform_jobs.c.id, hint("nobody").label("hint"))).all()
    assert sorted(row.id for row in taken) == ids[:2]


def test_rows_come_from_one_document_with_their_types(conn: Connection) -> None:
    types: dict[str, Any] = {"id": Id, "n": Integer(), "x": Float(), "word": Text(), "at": Timestamp, "body": Json}
    rows = records("given", **types)
    one = {"id": new_id(), "n": 7, "x": 0.1, "word": "12", "at": ODD, "body": {"a": [1, None]}}
    none = dict.fromkeys(types)
    document = json.dumps([one, none], default=lambda value: getattr(value, "isoformat", value.__str__)())
    found = conn.execute(select(*rows.c).order_by(rows.c.n), {"given": document}).all()
    assert sorted((row._asdict() for row in found), key=lambda row: row["n"] is None) == [one, none]


def test_a_list_keeps_its_last_forty(conn: Connection) -> None:
    name = worker_instance(conn, recent_beats=[0])
    beat = update(worker_instances).values(
        recent_beats=append_recent(worker_instances.c.recent_beats, sql_cast(literal(1), Integer))
    )
    for _ in range(45):
        conn.execute(beat)
    kept = select(worker_instances.c.recent_beats).where(worker_instances.c.instance_id == name)
    assert conn.execute(kept).scalar_one() == [1] * 40


def test_a_default_is_written_by_the_database(conn: Connection) -> None:
    id_ = new_id()
    conn.execute(insert(platform_jobs).values(id=id_, job_type="a"))
    row = stored(conn, id_)
    assert abs(row.created_at - datetime.now(UTC)) < timedelta(seconds=5)
    assert (row.status, row.progress, row.steps_completed, row.handler_key, row.scheduled) == (
        "queued", 0, [], "a", False,
    )  # fmt: skip
