"""A deployment tells of its release, once, with a token for it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.conftest import trail
from tests.app.routes.programs import problem, program, token
from tests.factories import NOON
from worker.queries.schema import releases

ADDRESS = "/api/v1/releases"


def test_a_release_is_noted_once(api: TestClient, conn: Connection) -> None:
    answers = [api.post(ADDRESS, json={"name": "2026.48"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert all(each.json() == {"name": "2026.48", "component": None, "at": NOON.isoformat()} for each in answers)
    assert [(row.actor, row.action, row.target) for row in trail(conn)[1:]] == [("token:deploy", "release", "2026.48")]


def test_it_may_be_of_one_component_and_some_time_ago(api: TestClient, conn: Connection) -> None:
    api.post(ADDRESS, json={"name": "v2", "component": "mailer", "at": "2026-11-29T12:30:00+01:00"})
    row = conn.execute(select(releases)).one()
    assert (row.component, row.at.isoformat(), row.told_by) == ("mailer", "2026-11-29T11:30:00+00:00", "token:deploy")


@pytest.mark.parametrize(
    ("asked", "field"),
    [({"name": " "}, "name"), ({"component": "x" * 101}, "component"), ({"at": "2026-11-29T12:30:00"}, "at"),
     ({"at": "yesterday"}, "at"), ({"by": "me"}, "by")],
)  # fmt: skip
def test_what_is_no_release_is_refused_by_the_name_of_its_field(
    api: TestClient, conn: Connection, asked: dict[str, Any], field: str
) -> None:
    refused = problem(api.post(ADDRESS, json={"name": "v2"} | asked), 422)
    assert field in str(refused)
    assert conn.execute(select(releases)).all() == []


def test_a_token_for_something_else_will_not_do(app: Starlette, conn: Connection) -> None:
    shown = token(conn, "reader", "tenants:read")
    with program(app, shown) as reader:
        assert "releases:write" in problem(reader.post(ADDRESS, json={"name": "v2"}), 403)["detail"]
