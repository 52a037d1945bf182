"""One look: the backlog pair by pair, and how bad each kind of trouble is, with no limit in it."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import Status
from worker.queries import samples as kept
from worker.queries.pages import samples
from worker.queries.pages.looks import look
from worker.queries.samples import Pair


def test_a_look_counts_every_pair_and_measures_every_kind(conn: Connection) -> None:
    factories.worker_instance(conn)
    for seconds in (5, 40):
        factories.job(conn, queue="mail", available_at=NOON - timedelta(seconds=seconds))
    factories.job(conn, queue="mail", status=Status.RUNNING, locked_at=NOON - timedelta(seconds=9))
    factories.job(conn, queue="bulk", status=Status.FAILED)
    factories.job(conn, queue="bulk", available_at=NOON + timedelta(hours=1), scheduled=True)
    seen = look(conn, now=NOON)
    assert (seen.ready, seen.oldest_seconds, seen.scheduled, seen.running, seen.dead) == (2, 40, 1, 1, 1)
    assert list(seen.pairs) == [
        Pair("bulk", "render_report", scheduled=1, dead=1),
        Pair("mail", "render_report", ready=2, oldest_seconds=40, running=1),
    ]
    assert {kind: value for kind, value in seen.findings.items() if value} == {"hung": 9}


def test_a_look_tells_tenants_apart(conn: Connection) -> None:
    mine, other = factories.tenant(conn, slug="acme"), factories.tenant(conn, slug="globex")
    for owner in (mine, mine, other, None):
        factories.job(conn, queue="mail", tenant_id=owner, available_at=NOON - timedelta(seconds=40))
    factories.job(conn, queue="mail", tenant_id=other, status=Status.RUNNING)
    factories.job(conn, queue="bulk", tenant_id=other, status=Status.FAILED)
    seen = look(conn, now=NOON)
    assert {(each.tenant_id, each.of) for each in seen.tenants} == {
        (mine, Pair("mail", "render_report", ready=2, oldest_seconds=40)),
        (other, Pair("mail", "render_report", ready=1, oldest_seconds=40, running=1)),
        (other, Pair("bulk", "render_report", dead=1)),
    }


def test_nothing_at_all_is_a_look_too(conn: Connection) -> None:
    seen = look(conn, now=NOON)
    assert (seen.ready, list(seen.pairs), set(seen.findings.values())) == (0, [], {0})


def test_a_tenant_whose_jobs_may_lie_beyond_what_is_counted_is_not_known(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.queries.pages.looks.COUNTED", 2)
    mine = factories.tenant(conn, slug="acme")
    read: dict[str, Any] = {"since": NOON, "until": NOON + timedelta(minutes=1), "slot_seconds": 60}
    for jobs, now in ((1, NOON), (2, NOON + timedelta(minutes=1))):
        factories.job(conn, queue="mail", available_at=NOON)
        seen = look(conn, now=now)
        assert seen.tenants_in_full == (jobs < 2)
        kept.write(conn, seen, now=now)
    assert samples.backlog(conn, tenant_id=mine, **read) == [samples.Depth(NOON)]
