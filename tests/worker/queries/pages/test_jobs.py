"""The list of jobs: each filter finds what it names, each row is seen once, a search says how far it looked (A-79)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, insert, literal

from tests import factories
from tests.factories import NOON
from worker.database import json_of
from worker.errors import InvalidInput
from worker.model import Status, new_id
from worker.queries.audit import Actor, record
from worker.queries.pages import jobs, keyset
from worker.queries.pages.filters import Filters
from worker.queries.pages.keyset import Page
from worker.queries.schema import platform_jobs


def page(conn: Connection, filters: Filters = Filters(), tenant_id: UUID | None = None, **at: Any) -> Page:  # noqa: B008 - filters are frozen
    return jobs.read(conn, filters, tenant_id=tenant_id, now=NOON, **at)


def ids(found: Page) -> list[UUID]:
    return [row.id for row in found.rows]


@pytest.fixture
def each(conn: Connection) -> dict[str, UUID]:
    """A job in each state, by the state's name."""
    later: Any = {"available_at": NOON + timedelta(minutes=5), "scheduled": True}
    return {
        "ready": factories.job(conn, queue="mail"),
        "scheduled": factories.job(conn, **later),
        "retrying": factories.job(conn, attempts=2, **later),
        "running": factories.job(conn, status=Status.RUNNING),
        "cancelling": factories.job(conn, status=Status.RUNNING, cancel_requested_at=NOON),
        "succeeded": factories.job(conn, status=Status.SUCCEEDED),
        "dead": factories.job(conn, status=Status.FAILED),
        "cancelled": factories.job(conn, status=Status.CANCELLED),
    }


def test_each_state_is_described_as_it_is(conn: Connection, each: dict[str, UUID]) -> None:
    assert {row.state: row.id for row in page(conn).rows} == each


@pytest.mark.parametrize(
    ("status", "states"),
    [
        ("queued", {"ready", "scheduled", "retrying"}),
        ("ready", {"ready"}),
        ("scheduled", {"scheduled", "retrying"}),
        ("retrying", {"retrying"}),
        ("running", {"running", "cancelling"}),
        ("succeeded", {"succeeded"}),
        ("failed", {"dead"}),
        ("cancelled", {"cancelled"}),
    ],
)
def test_a_status_lists_its_states_and_no_other(
    conn: Connection, each: dict[str, UUID], status: str, states: set[str]
) -> None:
    assert {row.state for row in page(conn, Filters(status=status)).rows} == states


def test_every_filter_finds_what_it_names(conn: Connection) -> None:
    acme = factories.tenant(conn)
    factories.worker_instance(conn, "w-1", component="renderer")
    for _ in range(3):
        factories.job(conn, status=Status.FAILED, error_summary="quite another")
    event = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    dead = factories.job(
        conn, status=Status.FAILED, job_type="run_subscriber", queue="crm", tenant_id=acme, idempotency_key="k-1",
        error_type="ConnectTimeout", error_summary="100% of it did not answer", error_fingerprint="a" * 16,
        created_at=NOON - timedelta(days=3), **event,
    )  # fmt: skip
    running = factories.job(conn, status=Status.RUNNING, locked_by="w-1")
    act = record(conn, actor=Actor("dana"), action="replay", job_ids=[dead])
    asked = {
        "type": Filters(type="crm.sync"),
        "job type": Filters(type="run_subscriber"),
        "queue": Filters(queue="crm"),
        "event": Filters(event="ev-1"),
        "key": Filters(key="k-1"),
        "group": Filters(status="failed", group="a" * 16),
        "act": Filters(action=act),
        "error": Filters(status="failed", error=("connecttimeout", "100%")),
        "until": Filters(until="2d"),
    }
    assert {name: ids(page(conn, filters)) for name, filters in asked.items()} == {name: [dead] for name in asked}
    assert ids(page(conn, Filters(tenant="acme"), acme)) == [dead]
    assert ids(page(conn, Filters(status="running", worker="renderer"))) == [running]
    assert ids(page(conn, Filters(since="2d", queue="crm"))) == []
    assert [row.tenant for row in page(conn, Filters(queue="crm")).rows] == ["acme"]


def test_the_same_key_of_two_tenants_and_of_nobody_is_found_thrice(conn: Connection) -> None:
    owners = [factories.tenant(conn), factories.tenant(conn, "globex"), None]
    found = {factories.job(conn, tenant_id=owner, idempotency_key="k") for owner in owners}
    factories.job(conn, tenant_id=owners[0], idempotency_key="other")
    assert set(ids(page(conn, Filters(key="k")))) == found


def test_an_error_is_searched_as_it_is_written(conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED, error_summary="1000 of it")
    assert ids(page(conn, Filters(status="failed", error=("100%",)))) == []


ORDERS: dict[str, tuple[Filters, dict[str, Any]]] = {
    "all": (Filters(), {}),
    "dead letters": (Filters(status="failed"), {"status": Status.FAILED, "finished_at": NOON}),
    "ready": (Filters(status="ready"), {}),
    "scheduled": (Filters(status="scheduled"), {"scheduled": True, "available_at": NOON + timedelta(hours=1)}),
    "running": (Filters(status="running"), {"status": Status.RUNNING}),
    "searched": (Filters(queue="default"), {}),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [1, 2, 7, 50])
