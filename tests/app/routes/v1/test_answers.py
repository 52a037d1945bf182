"""Every answer is what the document of the API says, on a morning when there is something of everything."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
from sqlalchemy import Connection, select
from starlette.testclient import TestClient

from app.api import ApiRoute
from app.routes import API
from tests import factories
from worker.model import Status
from worker.queries.schema import bulk_acts, operators, platform_jobs, saved_views, tenants, worker_instances

READS = [route for route in API if route.method == "GET" and route.path.startswith("/api/v1")]


def addresses(conn: Connection, route: ApiRoute) -> list[str]:
    """Where something of what the route is about is found."""
    columns = {
        "job": platform_jobs.c.id, "act": bulk_acts.c.id, "tenant": tenants.c.id, "operator": operators.c.id,
        "queue": platform_jobs.c.queue, "type": platform_jobs.c.handler_key, "instance": worker_instances.c.instance_id,
        "group": platform_jobs.c.error_fingerprint, "view": saved_views.c.id,
    }  # fmt: skip
    found = re.search(r"{(\w+)(:path)?}", route.path)
    if not found:
        return [route.path, *(["/api/v1/queues?by=tenant"] if route.path == "/api/v1/queues" else [])]
    column = columns[found[1]]
    rows = select(column).where(column.is_not(None)).distinct().order_by(column).limit(6)
    dead = rows.where(platform_jobs.c.status == "failed") if found[1] == "group" else rows
    values = conn.execute(dead).scalars()
    return [route.path.replace(found[0], str(value)) for value in values]


def test_every_answer_is_what_the_document_says(morning: TestClient, conn: Connection) -> None:
    document = morning.get("/api/v1/openapi.json").json()
    for route in READS:
        operation = document["paths"][re.sub(r":path}", "}", route.path)]["get"]
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        validator = jsonschema_rs.validator_for({**schema, "components": document["components"]})
        answers = [morning.get(address) for address in addresses(conn, route)]
        assert answers, f"nothing to look at: {route.path}"
        for answer in answers:
            assert answer.status_code == 200, f"{answer.url}: {answer.text}"
            validator.validate(answer.json())


def followed(client: TestClient, address: str, name: str, **query: Any) -> list[Any]:
    """All rows of a list, page by page."""
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(address, params={**query, **({"cursor": cursor} if cursor else {})}).json()
        found, cursor = [*found, *page[name]], page["next_cursor"]
    return found


def test_pages_of_any_size_are_the_whole_list(api: TestClient, conn: Connection) -> None:
    for job in [factories.job(conn, status=Status.FAILED) for _ in range(7)]:
        assert api.post(f"/api/v1/dead-letters/{job}/replays").status_code == 201
    for address, name in (("jobs", "jobs"), ("acts", "acts"), ("audit", "deeds")):
        few, many = (followed(api, f"/api/v1/{address}", name, limit=limit) for limit in (3, 200))
        assert [row["id"] for row in few] == [row["id"] for row in many]
        assert len(few) >= 7
