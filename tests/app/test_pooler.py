"""The console and the command behind a transaction pooler."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette

from app import main
from app.routes import ROUTES
from app.settings import ConsoleSettings
from tests.app.conftest import Visitor, trail
from tests.app.shell import Shell
from tests.factories import job, stored
from tests.pooler import Pooler
from worker import migrate
from worker.model import Status

PAGES = [route.path for route in ROUTES if route.method == "GET" and "{" not in route.path and route.path != "/live"]
POOLED = {"WATCHFLOOR_POOLER": "transaction"}


@pytest.fixture
def app(lent: Engine, settings: ConsoleSettings, swift: None) -> Starlette:
    """The whole console, on lent sessions."""
    return main.create_app(settings, engine=lent)


def test_a_20_every_page_answers_again_and_again(visitor: Visitor, conn: Connection) -> None:
    ids = [job(conn, status=status) for status in Status]
    reader = visitor("admin")
    answers = {(path, reader.get(path).status_code) for path in PAGES for _ in range(3) if "new" not in path}
    assert {code for _, code in answers} <= {200, 303}
    assert {reader.get(f"/jobs/{each}").status_code for each in ids} == {200}


def test_a_20_an_action_and_its_row_in_the_trail_are_one_transaction(visitor: Visitor, conn: Connection) -> None:
    dead = job(conn, status=Status.FAILED)
    visitor("operator").post(f"/dead-letters/{dead}/replays", headers={"origin": "http://localhost"})
    assert stored(conn, dead).status == Status.QUEUED
    assert len(trail(conn, "replay")) == 1


def test_a_20_the_command_says_what_a_pooler_takes_away(pooler: Pooler) -> None:
    shell = Shell(pooler.url)
    finding = next(each for each in shell.json("check", **POOLED)["checks"] if each["check"] == "pooler")
    assert finding["state"] == "warning"
    assert "idle_in_transaction_session_timeout" in finding["detail"]


def test_a_20_a_pooler_that_nobody_spoke_of_is_named(pooler: Pooler) -> None:
    assert "WATCHFLOOR_POOLER=transaction" in Shell(pooler.url).refused("worker", code=78)


def test_a_20_the_owner_migrates_past_the_pooler(pooler: Pooler, url: str) -> None:
    past = Shell(pooler.url).json("migrate", MIGRATIONS_DATABASE_URL=url, **POOLED)
    assert past["revision"] == migrate.head()
