"""In the lens of a tenant every act moves that tenant's jobs and no other's, though both died of one error."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, delete, select, update
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.model import Status
from worker.queries.schema import bulk_act_jobs, bulk_acts, platform_jobs, tenants

GROUP = "f" * 16
WHOLE = {"all": "1", "before": NOON.isoformat(), "back": "/jobs"}
ACTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "replay a group": ("/replays", {"status": Status.FAILED}, {"group": GROUP}),
    "replay a list": ("/replays", {"status": Status.FAILED}, {"status": "failed"}),
    "cancel a group": ("/cancellations", {"status": Status.FAILED}, {"group": GROUP, "reason": "a test"}),
    "cancel what is ready": ("/cancellations", {}, {"status": "ready", "reason": "a test"}),
    "cancel what runs": ("/cancellations", {"status": Status.RUNNING}, {"status": "running", "reason": "a test"}),
    "run what is scheduled": ("/runs", {"scheduled": True}, {"status": "scheduled"}),
    "reassign what is ready": ("/reassignments", {}, {"status": "ready", "to": "elsewhere"}),
}


@pytest.fixture
def acme(visitor: Visitor, conn: Connection) -> TestClient:
    """An operator's browser, where acme and globex are tenants."""
    factories.tenant(conn, "acme")
    factories.tenant(conn, "globex")
    return visitor()


def two(conn: Connection, **columns: Any) -> tuple[UUID, UUID]:
    """A job of acme and one of globex, alike in all else."""
    found = conn.execute(select(tenants.c.slug, tenants.c.id)).all()
    ids = {row.slug: row.id for row in found}
    if columns.get("status") == Status.FAILED:
        columns = {"error_fingerprint": GROUP, "finished_at": NOON - timedelta(minutes=1)} | columns
    if columns.get("scheduled"):
        columns |= {"available_at": NOON + timedelta(hours=1)}
    factories.job(conn, **columns)
    return factories.job(conn, tenant_id=ids["acme"], **columns), factories.job(
        conn, tenant_id=ids["globex"], **columns
    )


def chosen(conn: Connection) -> list[UUID]:
    return list(conn.execute(select(bulk_act_jobs.c.job_id)).scalars())


@pytest.mark.parametrize("name", ACTS)
def test_only_the_lens_tenants_jobs_are_chosen_by_a_filter(acme: TestClient, conn: Connection, name: str) -> None:
    path, columns, fields = ACTS[name]
    own, other = two(conn, **columns)
    before = factories.stored(conn, other)
    answer = acme.post(f"/in/acme{path}", data={**WHOLE, **fields})
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/in/acme/")
    assert chosen(conn) == [own]
    assert factories.stored(conn, other) == before
    assert ["tenant", "acme"] in [list(pair) for pair in conn.execute(select(bulk_acts.c.filters)).scalar_one()]


@pytest.mark.parametrize("path", ["/replays", "/cancellations"])
def test_only_the_lens_tenants_jobs_are_moved_of_those_that_were_ticked(
    acme: TestClient, conn: Connection, path: str
) -> None:
    own, other = two(conn, status=Status.FAILED)
    acme.post(f"/in/acme{path}", data={"job": [str(own), str(other)], "reason": "a test", "back": "/jobs"})
    assert chosen(conn) == [own]
    assert factories.stored(conn, other).status == Status.FAILED


@pytest.mark.parametrize(
    ("path", "columns"),
    {
        "/dead-letters/{}/replays": {"status": Status.FAILED},
        "/jobs/{}/cancellations": {},
        "/jobs/{}/runs": {"scheduled": True},
        "/jobs/{}/reveals": {},
        "/jobs/{}/copies": {},
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_job_of_another_tenant_is_not_there(
    acme: TestClient, conn: Connection, path: str, columns: dict[str, Any]
) -> None:
    _, other = two(conn, **columns)
    before = factories.stored(conn, other)
    assert acme.post(f"/in/acme{path.format(other)}", data={"reason": "a test", "payload": "{}"}).status_code == 404
    assert factories.stored(conn, other) == before


def test_its_page_says_that_it_is_another_tenants_and_offers_to_leave(acme: TestClient, conn: Connection) -> None:
    own, other = two(conn)
    assert acme.get(f"/in/acme/jobs/{own}").status_code == 200
    answer = acme.get(f"/in/acme/jobs/{other}")
    assert answer.status_code == 404
    assert "This job is none of acme&#39;s." in answer.text
    assert f'data-leaves href="/jobs/{other}">Leave acme' in answer.text


def test_the_form_counts_and_names_the_tenants_jobs_alone(acme: TestClient, conn: Connection) -> None:
    two(conn, status=Status.FAILED)
    said = plain(acme.get("/in/acme/replays/new", params={**WHOLE, "group": GROUP}).text)
    assert "Replay 1 dead letter" in said
    assert "1 job of render_report for acme goes back" in said


def test_the_form_counts_whom_the_jobs_stand_behind_whosever_they_are(acme: TestClient, conn: Connection) -> None:
    factories.worker_instance(conn)
    two(conn)
    own, _ = two(conn, status=Status.FAILED)
    said = plain(acme.get(f"/in/acme/replays/new?job={own}").text)
    assert "1 live worker takes it, after the 3 jobs that are ready there, of all tenants." in said


def test_an_action_on_another_tenants_list_is_refused(acme: TestClient, conn: Connection) -> None:
    two(conn, status=Status.FAILED)
    answer = acme.post("/in/acme/replays", data={**WHOLE, "status": "failed", "tenant": "globex"})
    assert (answer.status_code, chosen(conn)) == (400, [])


def test_an_act_on_others_is_not_told_of_in_the_lens(acme: TestClient, conn: Connection) -> None:
    _, other = two(conn, status=Status.FAILED)
    done = acme.post("/replays", data={"job": str(other), "back": "/dead-letters"}).headers["location"]
    assert "/undos" in acme.get(done).text
    assert "/undos" not in acme.get(f"/in/acme{done}").text


def test_what_came_since_an_act_is_counted_of_the_lens_tenant_alone(acme: TestClient, conn: Connection) -> None:
    own, _ = two(conn, status=Status.FAILED)
    conn.execute(delete(platform_jobs).where(platform_jobs.c.id != own))
    acme.post("/replays", data={**WHOLE, "group": GROUP})
    conn.execute(update(bulk_acts).values(chosen_at=NOON - timedelta(hours=1)))
    act = conn.execute(select(bulk_acts.c.id)).scalar_one()
    two(conn, status=Status.FAILED)
    assert "+3 since" in plain(acme.get(f"/acts/{act}").text)
    assert "+1 since" in plain(acme.get(f"/in/acme/acts/{act}").text)
