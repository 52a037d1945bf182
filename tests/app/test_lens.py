"""The lens of one tenant: an address that every link stays below, and what lies outside of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette

from app.lens import split, within
from tests import factories
from tests.app.conftest import Visitor, browser
from worker.model import Status
from worker.queries import grouping
from worker.queries.audit import Actor

LINK = re.compile(r'(data-leaves )?\b(?:href|action|formaction|src|hx-get|hx-post|hx-sse:connect)="(/[^"]*)')


def links(page: str) -> list[tuple[str, str]]:
    return LINK.findall(page)


def test_the_bar_says_whose_lens_it_is_and_leads_out(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    page = visitor().get("/in/acme/jobs?queue=mail").text
    bar = page.partition('aria-label="Lens"')[2].partition("</section>")[0]
    assert "Only" in bar
    assert "acme" in bar
    assert '<a class="button small" data-leaves href="/jobs?queue=mail">Leave</a>' in bar
    assert "<title>Jobs · acme · Watchfloor</title>" in page


def test_every_link_of_a_page_in_the_lens_stays_there(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    found = links(visitor().get("/in/acme/jobs").text)
    fallen = {address for leaves, address in found if not leaves and not address.startswith(("/in/acme/", "/static/"))}
    assert fallen == {"/sign-out"}
    assert any(address.startswith("/in/acme/live?") for _, address in found)


def test_outside_of_it_nothing_says_lens(visitor: Visitor, conn: Connection) -> None:
    page = visitor().get("/jobs").text
    assert 'aria-label="Lens"' not in page
    assert not [address for _, address in links(page) if address.startswith("/in/")]


def test_a_redirect_stays_in_it(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    answer = visitor().get("/in/acme/jobs?q=queue:mail")
    assert (answer.status_code, answer.headers["location"]) == (303, "/in/acme/jobs?queue=mail")


def test_its_first_page_is_reached_without_the_slash(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    answer = visitor().get("/in/acme?span=7d")
    assert (answer.status_code, answer.headers["location"]) == (307, "/in/acme/?span=7d")


def test_a_tenant_that_is_not_there_is_not_found_in_words_that_lead_out(visitor: Visitor) -> None:
    answer = visitor().get("/in/nobody/jobs?queue=mail")
    assert answer.status_code == 404
    assert "There is no tenant nobody." in answer.text
    assert 'data-leaves href="/jobs?queue=mail">Leave nobody' in answer.text
    assert not [address for _, address in links(answer.text) if address.startswith("/in/")]


@pytest.mark.parametrize(
    ("path", "status"), {"/replays/new": 403, "/nothing": 404, "/jobs/x/y/z": 404, "/live/x": 404}.items()
)
def test_a_page_that_refuses_is_in_the_lens_and_counts_no_other_tenant(
    visitor: Visitor, conn: Connection, path: str, status: int
) -> None:
    factories.tenant(conn, "acme")
    factories.job(conn, tenant_id=factories.tenant(conn, "globex"), status=Status.FAILED)
    answer = visitor("viewer").get(f"/in/acme{path}")
    assert answer.status_code == status
    assert 'aria-label="Lens"' in answer.text
    assert 'data-nav="dead-letters"' in answer.text
    assert 'class="count"' not in answer.text


def test_a_page_that_refuses_an_act_from_elsewhere_is_in_the_lens_too(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    answer = visitor().post("/in/acme/replays", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert 'aria-label="Lens"' in answer.text


def test_what_is_not_there_of_a_tenant_that_is_not_lies_outside_of_any_lens(visitor: Visitor) -> None:
    answer = visitor().get("/in/nobody/nothing")
    assert answer.status_code == 404
    assert not [address for _, address in links(answer.text) if address.startswith("/in/")]


def test_nobody_learns_without_signing_in_which_tenants_there_are(app: Starlette, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    for slug in ("acme", "nobody"):
        answer = browser(app).get(f"/in/{slug}/jobs?queue=mail")
        assert answer.status_code == 303
        assert answer.headers["location"] == f"/sign-in?next=%2Fin%2F{slug}%2Fjobs%3Fqueue%3Dmail"


def test_signing_in_leads_back_into_it(app: Starlette, visitor: Visitor) -> None:
    answer = visitor().get("/sign-in?next=/in/acme/jobs?queue=mail")
    assert answer.headers["location"] == "/in/acme/jobs?queue=mail"


@pytest.mark.parametrize(
    "path", ["/in/acme/static/x/app.css", "/in/acme/in/acme/jobs", "/in/acme/admin/tenants", "/in/"]
)
def test_what_is_there_once_for_all_is_not_there_again_below_a_lens(
    visitor: Visitor, conn: Connection, path: str
) -> None:
    factories.tenant(conn, "acme")
    assert visitor().get(path).status_code == 404


@pytest.mark.parametrize(
    ("address", "inside"),
    {
        "a page": ("/jobs?a=/x", "/in/acme/jobs?a=/x"),
        "the first page": ("/", "/in/acme/"),
        "another lens": ("/in/globex/jobs", "/in/globex/jobs"),
        "a file": ("/static/1/app.css", "/static/1/app.css"),
        "another site": ("//e.example/jobs", "//e.example/jobs"),
        "the door": ("/sign-in?next=/", "/sign-in?next=/"),
    }.values(),
)
def test_an_address_is_put_below_a_prefix_where_it_is_a_page(address: str, inside: str) -> None:
    assert within("/in/acme", address) == inside


def test_an_address_is_taken_apart_into_lens_and_page() -> None:
    assert split("/in/acme/jobs") == ("/in/acme", "/jobs")
    assert split("/jobs") == ("", "/jobs")
    assert split("/in/acme/in/globex/jobs")[0] == ""


def test_a_tenant_is_found_by_how_its_slug_begins_or_by_a_word_within(visitor: Visitor, conn: Connection) -> None:
    for slug in ("acme", "globex", "big-acme"):
        factories.tenant(conn, slug)
    page = visitor().get("/lens?q=ACM&at=/jobs").text
    assert re.findall(r'href="(/in/[^"]*)"', page) == ["/in/acme/jobs", "/in/big-acme/jobs"]


def test_the_chooser_leads_nowhere_but_to_pages(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    page = visitor().get("/lens?at=//e.example/").text
    assert 'href="/in/acme/"' in page
    assert "e.example" not in page


def test_a_page_in_a_lens_is_chosen_for_another_tenant(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    page = visitor().get("/lens?at=/in/globex/jobs%3Fqueue=mail").text
    assert 'href="/in/acme/jobs?queue=mail"' in page
    assert "globex" not in page


def test_a_view_of_another_tenant_says_that_it_leaves(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    factories.tenant(conn, "globex")
    client = visitor()
    client.post("/in/acme/jobs/views", data={"name": "Dead", "query": "status=failed"})
    client.post("/jobs/views", data={"name": "All dead", "query": "status=failed"})
    found = links(client.get("/in/globex/jobs").text)
    assert ("data-leaves ", "/jobs?status=failed&amp;tenant=acme") in found
    assert ("", "/in/globex/jobs?status=failed") in found


def test_of_very_many_tenants_a_few_are_shown(visitor: Visitor, conn: Connection) -> None:
    for number in range(25):
        factories.tenant(conn, f"tenant-{number:02}")
    page = visitor().get("/lens").text
    assert len(re.findall(r'href="/in/', page)) == 20
    assert "More than 20: type on" in page


def test_text_for_a_channel_leads_back_into_the_lens(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme")
    factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, error_fingerprint="f" * 16)
    assert "http://localhost/in/acme/dead-letters?group=" in visitor().get("/in/acme/dead-letters").text


def test_a_word_that_is_another_tenants_name_is_looked_for_in_errors(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    factories.tenant(conn, "timeout")
    client = visitor()
    assert client.get("/in/acme/jobs?q=timeout").headers["location"] == "/in/acme/jobs?status=failed&error=timeout"
    assert client.get("/in/acme/jobs?q=acme").headers["location"] == "/in/acme/jobs"
    assert client.get("/in/acme/jobs?q=tenant:timeout").status_code == 400


def test_what_a_joined_group_says_may_be_of_another_tenant(visitor: Visitor, conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    said = {acme: ("a" * 16, "acme dies"), globex: ("b" * 16, "globex dies")}
    for tenant_id, (group, message) in said.items():
        died: dict[str, Any] = {"status": Status.FAILED, "error_fingerprint": group, "error_summary": message}
        factories.job(conn, tenant_id=tenant_id, **died)
    grouping.merge(conn, fingerprint="b" * 16, into="a" * 16, actor=Actor("lee"))
    client = visitor()
    for group in ("a" * 16, "b" * 16):
        assert "globex dies" in client.get(f"/dead-letters?group={group}").text
        page = client.get(f"/in/acme/dead-letters?group={group}").text
        assert "b" * 16 in page
        assert "globex dies" not in page
