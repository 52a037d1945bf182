"""The door and the headers (A-64, A-69, A-76, A-80)."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine, func, select
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.testclient import TestClient

from app import main, sessions
from app.middleware import same_origin
from app.settings import ConsoleSettings
from app.web import Call, Route
from tests import factories
from tests.app.conftest import Visitor, browser, serve, signed_in, trail
from worker.database import Connection as AnyConnection
from worker.queries import queues
from worker.queries.schema import queue_controls

FORGED = {
    "another site": {"Sec-Fetch-Site": "cross-site"},
    "a sibling host": {"Sec-Fetch-Site": "same-site"},
    "an unknown word": {"Sec-Fetch-Site": "same-origin, cross-site"},
    "an empty word": {"Sec-Fetch-Site": ""},
    "another origin": {"Origin": "https://e.example"},
    "another port": {"Origin": "http://localhost:81"},
    "a longer name": {"Origin": "http://localhost.e.example"},
    "a name within": {"Origin": "http://e.example/localhost"},
    "a user name": {"Origin": "http://localhost@e.example"},
    "no origin": {"Origin": "null"},
    "an empty origin": {"Origin": ""},
    "htmx only": {"Origin": "https://e.example", "HX-Request": "true"},
    "plain text": {"Origin": "https://e.example", "Content-Type": "text/plain"},
    "an override": {"Sec-Fetch-Site": "cross-site", "X-HTTP-Method-Override": "GET"},
}
OURS = {
    "this page": {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
    "by hand": {"Sec-Fetch-Site": "none"},
    "an old browser": {"Origin": "http://localhost"},
    "no browser": {},
    "a proxy that ends TLS": {"Origin": "https://localhost"},
}


def _pause(call: Call, conn: AnyConnection) -> Response:
    queues.pause(conn, queue="mail", actor=call.actor, reason="a test", now=call.now)
    return Response("paused")


@pytest.fixture
def pausing(app: Starlette, conn: Connection) -> TestClient:
    """An operator's browser, on a console with one action."""
    serve(app, Route("POST", "/probe/pause", _pause, "operator"))
    return browser(app, signed_in(conn, "olga"))


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
def test_a_forged_request_is_refused_in_words_and_changes_nothing(
    pausing: TestClient, conn: Connection, headers: dict[str, str]
) -> None:
    answer = pausing.post("/probe/pause", headers=headers, content=b"reason=x")
    assert answer.status_code == 403
    assert "The request came from another site." in answer.text
    assert conn.execute(select(func.count()).select_from(queue_controls)).scalar_one() == 0
    [row] = trail(conn)
    assert (row.actor, row.action, row.outcome) == ("olga", "cross-site", "refused")
    assert (row.target, row.address) == ("POST /probe/pause", "testclient")


