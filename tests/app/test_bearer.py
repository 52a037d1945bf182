"""Who comes in at the API: whoever shows a token that is known and has the scope, and nobody else."""

from __future__ import annotations

import logging

import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.testclient import TestClient

from app import bearer
from app.api import ApiCall
from app.documents import Document
from app.sessions import COOKIE
from tests.app.conftest import browser, signed_in, trail
from tests.app.routes.programs import SECRET, problem, program, serve_api, token
from worker.queries import tokens
from worker.queries.audit import Actor


def done(call: ApiCall) -> Response:
    return Document({"actor": call.actor.name})


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": "Bearer "},
        {"Authorization": "Basic ZGFuYTpzZWNyZXQ="}, {"Authorization": "Bearer a b"}, {"Authorization": "Bearer \xff"},
        {"Authorization": "Bearer " + "a" * 5000}, {"X-Api-Key": "TOKEN"}, {"Authorization": "TOKEN"},
        {"Authorization": "Bearer x, Bearer TOKEN"},
    ],
)  # fmt: skip
def test_whoever_shows_no_token_is_told_how(app: Starlette, conn: Connection, headers: dict[str, str]) -> None:
    serve_api(app, done)
    known = token(conn)
    sent = [(name, value.replace("TOKEN", known).encode("latin-1")) for name, value in headers.items()]
    answer = program(app, None).post("/admin/probe", json={"number": 1}, headers=sent)  # type: ignore[arg-type] # as bytes
    problem(answer, 401)
    assert answer.headers["www-authenticate"] == 'Bearer realm="watchfloor"'
    assert [row.action for row in trail(conn)] == ["token-add"]


def test_two_tokens_are_one_too_many(api: TestClient, app: Starlette) -> None:
    serve_api(app, done)
    headers = [("Authorization", api.headers["authorization"])] * 2
    problem(program(app, None).post("/admin/probe", headers=headers), 401)


def test_a_token_in_the_address_does_not_count(api: TestClient, app: Starlette) -> None:
    serve_api(app, done)
    shown = api.headers["authorization"].split()[1]
    problem(program(app, None).post(f"/admin/probe?access_token={shown}"), 401)


def test_no_cookie_counts_here(app: Starlette, conn: Connection) -> None:
    serve_api(app, done)
    client = browser(app, signed_in(conn, "ada", "admin"))
    assert client.get("/account").status_code == 200
    problem(client.post("/admin/probe", json={"number": 1}), 401)
    assert COOKIE in client.cookies


def test_the_scheme_is_known_in_whatever_case(app: Starlette, api: TestClient) -> None:
    serve_api(app, done)
    shown = api.headers["authorization"].split()[1]
    answer = api.post("/admin/probe", json={"number": 1}, headers={"Authorization": f"bEARER  {shown}"})
    assert answer.status_code == 200


def test_an_unknown_token_is_refused_and_leaves_a_row(app: Starlette, conn: Connection) -> None:
    serve_api(app, done)
    answer = program(app, SECRET.replace(" ", "-")).post("/admin/probe", json={"number": 1})
    assert problem(answer, 401)["detail"] == "The token is not known."
    assert answer.headers["www-authenticate"] == 'Bearer realm="watchfloor", error="invalid_token"'
    [row] = trail(conn)
    assert (row.actor, row.action, row.outcome) == ("nobody", "probe", "refused")
    assert (row.target, row.reason) == ("POST /admin/probe", "The token is not known.")
    assert (row.address, row.request_id) == ("testclient", answer.headers["x-request-id"])


def test_a_revoked_token_is_refused_by_its_name(app: Starlette, api: TestClient, conn: Connection) -> None:
    serve_api(app, done)
    tokens.revoke(conn, name="deploy", actor=Actor("cli:test"))
    assert problem(api.post("/admin/probe"), 401)["detail"] == "The token was revoked."
    assert (trail(conn)[-1].actor, trail(conn)[-1].outcome) == ("token:deploy", "refused")


def test_a_token_without_the_scope_is_told_which_it_lacks(app: Starlette, conn: Connection) -> None:
    serve_api(app, done)
    answer = program(app, token(conn, "reader", "tenants:read")).post("/admin/probe", json={"number": 1})
    assert problem(answer, 403)["detail"] == "The token lacks the scope tenants:write."
    assert answer.headers["www-authenticate"].endswith('error="insufficient_scope", scope="tenants:write"')
    row = trail(conn)[-1]
    assert (row.actor, row.action, row.outcome) == ("token:reader", "probe", "refused")


def test_after_many_unknown_tokens_an_address_is_put_off_but_not_whoever_has_a_good_one(
    api: TestClient, app: Starlette, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_api(app, done)
    monkeypatch.setattr(bearer, "TRIES_PER_ADDRESS", 3)
    answers = [program(app, f"guess{number}").post("/admin/probe") for number in range(5)]
    assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 2
    problem(answers[-1], 429)
    assert answers[-1].headers["retry-after"] == "900"
    assert api.post("/admin/probe", json={"number": 1}).status_code == 200


def test_neither_token_nor_body_is_in_the_log(
    api: TestClient, app: Starlette, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)

    def fail(call: ApiCall) -> Response:
        raise RuntimeError("broken")

    serve_api(app, fail)
    api.post("/admin/probe", json={"number": 1, "note": SECRET})
    program(app, "unknown-token").post("/admin/probe", json={"note": SECRET})
    said = caplog.text + "".join(capsys.readouterr())
    for secret in (SECRET, "unknown-token", api.headers["authorization"].split()[1]):
        assert secret not in said
