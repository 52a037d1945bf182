"""Error pages: in words, with a number, and without what is nobody's business (A-80)."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, text
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.testclient import TestClient

from app import main
from app.errors import BadInput, Conflict, NotFound
from app.settings import ConsoleSettings
from app.web import Call, Route
from tests.app.conftest import Visitor, browser, serve, signed_in
from worker.database import Connection as AnyConnection
from worker.database import connect

HTMX = {"HX-Request": "true", "HX-Target": "tr#row-1", "HX-Source": "form"}
REGION = {"HX-Request": "true", "HX-Target": "section#rows", "HX-Source": "section#rows"}


def broken(call: Call, conn: AnyConnection) -> Response:
    secret = "postgresql://owner:hunter2@db/x"
    conn.execute(text("SELECT secret_column FROM control.secret_table WHERE x = :secret"), {"secret": secret})
    raise AssertionError("unreachable")


def test_a_crash_says_a_number_and_nothing_else(app: Starlette, conn: Connection) -> None:
    serve(app, Route("GET", "/broken", broken, "viewer"))
    client = browser(app, signed_in(conn), raise_server_exceptions=False)
    answer = client.get("/broken")
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in answer.text
    for leak in ("secret", "SELECT", "hunter2", "Traceback", "sqlalchemy", ".py", os.sep + "app", "psycopg"):
        assert leak not in answer.text.split("<main", 1)[1]


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (NotFound(), 404, "Nothing here"),
        (NotFound("No such queue.", title="No queue"), 404, "No such queue."),
        (BadInput("until: not a time."), 400, "until: not a time."),
        (Conflict("The job is running by now."), 409, "The job is running by now."),
        (BadInput("<b>'\"</b>"), 400, "&lt;b&gt;&#39;&#34;&lt;/b&gt;"),
    ],
)
def test_a_refusal_is_a_page_with_its_words(
    app: Starlette, visitor: Visitor, error: Exception, status: int, words: str
) -> None:
    def refuse(call: Call, conn: AnyConnection) -> Response:
        raise error

    serve(app, Route("GET", "/refused", refuse, "viewer"))
    answer = visitor().get("/refused")
    assert answer.status_code == status
    assert words in answer.text
    assert answer.text.startswith("<!doctype html>")


def test_an_error_page_leads_everywhere_even_before_any_other_page_was_asked_for(visitor: Visitor) -> None:
    page = visitor().get("/nothing-here").text
    assert all(f'href="{path}"' in page for path in ("/", "/queues", "/jobs", "/dead-letters", "/audit"))


def test_an_action_that_htmx_sent_is_refused_with_a_toast(app: Starlette, visitor: Visitor) -> None:
    def refuse(call: Call, conn: AnyConnection) -> Response:
        raise Conflict("It is running by now.")

    serve(app, Route("POST", "/refused", refuse, "viewer"))
    answer = visitor().post("/refused", headers=HTMX)
    assert answer.status_code == 409
    assert (answer.headers["hx-retarget"], answer.headers["hx-reswap"]) == ("#toasts", "beforeend")
    assert answer.text.startswith('<div class="toast"')
    assert "It is running by now." in answer.text


def test_a_live_region_that_cannot_refresh_says_nothing(visitor: Visitor) -> None:
    answer = visitor().get("/nowhere", headers=REGION)
    assert answer.status_code == 404
    assert "hx-retarget" not in answer.headers


def test_htmx_sends_the_whole_page_to_sign_in_and_back(client: TestClient) -> None:
    answer = client.get("/account", headers={**REGION, "HX-Current-URL": "http://localhost/jobs?status=failed"})
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/sign-in?next=%2Fjobs%3Fstatus%3Dfailed"


def test_an_action_without_a_session_does_not_lead_back_to_itself(client: TestClient) -> None:
    assert client.post("/account/password").headers["location"] == "/sign-in"


@pytest.mark.parametrize("header", ["http://[", "x", "\x01", "http://x/" + "x" * 5000])
def test_an_odd_current_address_does_no_harm(client: TestClient, header: str) -> None:
    assert client.get("/account", headers={**REGION, "HX-Current-URL": header}).status_code == 401


@pytest.fixture
def far(engine: Engine) -> Iterator[Engine]:
    """An engine of the console's own kind, on a database that lets nobody in until it is told to."""
    made = connect(address(engine), application_name="far", pool_size=2, pre_ping=True)
    yield made
    made.dispose()


def address(engine: Engine, database: str | None = None) -> str:
    return engine.url.set(database=database or engine.url.database).render_as_string(hide_password=False)


def allow_connections(engine: Engine, *, allowed: bool) -> None:
    """Let sessions into the test database, or end those there are and let no more in."""
    admin = connect(address(engine, "postgres"), application_name="admin", pool_size=1)
    with admin.execution_options(isolation_level="AUTOCOMMIT").connect() as conn:
        conn.execute(text(f"ALTER DATABASE watchfloor ALLOW_CONNECTIONS {allowed}"))
        if not allowed:
            conn.execute(
                text("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'far'")
            )
    admin.dispose()


@pytest.mark.usefixtures("swift")
def test_an_outage_is_a_plain_page_and_over_when_the_database_is_back(
    engine: Engine, far: Engine, conn: Connection, settings: ConsoleSettings
) -> None:
    client = browser(main.create_app(settings, engine=far), signed_in(conn))
    assert client.get("/account").status_code == 200
    allow_connections(engine, allowed=False)
    try:
        away = [
            client.get("/account"),
            client.post("/sign-out"),
            client.get("/sign-in"),
            client.get("/account", headers=HTMX),
        ]
        forged = client.post("/account/password", headers={"Sec-Fetch-Site": "cross-site"})
        lost = client.get("/nowhere")
        ready = client.get("/health/ready")
        alive = client.get("/health/live")
    finally:
        allow_connections(engine, allowed=True)
    assert [answer.status_code for answer in away] == [503] * 4
    assert {answer.headers["retry-after"] for answer in away} == {"5"}
    assert "The database is out of reach" in away[0].text
    assert "watchfloor" not in away[0].text.split("<h1", 1)[1].split("</main>")[0]
    assert "look before you press it again" in away[3].text
    assert (forged.status_code, lost.status_code) == (403, 404)
    assert (ready.status_code, ready.json()) == (503, {"status": "not_ready", "reasons": ["database"]})
    assert alive.status_code == 200
    assert client.get("/account").status_code == 200
    assert client.get("/health/ready").json() == {"status": "ready", "reasons": []}


@pytest.mark.usefixtures("swift")
def test_a_pool_without_a_free_connection_is_an_outage_too(
    far: Engine, conn: Connection, settings: ConsoleSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(main.create_app(settings, engine=far), signed_in(conn))
    monkeypatch.setattr(far.pool, "_timeout", 0.01)
    with far.connect(), far.connect():
        assert client.get("/account").status_code == 503
    assert client.get("/account").status_code == 200


def test_a_schema_that_is_not_ours_is_not_ready(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.migrate.head", lambda: "another")
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["schema revision"])


def test_a_console_that_stops_is_not_ready(client: TestClient, app: Starlette) -> None:
    app.state.console.live.close()
    assert client.get("/health/ready").json()["reasons"] == ["stopping"]
