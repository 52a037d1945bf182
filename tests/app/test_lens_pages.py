"""Every page in a tenant's lens: no link falls out of it, and no other tenant's row is in it, or the page says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, insert
from starlette.testclient import TestClient

from app.routes import ROUTES
from tests import factories
from tests.app.test_lens import links
from tests.app.test_local_mode import ACT, DEAD, PAGES, VIEWS, local
from tests.factories import NOON
from worker.model import Status
from worker.queries import audit, tenants
from worker.queries.audit import Actor
from worker.queries.bulk_acts import members, work
from worker.queries.bulk_acts.acts import Action, Terms
from worker.queries.schema import bulk_act_jobs

__all__ = ["local"]

OUTSIDE = re.compile(r"/static/.*|/sign-out|/in/acme/.*")
NARROWED = {route.path for route in ROUTES if route.method == "GET" and route.narrowed}
NO_PAGE = {"/jobs.csv", "/jobs.jsonl", "/jobs/suggestions"}
"""What has no bar to say whose it is."""
SAYS_SO = "This page is of all tenants"
TABLE = re.compile(r'<table class="table.*?</table>', re.DOTALL)
OF_TENANT = re.compile(r'<th[^>]*>Tenant</th>|data-label="Tenant"|>for acme<')
WITH_TENANTS = {f"/acts/{ACT}", "/audit", "/dead-letters", "/jobs", "/queues", "/workers/worker-1"}


@pytest.fixture
def acme(local: tuple[TestClient, Connection]) -> TestClient:
    """A browser where globex has as much as acme, and of everything that a page lists."""
    client, conn = local
    alike: dict[str, Any] = {"tenant_id": factories.tenant(conn, "globex"), "queue": "mail"}
    dead: dict[str, Any] = {"error_fingerprint": "9" * 16, "error_summary": "globex dies of this"}
    for status in Status:
        factories.job(conn, status=status, **alike, **(dead if status == Status.FAILED else {}))
    due: dict[str, Any] = {"available_at": NOON + timedelta(hours=1), "scheduled": True}
    factories.job(conn, job_type="globex_report", **alike, **due)
    act(conn, factories.job(conn, status=Status.FAILED, **alike, **dead))
    audit.record(conn, actor=Actor("lee"), action="provision", tenant_id=tenants.id_of(conn, slug="acme"), now=NOON)
    counters = {"was_generation": 0, "was_replays": 0}
    conn.execute(insert(bulk_act_jobs), {"act_id": ACT, "place": 1, "job_id": DEAD, "state": "left", **counters})
    return client


def act(conn: Connection, job_id: UUID) -> None:
    """Somebody replays a job of globex, and says why."""
    chosen: dict[str, Any] = {"chosen": members.BY_ID, "values": {"of_ids": [job_id]}}
    work.begin(conn, terms=Terms(Action.REPLAY), **chosen, actor=Actor("lee"), reason="globex asked", now=NOON)


def fallen(page: str) -> list[str]:
    """The links of a page that lead out of acme's lens without a word."""
    return [address for leaves, address in links(page) if not leaves and not OUTSIDE.fullmatch(address)]


def regions(client: TestClient, address: str) -> Iterator[str]:
    """Each live region of a page, as it is fetched alone."""
    for region in re.findall(r'id="([\w-]+)" data-region', client.get(address).text):
        answer = client.get(address, headers={"HX-Request": "true", "HX-Target": f"div#{region}"})
        assert answer.status_code == 200, (address, region)
        yield answer.text


def is_even(table: str) -> bool:
    """Whether each row of the list has as many cells as there are headings, if there are any."""
    head, _, body = table.rpartition("</thead>")
    counts = {len(re.findall(r"<t[dh]\b", row)) for row in re.findall(r"<tr id=.*?</tr>", body, re.DOTALL)}
    return not head or counts <= {len(re.findall(r"<th\b", head))}


def test_no_link_of_any_page_falls_out_of_the_lens(acme: TestClient) -> None:
    for address, _ in PAGES.values():
        page = acme.get(f"/in/acme{address}", follow_redirects=True)
        assert (page.status_code, fallen(page.text)) == (200, []), address


def test_a_page_that_is_narrowed_says_nothing_of_another_tenant(acme: TestClient) -> None:
    for path in NARROWED:
        page = acme.get(f"/in/acme{PAGES[path][0]}", follow_redirects=True).text
        assert ("globex" in page.lower(), SAYS_SO in page) == (False, False), path


def test_a_page_that_is_not_narrowed_says_so(acme: TestClient) -> None:
    for path in PAGES.keys() - NARROWED - NO_PAGE:
        assert SAYS_SO in acme.get(f"/in/acme{PAGES[path][0]}").text, path


def test_live_regions_stay_in_the_lens_and_say_nothing_of_another_tenant(acme: TestClient) -> None:
    told = [(path, PAGES[path][0]) for path in PAGES] + [(view.partition("?")[0], view) for view in VIEWS]
    for path, address in told:
        for region in regions(acme, f"/in/acme{address}"):
            assert fallen(region) == [], address
            assert path not in NARROWED or "globex" not in region.lower(), address


def test_only_outside_of_the_lens_a_list_says_in_each_row_whose_it_is(acme: TestClient) -> None:
    listed = [PAGES[path][0] for path in NARROWED] + [*VIEWS, "/audit"]
    saying = [address for address in listed if OF_TENANT.search(acme.get(address).text)]
    assert {address.partition("?")[0] for address in saying} >= WITH_TENANTS
    within = {address: acme.get(f"/in/acme{address}", follow_redirects=True).text for address in listed}
    assert [address for address, page in within.items() if OF_TENANT.search(page)] == []
    assert [address for address, page in within.items() if not all(map(is_even, TABLE.findall(page)))] == []
