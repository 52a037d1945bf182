"""Acts, the trail and the hand-over in the lens of a tenant: what concerns it, and nothing that would move others."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.bulk_acts import acts as stored
from worker.queries.bulk_acts.acts import Action, Terms

LEE = Actor("lee")


@pytest.fixture
def client(visitor: Visitor) -> TestClient:
    """An operator's browser."""
    return visitor()


def dead(conn: Connection, tenant_id: UUID, **columns: object) -> UUID:
    died = {"error_fingerprint": "f" * 16, "finished_at": NOON - timedelta(minutes=5)}
    return factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, **died | columns)


def act(client: TestClient, *jobs: UUID, reason: str) -> UUID:
    """Replay these, outside of any lens."""
    answer = client.post("/replays", data={"job": [str(job) for job in jobs], "reason": reason, "back": "/jobs"})
    return UUID(answer.headers["location"].partition("done=")[2])


@pytest.fixture
def acts(client: TestClient, conn: Connection) -> dict[str, UUID]:
    """One act of acme's, one of globex's, and one on jobs of both."""
    acme, globex = factories.tenant(conn), factories.tenant(conn, "globex")
    return {
        "acme": act(client, dead(conn, acme), reason="acme asked"),
        "globex": act(client, dead(conn, globex), reason="globex asked"),
        "both": act(client, dead(conn, acme), dead(conn, globex), reason="both asked"),
    }


def test_the_list_has_the_acts_on_the_tenants_jobs(client: TestClient, acts: dict[str, UUID]) -> None:
    listed = {row[-1] for row in cells(client.get("/in/acme/acts").text)}
    assert listed == {"acme asked", "both asked"}


def test_an_act_on_the_tenants_list_is_there_though_its_jobs_are_old(client: TestClient, conn: Connection) -> None:
    factories.tenant(conn)
    terms = Terms(Action.REPLAY, filters=[("status", "failed"), ("tenant", "acme")])
    stored.add(conn, act_id=new_id(), terms=terms, actor=LEE, reason="none was left", now=NOON)
    assert "none was left" in client.get("/in/acme/acts").text


def test_an_act_of_its_own_can_be_undone(client: TestClient, acts: dict[str, UUID]) -> None:
    assert f"/in/acme/acts/{acts['acme']}/undos" in client.get(f"/in/acme/acts/{acts['acme']}").text
    answer = client.post(f"/in/acme/acts/{acts['acme']}/undos")
    assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, f"/in/acme/acts/{acts['acme']}")


def test_an_act_that_others_have_jobs_in_shows_the_tenants_and_moves_none(
    client: TestClient, acts: dict[str, UUID]
) -> None:
    page = client.get(f"/in/acme/acts/{acts['both']}").text
    assert len(cells(page)) == 1
    assert "It has jobs of other tenants, too." in page
    assert f"/acts/{acts['both']}/undos" not in page
    for verb in ("undos", "aborts", "continuations"):
        assert client.post(f"/in/acme/acts/{acts['both']}/{verb}").status_code == 409
    assert f"/acts/{acts['both']}/undos" in client.get(f"/acts/{acts['both']}").text


def test_an_act_on_others_jobs_alone_is_not_there(client: TestClient, acts: dict[str, UUID]) -> None:
    answer = client.get(f"/in/acme/acts/{acts['globex']}")
    assert (answer.status_code, "None of its jobs is one of acme" in answer.text) == (404, True)
    assert client.post(f"/in/acme/acts/{acts['globex']}/undos").status_code == 404


def test_the_trail_has_what_was_done_to_the_tenant_and_its_jobs(
    client: TestClient, conn: Connection, acts: dict[str, UUID]
) -> None:
    audit.record(conn, actor=LEE, action="pause", target="mail", reason="everybody waits", now=NOON)
    said = plain(client.get("/in/acme/audit").text)
    told = [each for each in ("acme asked", "both asked", "globex asked", "everybody waits") if each in said]
    assert told == ["acme asked", "both asked"]
    assert client.get("/in/acme/audit?tenant=globex").status_code == 400
    assert client.get("/in/acme/audit?q=tenant:globex").status_code == 400


def test_the_hand_over_is_the_tenants(client: TestClient, conn: Connection, acts: dict[str, UUID]) -> None:
    for slug in ("initech", "umbrella"):
        dead(conn, factories.tenant(conn, slug), error_summary=f"{slug} is out")
    page = client.get("/in/initech/hand-over").text
    assert "initech is out" in page
    assert "1 dead letter since" in plain(page)
    assert [each in page for each in ("umbrella is out", "acme asked")] == [False, False]
    assert "Hand-over of initech" in page
    assert "http://localhost/in/initech/hand-over?since=" in page


def test_the_tenants_page_stands_for_the_list(client: TestClient, conn: Connection) -> None:
    factories.tenant(conn)
    factories.tenant(conn, "globex")
    assert client.get("/in/acme/tenants").headers["location"] == "/in/acme/tenants/acme"
    assert client.get("/in/acme/tenants/globex").status_code == 404
    assert client.post("/in/acme/tenants/globex/provisionings").status_code == 404