@pytest.mark.parametrize("headers", OURS.values(), ids=OURS)
def test_a_request_of_our_own_pages_is_served(pausing: TestClient, conn: Connection, headers: dict[str, str]) -> None:
    assert pausing.post("/probe/pause", headers=headers).text == "paused"
    assert [row.outcome for row in trail(conn)] == ["done"]


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
def test_signing_in_cannot_be_forged_either(client: TestClient, conn: Connection, headers: dict[str, str]) -> None:
    token = sessions.new_link(conn, operator_id=factories.operator(conn)).rsplit("/", 1)[1]
    answer = client.post("/sign-in/link", data={"token": token}, headers=headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_links_from_other_sites_may_be_followed(visitor: Visitor, method: str) -> None:
    assert visitor().request(method, "/account", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_a_forger_cannot_flood_the_trail(client: TestClient, conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.refusals.AT_MOST", 3)
    for _ in range(5):
        assert client.post("/sign-out", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert len(trail(conn)) == 3


def test_the_origin_is_compared_with_the_host_that_was_asked_for() -> None:
    assert same_origin(Headers({"host": "ops.example:8443", "origin": "https://ops.example:8443"}))
    assert not same_origin(Headers({"host": "ops.example:8443", "origin": "https://ops.example"}))
    assert not same_origin(Headers({"host": "ops.example", "origin": "https://[ops.example"}))


@pytest.mark.parametrize(
    "host",
    [
        "e.example", "ops.example/login?x=", "a#b", "", "localhost/", "localhost?", "user@localhost", "localhost:x",
        "localhost:99999", "[::1", "localhost.e.example", "127.0.0.1.e.example", "local host", "localhost,localhost",
    ],
)  # fmt: skip
def test_an_unknown_host_is_answered_with_400(client: TestClient, host: str) -> None:
    for path in ("/health/live", "/sign-in", "/nowhere"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 400
        assert "WATCHFLOOR_ALLOWED_HOSTS" in answer.text
        assert "location" not in answer.headers


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "10.1.2.3", "[::1]:8000"])
def test_this_machine_and_plain_addresses_are_known_hosts(client: TestClient, host: str) -> None:
    assert client.get("/health/live", headers={"Host": host}).status_code == 200


def test_two_host_headers_are_one_too_many(client: TestClient) -> None:
    answer = client.get("/health/live", headers=[("Host", "localhost"), ("Host", "localhost")])
    assert answer.status_code == 400


@pytest.mark.usefixtures("swift")
def test_a_configured_host_is_known(engine: Engine) -> None:
    settings = ConsoleSettings.model_validate({"allowed_hosts": "ops.example, desk.example"})
    client = browser(main.create_app(settings, engine=engine))
    assert client.get("/health/live", headers={"Host": "desk.example"}).status_code == 200
    assert client.get("/health/live", headers={"Host": "e.example"}).status_code == 400


def _broken(call: Call, conn: AnyConnection) -> Response:
    raise RuntimeError("broken")


ANSWERS = {
    "a page": ("GET", "/account", {}, 200),
    "a redirect": ("POST", "/sign-out", {}, 303),
    "a file": ("GET", "/static/none/app.css", {}, 404),
    "a stream's head": ("HEAD", "/live", {}, 200),
    "a check": ("GET", "/health/ready", {}, 200),
    "not found": ("GET", "/nowhere", {}, 404),
    "not allowed": ("DELETE", "/account", {}, 405),
    "unknown host": ("GET", "/", {"Host": "e.example"}, 400),
    "forged": ("POST", "/account/password", {"Sec-Fetch-Site": "cross-site"}, 403),
    "too much": ("POST", "/account/password", {"Content-Length": "99999999"}, 413),
    "a crash": ("GET", "/broken", {}, 500),
}


@pytest.mark.parametrize(("method", "path", "headers", "status"), ANSWERS.values(), ids=ANSWERS)
def test_every_answer_has_the_headers_that_browsers_obey(
    app: Starlette, conn: Connection, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    serve(app, Route("GET", "/broken", _broken, "viewer"))
    client = browser(app, signed_in(conn), raise_server_exceptions=False)
    answer = client.request(method, path, headers=headers)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "*" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"
    assert len(answer.headers["x-request-id"]) == 16


def test_the_cookie_of_a_plain_loopback_page_is_lax_and_out_of_reach_of_scripts(
    client: TestClient, conn: Connection
) -> None:
    assert _cookie(client, conn) == {"watchfloor", "httponly", "max-age", "path=/", "samesite=lax"}


def test_over_https_the_cookie_is_bound_to_its_host(app: Starlette, conn: Connection) -> None:
    client = browser(app)
    client.base_url = "https://localhost"
    expected = {"__host-watchfloor", "httponly", "max-age", "path=/", "samesite=lax", "secure"}
    assert _cookie(client, conn) == expected
    assert client.get("/account").status_code == 200


@pytest.mark.usefixtures("swift")
def test_cookies_can_be_made_secure_behind_a_proxy_that_does_not_tell(engine: Engine, conn: Connection) -> None:
    settings = ConsoleSettings.model_validate({"secure_cookies": "true"})
    assert {"__host-watchfloor", "secure"} <= _cookie(browser(main.create_app(settings, engine=engine)), conn)


def _cookie(client: TestClient, conn: Connection) -> set[str]:
    """The attributes of the cookie of a sign-in."""
    token = sessions.new_link(conn, operator_id=factories.operator(conn)).rsplit("/", 1)[1]
    cookie = client.post("/sign-in/link", data={"token": token}).headers["set-cookie"].lower()
    parts = [part.strip() for part in cookie.split(";")]
    return {part if part.startswith(("path", "samesite")) else part.partition("=")[0] for part in parts}


@pytest.mark.usefixtures("swift")
def test_a_forwarded_scheme_and_address_count_from_a_trusted_proxy_only(engine: Engine, conn: Connection) -> None:
    settings = ConsoleSettings.model_validate({"trusted_proxies": "testclient"})
    headers = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    for trusted, expected in ((settings, "203.0.113.7"), (ConsoleSettings.model_validate({}), "testclient")):
        client = browser(main.create_app(trusted, engine=engine))
        answer = client.post("/sign-in", data={"name": "x", "password": "y"}, headers=headers)
        assert answer.status_code == 422
        assert trail(conn)[-1].address == expected


@pytest.mark.parametrize(
    "address",
    [
        "/jobs/%00", "/jobs/%ff", "/jobs/%ed%a0%80", "/account?q=%00", "/account?q=%ff", "/account?%c0%af=1", "/%00",
    ],
)  # fmt: skip
def test_an_address_that_is_no_text_is_answered_with_400(visitor: Visitor, address: str) -> None:
    answer = visitor().get(address)
    assert answer.status_code == 400
    assert answer.headers["x-request-id"] in answer.text


@pytest.mark.parametrize("address", ["/account?q=" + "a" * 60_000, "/" + "a" * 9000, "/account?" + "a=1&" * 3000])
def test_an_overlong_address_is_answered_with_414(visitor: Visitor, address: str) -> None:
    assert visitor().get(address).status_code == 414


HOSTILE = ('"><svg onload=1>', '"onmouseover=', "javascript:1", "<b>", "{{7*7777}}", "'--", "1" * 5000)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("where", ["/{}", "/account?next={}", "/sign-in?next={}", "/sign-in/link/{}", "/live?x={}"])
def test_what_is_in_an_address_comes_back_as_text_or_not_at_all(visitor: Visitor, where: str, value: str) -> None:
    client = visitor()
    answer = client.request("HEAD" if where.startswith("/live") else "GET", where.format(value))
    assert answer.status_code < 500
    for raw in ("<svg onload", '"onmouseover', "<b>", "54439"):
        assert raw not in answer.text.split("<main", 1)[-1]
