"""Tenants, as programs add and list them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, func, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.conftest import trail
from tests.app.routes.programs import problem, program, token
from tests.factories import NOON, tenant
from worker.queries.schema import tenants

LIST = "/admin/tenants"
ACME = {"slug": "acme", "display_name": "Acme Ltd"}


def how_many(conn: Connection) -> int:
    return int(conn.execute(select(func.count()).select_from(tenants)).scalar_one())


def test_a_new_tenant_is_answered_with_its_address(api: TestClient, conn: Connection) -> None:
    answer = api.post(LIST, json=ACME)
    assert answer.status_code == 201
    made = answer.json()
    assert answer.headers["location"] == f"{LIST}/{made['id']}"
    assert made == {
        "id": made["id"], "slug": "acme", "display_name": "Acme Ltd", "onboarding_status": "created",
        "created_at": NOON.isoformat(), "activated_at": None,
    }  # fmt: skip
    assert api.get(answer.headers["location"]).json() == made
    row = trail(conn)[-1]
    assert (row.actor, row.action, row.outcome) == ("token:deploy", "tenant-add", "done")
    assert (row.target, str(row.tenant_id)) == ("acme", made["id"])


def test_a_tenant_that_is_there_by_the_same_name_is_answered_as_it_is(api: TestClient, conn: Connection) -> None:
    made = api.post(LIST, json=ACME)
    again = api.post(LIST, json=ACME | {"display_name": " Acme Ltd "})
    assert (again.status_code, again.json()) == (200, made.json())
    assert again.headers["location"] == made.headers["location"]
    assert how_many(conn) == 1
    assert [row.action for row in trail(conn)] == ["token-add", "tenant-add"]


def test_a_tenant_that_is_there_by_another_name_is_a_conflict(api: TestClient, conn: Connection) -> None:
    made = api.post(LIST, json=ACME)
    problem(api.post(LIST, json=ACME | {"display_name": "Another"}), 409)
    assert api.get(made.headers["location"]).json() == made.json()


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"slug": ""}, "slug"), ({"slug": "Acme"}, "slug"), ({"slug": "-a"}, "slug"), ({"slug": "a_b"}, "slug"),
        ({"slug": "a" * 64}, "slug"), ({"slug": "é"}, "slug"), ({"slug": "a\n"}, "slug"), ({"slug": 7}, "slug"),
        ({"display_name": " "}, "display_name"), ({"display_name": "x" * 201}, "display_name"),
        ({"display_name": "a\0b"}, "display_name"), ({"display_name": None}, "display_name"), ({"plan": "x"}, "plan"),
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_refused_by_name(
    api: TestClient, conn: Connection, asked: dict[str, Any], field: str
) -> None:
    found = problem(api.post(LIST, json=ACME | asked), 422)
    assert [each["field"] for each in found["errors"]] == [field]
    assert how_many(conn) == 0


def test_nothing_at_all_is_refused_too(api: TestClient) -> None:
    assert len(problem(api.post(LIST), 422)["errors"]) == 2


def test_tenants_come_in_pages_in_the_order_of_their_slugs(api: TestClient, conn: Connection) -> None:
    for slug in ("dune", "acme", "café-2".replace("é", "e"), "bolt", "echo"):
        tenant(conn, slug)
    slugs, address, pages = [], f"{LIST}?limit=2", 0
    while address:
        answer = api.get(address)
        page = answer.json()
        slugs += [each["slug"] for each in page["tenants"]]
        address, pages = page["next"], pages + 1
        assert answer.headers.get("link") == (f'<{address}>; rel="next"' if address else None)
    assert (slugs, pages) == (["acme", "bolt", "cafe-2", "dune", "echo"], 3)


def test_a_page_that_is_just_full_is_the_last(api: TestClient, conn: Connection) -> None:
    tenant(conn)
    tenant(conn, "bolt")
    assert api.get(f"{LIST}?limit=2").json()["next"] is None
    assert len(api.get(LIST).json()["tenants"]) == 2


@pytest.mark.parametrize("limit", ["", "0", "-1", "x", "201", "1e2", "٣", "9" * 5000])
def test_a_limit_that_is_none_is_refused(api: TestClient, limit: str) -> None:
    problem(api.get(LIST, params={"limit": limit}), 400)


@pytest.mark.parametrize("after", ["x", "W10", "A" * 600, "WzFd", "é"])
def test_a_cursor_that_was_not_given_out_is_refused(api: TestClient, after: str) -> None:
    problem(api.get(LIST, params={"after": after}), 422)


@pytest.mark.parametrize("stranger", ["019b0000-0000-7000-8000-000000000000", "acme", "1"])
def test_a_tenant_that_is_not_there_is_not_found(api: TestClient, conn: Connection, stranger: str) -> None:
    tenant(conn)
    problem(api.get(f"{LIST}/{stranger}"), 404)


def test_each_act_asks_for_its_own_scope(app: Starlette, conn: Connection) -> None:
    reader = program(app, token(conn, "reader", "tenants:read"))
    writer = program(app, token(conn, "writer", "tenants:write"))
    made = writer.post(LIST, json=ACME).headers["location"]
    assert reader.get(made).status_code == reader.get(LIST).status_code == 200
    problem(reader.post(LIST, json=ACME | {"slug": "bolt"}), 403)
    problem(writer.get(made), 403)
    assert how_many(conn) == 1
    refusals = [(row.actor, row.action, row.reason) for row in trail(conn) if row.outcome == "refused"]
    assert refusals == [
        ("token:reader", "tenants", "The token lacks the scope tenants:write."),
        ("token:writer", "tenants", "The token lacks the scope tenants:read."),
    ]
