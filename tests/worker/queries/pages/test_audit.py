"""The trail as a page reads it."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import new_id
from worker.queries.audit import Actor, record
from worker.queries.pages import audit, keyset
from worker.queries.pages.audit import AuditFilters

DANA, MIRA = Actor("dana", "10.0.0.7"), Actor("mira")


def acts(conn: Connection, filters: AuditFilters = AuditFilters(), tenant_id: UUID | None = None) -> list[str | None]:  # noqa: B008 - filters are frozen
    """The reasons of the acts found."""
    return [row.reason for row in audit.read(conn, filters, tenant_id=tenant_id).rows]


def test_every_filter_finds_what_it_names_the_newest_first(conn: Connection) -> None:
    tenant = factories.tenant(conn)
    ours, other = factories.job(conn, tenant_id=tenant), factories.job(conn)
    record(conn, actor=DANA, action="replay", job_ids=[ours], reason="1", now=NOON)
    record(conn, actor=DANA, action="cancel", job_ids=[ours, other], reason="2", now=NOON)
    record(conn, actor=MIRA, action="replay", job_ids=[other], reason="3", now=NOON)
    record(conn, actor=MIRA, action="provision", tenant_id=tenant, outcome="refused", reason="4", now=NOON)
    assert acts(conn) == ["4", "3", "2", "1"]
    assert acts(conn, AuditFilters(actor="dana")) == ["2", "1"]
    assert acts(conn, AuditFilters(action="replay")) == ["3", "1"]
    assert acts(conn, AuditFilters(outcome="refused")) == ["4"]
    assert acts(conn, AuditFilters(job=ours)) == ["2", "1"]
    assert acts(conn, AuditFilters(job=other, actor="mira")) == ["3"]
    assert acts(conn, AuditFilters(tenant="acme"), tenant) == ["4", "2", "1"]


def test_an_act_comes_with_one_of_its_jobs_and_its_tenant(conn: Connection) -> None:
    tenant = factories.tenant(conn)
    jobs = {factories.job(conn) for _ in range(5)}
    record(conn, actor=DANA, action="replay", job_ids=jobs, tenant_id=tenant, now=NOON)
    record(conn, actor=DANA, action="pause", target="mail", now=NOON)
    paused, replayed = audit.read(conn, AuditFilters()).rows
    assert (paused.job_id, paused.tenant, paused.target) == (None, None, "mail")
    assert (replayed.job_id in jobs, replayed.tenant) == (True, "acme")


def test_the_trail_is_walked_page_by_page(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "LIMIT", 2)
    for number in range(5):
        record(conn, actor=DANA, action="replay", reason=str(number), now=NOON)
    seen, page = [], audit.read(conn, AuditFilters())
    while True:
        seen += [row.reason for row in page.rows]
        if not page.older:
            break
        page = audit.read(conn, AuditFilters(), before=page.older)
    assert seen == ["4", "3", "2", "1", "0"]


@pytest.mark.parametrize(
    ("field", "value"), [("outcome", "maybe"), ("job", "7"), ("actor", "a" * 101), ("action", "a\0")]
)
def test_a_value_that_makes_no_sense_is_refused_by_name(field: str, value: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        audit.parse([(field, value)])
    assert refusal.value.field == field


def test_what_is_written_back_reads_the_same() -> None:
    filters = AuditFilters(actor="dana", action="replay", outcome="done", job=new_id(), tenant="acme")
    assert audit.parse(filters.pairs()) == filters


def test_the_latest_act_on_some_jobs_says_who_was_first(conn: Connection) -> None:
    jobs = [factories.job(conn) for _ in range(2)]
    record(conn, actor=DANA, action="replay", job_ids=jobs, now=NOON - timedelta(minutes=1))
    number = record(conn, actor=MIRA, action="cancel", job_ids=jobs[1:], now=NOON)
    latest = audit.latest(conn, job_ids=jobs)
    assert latest
    assert (latest.id, latest.actor) == (number, "mira")
    assert audit.latest(conn, job_ids=[new_id()]) is None
    assert audit.one(conn, action_id=number + 1) is None