def test_a_79_rows_of_one_moment_are_each_seen_once_while_others_come_and_go(
    conn: Connection, monkeypatch: pytest.MonkeyPatch, order: str, size: int
) -> None:
    monkeypatch.setattr(keyset, "LIMIT", size)
    filters, columns = ORDERS[order]
    there = {factories.job(conn, **columns) for _ in range(23)}
    seen: list[UUID] = []
    found = page(conn, filters)
    while True:
        seen += ids(found)
        if len(seen) < 30:
            factories.job(conn, **columns)
        conn.execute(platform_jobs.delete().where(platform_jobs.c.id == seen[0]))
        if not found.older:
            break
        found = page(conn, filters, before=found.older)
    assert len(seen) == len(set(seen))
    assert there <= set(seen)


@pytest.mark.parametrize(
    ("filters", "column", "columns"),
    [
        (Filters(sort="created"), "created_at", {}),
        (Filters(status="failed", sort="ended"), "finished_at", {"status": Status.FAILED}),
        (Filters(status="failed", sort="created"), "created_at", {"status": Status.FAILED}),
        (Filters(status="running", sort="started"), "locked_at", {"status": Status.RUNNING}),
        (Filters(status="ready", sort="created"), "created_at", {}),
    ],
)
def test_an_order_turns_the_list_round_and_its_pages_still_show_each_row_once(
    conn: Connection, monkeypatch: pytest.MonkeyPatch, filters: Filters, column: str, columns: dict[str, Any]
) -> None:
    monkeypatch.setattr(keyset, "LIMIT", 2)
    made = [factories.job(conn, **columns | {column: NOON - timedelta(minutes=minute)}) for minute in range(5)]
    factories.job(conn, status=Status.CANCELLED, created_at=NOON + timedelta(minutes=1))
    seen, found = ids(page(conn, filters)), page(conn, filters)
    while found.older:
        found = page(conn, filters, before=found.older)
        seen += ids(found)
    assert seen[:5] == made[::-1]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("order.id", "12345678901234567890123"),
        ("order.items.1.sku", "ü x"),
        ("order.paid", "true"),
        ("order.total", "0.25"),
    ],
)
def test_what_a_payload_holds_is_found_to_the_last_digit(conn: Connection, path: str, value: str) -> None:
    document = '{"order": {"id": 12345678901234567890123, "items": [1, {"sku": "ü x"}], "paid": true, "total": 0.25}}'
    job = factories.job(conn)
    conn.execute(platform_jobs.update().where(platform_jobs.c.id == job).values(payload=json_of(literal(document))))
    factories.job(conn, payload={"order": {"id": "1", "items": None, "paid": None}})
    factories.unreadable(conn)
    assert ids(page(conn, Filters(payload=((path, value),)))) == [job]
    assert ids(page(conn, Filters(payload=((path, "other"),)))) == []


def test_a_search_of_payloads_opens_fewer_of_them_before_it_says_where_it_stopped(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "COSTLY_WINDOW", 2)
    for _ in range(3):
        factories.job(conn)
    found = page(conn, Filters(payload=(("a", "b"),)))
    assert found.stopped
    assert found.looked_at == 2


def test_going_back_shows_the_page_before_and_at_last_the_first(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "LIMIT", 3)
    for minute in range(8):
        factories.job(conn, created_at=NOON - timedelta(minutes=minute))
    first = page(conn)
    second = page(conn, before=first.older)
    third = page(conn, before=second.older)
    assert (first.newer, third.older) == (None, None)
    assert ids(page(conn, after=third.newer)) == ids(second)
    back = page(conn, after=second.newer)
    assert (ids(back), back.newer) == (ids(first), None)


def test_a_search_stops_somewhere_says_so_and_goes_on_from_there(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "WINDOW", 5)
    wanted = factories.job(conn, queue="crm", created_at=NOON - timedelta(hours=1))
    for minute in range(12):
        factories.job(conn, created_at=NOON - timedelta(minutes=minute))
    first = page(conn, Filters(queue="crm"))
    assert (ids(first), first.stopped and first.stopped.created_at) == ([], NOON - timedelta(minutes=4))
    second = page(conn, Filters(queue="crm"), before=first.older)
    third = page(conn, Filters(queue="crm"), before=second.older)
    assert (ids(third), third.stopped, third.older) == ([wanted], None, None)


def test_a_list_without_a_search_never_stops(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "WINDOW", 5)
    for _ in range(12):
        factories.job(conn, status=Status.FAILED)
    assert page(conn, Filters(status="failed")).stopped is None


@pytest.mark.parametrize("cursor", ["x", "W10", "A" * 600, "WzFd", "WyIyMDI2IiwiMSJd", "é"])
def test_a_cursor_that_is_none_of_ours_is_refused(conn: Connection, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        page(conn, before=cursor)
    with pytest.raises(InvalidInput, match="cursor"):
        page(conn, after=cursor)


def test_a_row_carries_neither_payload_nor_trace(conn: Connection) -> None:
    conn.execute(insert(platform_jobs), {"id": new_id(), "job_type": "x", "payload": {"a": "b"}})
    assert not {"payload", "error_detail", "metadata"} & set(page(conn).rows[0]._fields)


def test_an_error_is_found_whatever_the_case_of_its_letters(conn: Connection) -> None:
    job = factories.job(conn, status=Status.FAILED, error_summary="Übertrag fehlt")
    found = page(conn, Filters(status=Status.FAILED, error=("ÜBERTRAG",)))
    assert [row.id for row in found.rows] == [job]
