"""Provisioning as programs ask for it: who may, what is refused, and what the trail says."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, func, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.conftest import trail
from tests.app.routes.programs import problem, program, token
from tests.factories import NOON, tenant
from worker.model import Status
from worker.queries.schema import platform_jobs


def how_many(conn: Connection) -> int:
    return int(conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one())


def acts(conn: Connection) -> list[tuple[str, str, str]]:
    return [(row.actor, row.action, row.outcome) for row in trail(conn) if row.action != "token-add"]


def test_the_trail_says_who_asked_and_whether_again(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    address = f"/admin/tenants/{acme}/provision"
    for _ in range(2):
        api.post(address)
    conn.execute(update(platform_jobs).values(status=Status.FAILED, finished_at=NOON))
    for body in ({}, {"retry": False}, {"retry": True}, {"retry": True}):
        assert api.post(address, json=body).status_code == 202
    rows = trail(conn)[1:]
    assert acts(conn) == [("token:deploy", "provision", "done")] * 2
    assert [(row.tenant_id, row.jobs, row.detail) for row in rows] == [(acme, 1, {}), (acme, 1, {"again": True})]


@pytest.mark.parametrize("body", [{"retry": "yes"}, {"retry": 1}, {"retry": None}, {"again": True}, []])
def test_what_is_not_known_there_is_refused_and_nothing_made(api: TestClient, conn: Connection, body: Any) -> None:
    problem(api.post(f"/admin/tenants/{tenant(conn)}/provision", json=body), 422)
    assert how_many(conn) == 0


def test_a_tenant_that_is_not_there_is_not_found(api: TestClient, conn: Connection) -> None:
    for tenant_id in ("019b0000-0000-7000-8000-000000000000", "acme"):
        problem(api.post(f"/admin/tenants/{tenant_id}/provision"), 404)
    assert acts(conn) == []


def test_another_request_under_the_same_key_is_a_conflict(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    api.post(f"/admin/tenants/{acme}/provision")
    conn.execute(update(platform_jobs).values(idempotency_fingerprint="another"))
    problem(api.post(f"/admin/tenants/{acme}/provision"), 409)


def test_reading_is_not_enough_to_have_it_done_nor_writing_to_look(app: Starlette, conn: Connection) -> None:
    acme = tenant(conn)
    reader = program(app, token(conn, "reader", "tenants:read"))
    writer = program(app, token(conn, "writer", "tenants:write", "datasets:write"))
    address = f"/admin/tenants/{acme}/provision"
    problem(reader.post(address), 403)
    assert how_many(conn) == 0
    assert writer.post(address).status_code == 202
    problem(writer.get(f"{address}/status"), 403)
    assert reader.get(f"{address}/status").json()["status"] == "queued"
    assert acts(conn) == [
        ("token:reader", "provision", "refused"),
        ("token:writer", "provision", "done"),
        ("token:writer", "status", "refused"),
    ]


def test_of_an_error_its_words_are_said_and_not_where_in_the_code_it_arose(api: TestClient, conn: Connection) -> None:
    address = f"/admin/tenants/{tenant(conn)}/provision"
    api.post(address)
    detail = "worker/provisioning/steps.py:46 in run\n    work[step]()\nOSError: no bucket"
    conn.execute(update(platform_jobs).values(error_detail=detail))
    assert api.get(f"{address}/status").json()["error_detail"] == "OSError: no bucket"
    assert api.post(address).json()["error_detail"] == "OSError: no bucket"


def test_without_a_token_nothing_is_made(app: Starlette, conn: Connection) -> None:
    address = f"/admin/tenants/{tenant(conn)}/provision"
    problem(program(app, None).post(address), 401)
    problem(program(app, "unknown").post(address), 401)
    assert how_many(conn) == 0


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
def test_it_is_asked_for_by_post_alone(api: TestClient, conn: Connection, method: str) -> None:
    answer = api.request(method, f"/admin/tenants/{tenant(conn)}/provision")
    problem(answer, 405)
    assert answer.headers["allow"] == "POST"
    assert how_many(conn) == 0
