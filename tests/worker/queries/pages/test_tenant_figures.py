"""The figures of a tenant: all that is its own and nothing of anybody else's; what is everybody's stays."""

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import AttemptOutcome, Status
from worker.queries import samples as kept
from worker.queries import statistics
from worker.queries.pages import courses, figures, samples, tenant_figures
from worker.queries.pages.courses import SPANS
from worker.queries.pages.samples import Depth
from worker.queries.samples import Pair, Sample, TenantPair
from worker.queries.statistics import Measured

MINUTE = timedelta(minutes=1)
HOUR = SPANS["1h"]


def stock(conn: Connection, **columns: Any) -> None:
    """A job of each kind, one of them ready for forty seconds."""
    factories.job(conn, queue="mail", available_at=NOON - timedelta(seconds=40), created_at=NOON, **columns)
    factories.job(conn, queue="mail", available_at=NOON + MINUTE, scheduled=True, attempts=1, **columns)
    factories.job(conn, queue="bulk", status=Status.RUNNING, **columns)
    factories.job(conn, queue="bulk", status=Status.FAILED, **columns)
    factories.job(conn, queue="bulk", status=Status.SUCCEEDED, **columns)


def test_only_the_work_of_the_tenant_is_in_its_figures(conn: Connection) -> None:
    mine, other = factories.tenant(conn, slug="acme"), factories.tenant(conn, slug="globex")
    factories.worker_instance(conn)
    for owner in (mine, other, other, None):
        stock(conn, tenant_id=owner)
    of_all = figures.sample(conn, now=NOON)
    found = tenant_figures.of_tenant(conn, of_all, tenant_id=mine)
    assert (found.ready, found.depths.scheduled, found.running, found.dead) == (1, 1, 1, 1)
    assert (of_all.ready, of_all.running, of_all.dead) == (4, 4, 4)
    (waiting,) = [each for each in found.backlog if each.queue == "mail"]
    assert (waiting.ready_since, waiting.next_due, waiting.retrying) == (
        NOON - timedelta(seconds=40),
        NOON + MINUTE,
        1,
    )
    assert (found.workers, found.paused, found.tenant_id) == (of_all.workers, of_all.paused, mine)
    assert not found.partial


def test_what_came_and_went_is_the_tenants_too(conn: Connection) -> None:
    mine, other = factories.tenant(conn, slug="acme"), factories.tenant(conn, slug="globex")
    for owner, number in ((mine, 5), (other, 50), (None, 500)):
        measured = Measured("mail", "default", AttemptOutcome.COMPLETED, 2000, 0, tenant_id=owner)
        statistics.add(conn, [measured] * number, now=NOON - MINUTE)
    factories.job(conn, tenant_id=mine, created_at=NOON - MINUTE)
    factories.job(conn, tenant_id=other, created_at=NOON - MINUTE)
    found = tenant_figures.of_tenant(conn, figures.sample(conn, now=NOON), tenant_id=mine)
    assert (found.finished, found.arrived) == (1, 0.2)
    assert [minute.completed for minute in found.hour.minutes if minute.completed] == [5]
    slots = courses.read(conn, HOUR, tenant_id=mine, handler="mail", now=NOON)
    assert [(slot.completed, slot.run_seconds(0.5)) for slot in slots if slot.completed] == [(5, 2)]
    assert not any(slot.completed for slot in courses.read(conn, HOUR, tenant_id=mine, queue="bulk", now=NOON))


def test_the_topics_of_a_lens_change_with_what_is_in_it_alone(conn: Connection) -> None:
    mine, other = factories.tenant(conn, slug="acme"), factories.tenant(conn, slug="globex")

    def topics() -> dict[str, str]:
        return tenant_figures.of_tenant(conn, figures.sample(conn, now=NOON), tenant_id=mine).topics()

    before = topics()
    factories.job(conn, tenant_id=other)
    assert topics() == before
    factories.job(conn, tenant_id=mine)
    assert topics()["queues"] != before["queues"]


def test_a_tenants_backlog_is_nothing_only_where_that_was_seen(conn: Connection) -> None:
    mine, other = factories.tenant(conn, slug="acme"), factories.tenant(conn, slug="globex")
    theirs = [TenantPair(mine, Pair("mail", "send", ready=2)), TenantPair(mine, Pair("bulk", "train", ready=3))]
    many = [TenantPair(other, Pair(f"q{place}", "x", ready=9)) for place in range(kept.MOST_TENANT_PAIRS + 1)]
    kept.write(conn, Sample(tenants=theirs), now=NOON)
    kept.write(conn, Sample(tenants=many), now=NOON + MINUTE)
    kept.write(conn, Sample(), now=NOON + 2 * MINUTE)
    read: dict[str, Any] = {"since": NOON, "until": NOON + 5 * MINUTE, "slot_seconds": 60}
    assert samples.backlog(conn, tenant_id=mine, **read) == [Depth(NOON, ready=5), Depth(NOON + 2 * MINUTE)]
    of_mail = samples.backlog(conn, tenant_id=mine, queue="mail", **read)
    assert [each.ready for each in of_mail] == [2, 0]
