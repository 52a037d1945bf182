"""The seam: one transaction per request, read-only where it only looks, tried again after a deadlock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, OperationalError
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response

from app.errors import Conflict, Forbidden
from app.web import Call, Handler, Route
from tests import factories
from tests.app.conftest import Visitor, browser, serve, signed_in, trail
from worker.database import Connection as AnyConnection
from worker.errors import InvalidInput
from worker.queries import queues

Probe = Callable[..., None]


@pytest.fixture
def probe(app: Starlette) -> Probe:
    """Serves a handler at /probe."""

    def add(handler: Handler, method: Any = "GET", path: str = "/probe") -> None:
        serve(app, Route(method, path, handler, "operator"))

    return add


def pause(call: Call, conn: AnyConnection) -> Response:
    queues.pause(conn, queue="mail", actor=call.actor, reason="a test", now=call.now)
    return Response("paused", status_code=int(str(call.form.get("status", "200"))))


def paused(conn: Connection) -> bool:
    return "mail" in queues.paused(conn)


def test_an_answer_commits_what_was_done(visitor: Visitor, conn: Connection, probe: Probe) -> None:
    probe(pause, "POST")
    assert visitor().post("/probe", data={"status": "422"}).status_code == 422
    assert paused(conn)


@pytest.mark.parametrize(
    ("error", "status"),
    [(Conflict("Moved on."), 409), (Forbidden("Not yours."), 403), (InvalidInput("reason", "is too long"), 400)],
)
def test_an_exception_leaves_nothing_behind(
    visitor: Visitor, conn: Connection, probe: Probe, error: Exception, status: int
) -> None:
    def refuse(call: Call, conn: AnyConnection) -> Response:
        pause(call, conn)
        raise error

    probe(refuse, "POST")
    answer = visitor().post("/probe")
    assert answer.status_code == status
    assert not paused(conn)
    assert [row.outcome for row in trail(conn)] == (["refused"] if status == 403 else [])


@pytest.fixture
def no_trail(conn: Connection) -> Iterator[None]:
    """A database that takes no audit rows."""
    conn.execute(text("ALTER TABLE control.operator_actions ADD CONSTRAINT full_disk CHECK (false)"))
    yield
    conn.execute(text("ALTER TABLE control.operator_actions DROP CONSTRAINT full_disk"))


@pytest.mark.usefixtures("no_trail")
def test_what_cannot_be_written_in_the_trail_is_not_done(app: Starlette, conn: Connection, probe: Probe) -> None:
    probe(pause, "POST")
    client = browser(app, signed_in(conn), raise_server_exceptions=False)
    assert client.post("/probe").status_code == 500
    assert not paused(conn)


def test_looking_cannot_write(visitor: Visitor, conn: Connection, probe: Probe) -> None:
    probe(lambda call, conn: JSONResponse(conn.execute(text("SHOW transaction_read_only")).scalar_one()))
    client = visitor()
    assert client.get("/probe").json() == "on"
    probe(
        lambda call, conn: JSONResponse(conn.execute(text("SHOW transaction_read_only")).scalar_one()), "POST", "/act"
    )
    assert client.post("/act").json() == "off"


def test_a_deadlock_is_tried_again(visitor: Visitor, conn: Connection, probe: Probe) -> None:
    calls = []

    def unlucky(call: Call, conn: AnyConnection) -> Response:
        calls.append(pause(call, conn))
        if len(calls) < 3:
            raise DBAPIError("statement", {}, psycopg.errors.DeadlockDetected())
        return calls[-1]

    probe(unlucky, "POST")
    assert visitor().post("/probe").status_code == 200
    assert len(calls) == 3
    assert len(trail(conn)) == 1


def test_a_deadlock_that_stays_is_an_outage(visitor: Visitor, probe: Probe) -> None:
    def unlucky(call: Call, conn: AnyConnection) -> Response:
        raise OperationalError("statement", {}, psycopg.errors.DeadlockDetected())

    probe(unlucky, "POST")
    assert visitor().post("/probe").status_code == 503


def test_a_handler_knows_its_visitor_and_the_databases_time(visitor: Visitor, conn: Connection, probe: Probe) -> None:
    def tell(call: Call, conn: AnyConnection) -> Response:
        now = conn.execute(text("SELECT now()")).scalar_one()
        assert call.operator
        return JSONResponse(
            {
                "late": abs((call.now - now).total_seconds()),
                "operator": [call.operator.name, call.operator.role],
                "actor": [call.actor.name, call.actor.address, call.actor.request_id],
                "query": call.query.getlist("a"),
                "ready": call.figures.ready,
                "settings": call.settings.environment,
            }
        )

    factories.job(conn)
    probe(tell)
    answer = visitor("operator", "dana").get("/probe?a=1&a=2")
    told = answer.json()
    assert told.pop("late") < 1
    assert told == {
        "operator": ["dana", "operator"],
        "actor": ["dana", "testclient", answer.headers["x-request-id"]],
        "query": ["1", "2"],
        "ready": 1,
        "settings": "local",
    }


@pytest.mark.parametrize(
    ("headers", "region"),
    [
        ({"HX-Request": "true", "HX-Target": "section#rows"}, "rows"),
        ({"HX-Request": "true", "HX-Target": "div#a%20b"}, "a b"),
        ({"HX-Request": "true", "HX-Target": "main"}, None),
        ({"HX-Request": "true"}, None),
        ({"HX-Target": "section#rows"}, None),
    ],
)
def test_the_region_is_the_id_that_htmx_names(
    visitor: Visitor, probe: Probe, headers: dict[str, str], region: str | None
) -> None:
    probe(lambda call, conn: JSONResponse(call.region))
    assert visitor().get("/probe", headers=headers).json() == region


def test_an_id_in_the_path_may_be_written_in_any_usual_way(visitor: Visitor, probe: Probe) -> None:
    probe(lambda call, conn: JSONResponse(str(call.uuid("job"))), "GET", "/things/{job}")
    given = UUID("019b0000-0000-7000-8000-00000000000a")
    client = visitor()
    for spelling in (str(given), given.hex, str(given).upper()):
        assert client.get(f"/things/{spelling}").json() == str(given)


@pytest.mark.parametrize("job", ["1", "x", "1" * 5000, "019b0000-0000-7000-8000-00000000000g", "%20", "..."])
def test_a_malformed_id_is_not_found(visitor: Visitor, probe: Probe, job: str) -> None:
    probe(lambda call, conn: JSONResponse(str(call.uuid("job"))), "GET", "/things/{job}")
    assert visitor().get(f"/things/{job}").status_code == 404


def test_an_action_makes_the_figures_due(visitor: Visitor, app: Starlette, conn: Connection, probe: Probe) -> None:
    probe(lambda call, conn: JSONResponse(call.figures.ready))
    probe(lambda call, conn: Response(), "POST", "/act")
    client = visitor()
    assert client.get("/probe").json() == 0
    factories.job(conn)
    assert client.get("/probe").json() == 0
    client.post("/act")
    assert client.get("/probe").json() == 1
