"""A worker's sessions keep plans that may have been made of empty tables; they must hold when these fill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, text

from tests.architecture.history import TABLES
from tests.architecture.test_plans import HOT, plan
from tests.worker.databases import fresh
from worker import migrate
from worker.database import autocommit, connect

ASKED_BY_WORKERS = (
    "promote what is due",
    "next due",
    "take",
    "take in rotation",
    "take by legacy rules",
    "renew",
    "release",
    "complete",
    "finish",
    "find stale",
    "recover",
    "lock a batch of outcomes",
    "move legacy jobs",
)


@pytest.fixture(scope="module")
def empty(server: str) -> Iterator[Connection]:
    """A worker's session on a database in which nothing ever was."""
    with fresh(server, "nothing_yet") as engine:
        migrate.upgrade(engine)
        url = engine.url.render_as_string(hide_password=False)
        worker = connect(url, application_name="tests", planned_once=True)
        with autocommit(worker).connect() as conn:
            yield conn
        worker.dispose()


@pytest.fixture
def explained(empty: Connection) -> Iterator[Connection]:
    """The session as long as it prepares nothing: EXPLAIN of a statement without its values cannot be prepared."""
    session: Any = empty.connection.driver_connection
    threshold, session.prepare_threshold = session.prepare_threshold, None
    yield empty
    session.prepare_threshold = threshold


@pytest.mark.parametrize("name", ASKED_BY_WORKERS)
def test_a_plan_made_of_an_empty_table_reads_the_same_indexes(explained: Connection, name: str) -> None:
    statement, promised = HOT[name]
    steps = plan(explained, statement)
    assert [step for step in steps if step.kind == "Seq Scan" and step.table in TABLES] == []
    assert {step.index for step in steps if step.table in TABLES or step.kind.startswith("Bitmap")} - {None} <= promised
    assert {step.kind for step in steps} & {"Hash Join", "Merge Join"} == set()  # these read an index from end to end


@pytest.mark.parametrize(
    "name", ["promote what is due", "next due", "take", "take in rotation", "take by legacy rules"]
)
def test_a_plan_made_of_an_empty_table_sorts_no_backlog(explained: Connection, name: str) -> None:
    assert "Sort" not in {step.kind for step in plan(explained, HOT[name][0])}


def test_a_workers_statement_is_planned_once_whatever_its_values(empty: Connection) -> None:
    for number in range(7):
        empty.execute(text("SELECT :number + 1"), {"number": number})
    custom, generic = empty.execute(
        text("SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1 %+ 1'")
    ).one()
    assert (custom, generic) == (0, 7)
