"""The inbox: groups on the left, the jobs of one on the right."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import Status
from worker.queries.pages import keyset

A, B = "a" * 16, "b" * 16
LETTERS = {"HX-Request": "true", "HX-Target": "div#letters"}


def die(conn: Connection, fingerprint: str = A, minutes_ago: int = 0, **columns: object) -> UUID:
    at = NOON - timedelta(minutes=minutes_ago)
    return factories.job(conn, status=Status.FAILED, error_fingerprint=fingerprint, finished_at=at, **columns)


def test_without_dead_letters_the_page_says_so(visitor: Visitor) -> None:
    assert "No dead letters" in visitor().get("/dead-letters").text


def test_the_group_that_grew_last_is_open(visitor: Visitor, conn: Connection) -> None:
    die(conn, B, 1)
    for minutes in (2, 3):
        die(conn, A, minutes)
    text = visitor().get("/dead-letters").text
    assert "3 jobs in 2 groups." in plain(text)
    assert f'href="/dead-letters?group={B}" aria-current="true"' in text
    assert "Replay 1" in plain(text)
    assert len(cells(text)) == 1


def test_a_group_that_was_asked_for_is_open_with_its_jobs_the_last_to_die_first(
    visitor: Visitor, conn: Connection
) -> None:
    tenant = factories.tenant(conn)
    die(conn, B, 1)
    old, new = die(conn, A, 3, tenant_id=tenant, replays=2), die(conn, A, 2, idempotency_key="invoice:7")
    text = visitor().get(f"/dead-letters?group={A}").text
    rows = [row[1:6] for row in cells(text)]
    assert rows == [
        [tail(new), "–", "invoice:7", "5", "2 min ago"],
        [tail(old), "acme", "–", "5 replayed 2×", "3 min ago"],
    ]
    assert "Replay 2" in plain(text)
    assert "1 of them died again" in plain(text)


def test_what_is_drawn_stays_on_the_group_that_was_open(visitor: Visitor, conn: Connection) -> None:
    die(conn, A, 5)
    client = visitor()
    assert f'hx-get="/dead-letters?group={A}"' in client.get("/dead-letters").text
    die(conn, B, 1)
    text = client.get(f"/dead-letters?group={A}", headers=LETTERS).text
    assert text.lstrip().startswith('<div class="stack" id="letters"')
    assert f'group={A}" aria-current="true"' in text


def test_a_group_that_is_gone_says_what_became_of_it(visitor: Visitor, conn: Connection) -> None:
    die(conn, B)
    text = visitor().get(f"/dead-letters?group={A}").text
    assert "Nothing is left of this group" in text
    assert f'href="/dead-letters?group={B}"' in text


def test_a_fingerprint_may_be_any_text(visitor: Visitor, conn: Connection) -> None:
    die(conn, "lease-expired:a&b=<c> ü")
    text = visitor().get("/dead-letters", params={"group": "lease-expired:a&b=<c> ü"}).text
    assert "group=lease-expired%3Aa%26b%3D%3Cc%3E%20%C3%BC" in text
    assert len(cells(text)) == 1


def test_a_large_group_has_pages(visitor: Visitor, conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "LIMIT", 2)
    jobs = [die(conn, A, minutes) for minutes in range(5)]
    client = visitor()
    address, seen = f"/dead-letters?group={A}", []
    while address:
        text = client.get(address).text
        seen += [row[1] for row in cells(text)]
        older = text.partition('rel="next" href="')[2].partition('"')[0]
        address = older.replace("&amp;", "&")
    assert seen == [tail(job) for job in jobs]


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("queue=mail", "/jobs?status=failed&queue=mail"),
        ("handler=crm.sync", "/jobs?status=failed&handler=crm.sync"),
        ("tenant=acme", "/jobs?status=failed&tenant=acme"),
        ("q=acme", "/jobs?status=failed&q=acme"),
    ],
)
def test_what_narrows_single_jobs_leads_to_their_list(visitor: Visitor, query: str, address: str) -> None:
    answer = visitor().get(f"/dead-letters?{query}")
    assert (answer.status_code, answer.headers["location"]) == (303, address)


@pytest.mark.parametrize("query", ["group=" + "a" * 301, "group=%00", f"group={A}&before=x"])
def test_a_80_what_makes_no_sense_is_refused(visitor: Visitor, conn: Connection, query: str) -> None:
    die(conn)
    assert visitor().get(f"/dead-letters?{query}").status_code == 400


def tail(job: UUID) -> str:
    """The id as a row shows it."""
    return f"{str(job)[:8]}…{str(job)[-4:]}"
