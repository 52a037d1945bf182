"""The demo: steady, bounded, safe to start again, and failing only as it means to."""

from __future__ import annotations

from collections import Counter
from random import Random
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select

from app.demo import providers, shift
from app.demo.chance import between, share
from app.demo.providers import TROUBLE_BEGINS_SECONDS, TROUBLE_LASTS_SECONDS, Warehouse
from app.demo.streams import STREAMS, Day
from app.demo.traffic import MOST_DEAD, MOST_READY, TICK_SECONDS, Traffic
from app.demo.work import busy
from tests import factories
from worker.errors import JobCancelled
from worker.handlers import Registry, load
from worker.model import Status, new_id
from worker.nets import assert_nets_complete
from worker.queries import schema
from worker.settings import WorkerSettings
from worker.signals import Signal, enter, leave

jobs, outbox = schema.platform_jobs.c, schema.event_outbox.c


@pytest.fixture
def registry() -> Registry:
    return load([shift.MODULE])


@pytest.fixture
def traffic(engine: Engine, registry: Registry) -> Traffic:
    return Traffic(engine, registry.job_types, Day(Random(7)))


def test_s2_68_every_subscriber_has_a_net(registry: Registry) -> None:
    assert_nets_complete(registry.nets, registry=registry)


def a_minute_of(traffic: Traffic) -> None:
    for _ in range(int(60 / TICK_SECONDS)):
        traffic.tick()


def counts(conn: Connection, column: object) -> Counter[str]:
    """How many rows have each value of the column."""
    return Counter(conn.execute(select(column)).scalars())  # type: ignore[call-overload]


def test_everything_that_arrives_is_known(registry: Registry) -> None:
    assert all(registry.subscribers.of(each.name) for each in STREAMS if each.is_event)
    assert all(registry.job_types.handler(each.name) for each in STREAMS if not each.is_event)


def test_whatever_can_be_run_somebody_serves_and_nobody_serves_training(registry: Registry) -> None:
    types = [registry.job_types.get(name) for name in registry.job_types.runnable()]
    waiting = {(each.name, each.queue) for each in types}
    waiting |= {(each.job_type, each.queue) for each in registry.subscribers.all()}
    staff = shift.workers(WorkerSettings())
    served = {
        (job_type, queue)
        for each in staff
        for queue in each.worker_queues or ()
        for job_type in each.worker_job_types or registry.capabilities()
    }
    assert waiting <= served
    assert "training" not in {queue for _, queue in served}


def test_a_worker_chosen_by_the_environment_stays_as_it_is() -> None:
    chosen = WorkerSettings.model_validate({"worker_queues": "mail"})
    assert shift.workers(chosen) == [chosen]


def test_three_to_six_jobs_come_in_a_second(traffic: Traffic, conn: Connection, registry: Registry) -> None:
    a_minute_of(traffic)
    came = counts(conn, jobs.job_type)
    direct = sum(came[each.name] for each in STREAMS if not each.is_event)
    events = counts(conn, outbox.event_type)
    fanned_out = sum(number * len(registry.subscribers.of(name)) for name, number in events.items())
    assert 180 <= direct + fanned_out <= 360


def test_starting_again_adds_no_second_tenant_and_no_second_digest(
    traffic: Traffic, engine: Engine, conn: Connection, registry: Registry
) -> None:
    traffic.tick()
    Traffic(engine, registry.job_types).tick()
    assert conn.execute(select(func.count()).select_from(schema.tenants)).scalar() == 12
    assert counts(conn, jobs.job_type)["send_digest"] == 48
    assert counts(conn, outbox.event_type)["shipment.lost"] == 1


def test_what_is_scheduled_is_due_later(traffic: Traffic, conn: Connection) -> None:
    traffic.tick()
    due = conn.execute(select(jobs.scheduled, jobs.available_at > func.now()).where(jobs.job_type == "send_digest"))
    assert {tuple(row) for row in due} == {(True, True)}


def test_a_full_queue_gets_nothing_more(traffic: Traffic, conn: Connection) -> None:
    for _ in range(MOST_READY):
        factories.job(conn, job_type="export_ledger", queue="exports")
    a_minute_of(traffic)
    came = counts(conn, jobs.job_type)
    assert came["export_ledger"] == MOST_READY
    assert came["charge_card"] > 0


def test_after_enough_dead_letters_only_good_days_follow(traffic: Traffic, conn: Connection) -> None:
    for _ in range(MOST_DEAD):
        factories.job(conn, status=Status.FAILED, job_type="charge_card", queue="payments")
    a_minute_of(traffic)
    cards = counts(conn, jobs.payload["card"].as_string())
    assert cards["**** 4242"] > 0
    assert cards["**** 9995"] == 0


def test_a_troubled_day_brings_what_is_bound_to_fail() -> None:
    day = Day(Random(7))
    orders = [day.order() for _ in range(500)]
    assert 0 < sum(each["template"] == "invoice_v3.html" for each in orders) < 50
    assert 0 < sum(each["region"] == "sydney" for each in orders) < 50


def test_the_bank_is_busy_for_as_many_tries_as_the_order_says() -> None:
    order = {"card": "**** 4242", "busy_attempts": 2}
    for attempt in (1, 2):
        with pytest.raises(providers.ServiceUnavailable, match="payline"):
            providers.charge(order, attempt)
    providers.charge(order, 3)


def test_a_card_without_money_fails_every_time() -> None:
    with pytest.raises(providers.InsufficientFunds, match="9995"):
        providers.charge({"card": "**** 9995", "amount": 12.5}, attempt=3)


def test_the_unshipped_template_and_the_far_region_fail_by_name() -> None:
    with pytest.raises(providers.TemplateNotFound, match=r"invoice_v3\.html"):
        providers.render("invoice_v3.html")
    with pytest.raises(providers.ConnectTimeout, match="sydney"):
        providers.push_contact("sydney")
    providers.render("invoice_v2.html")
    providers.push_contact("dublin")


def test_the_warehouse_token_expires_and_is_renewed_in_time_by_somebody() -> None:
    now = 0.0
    warehouse = Warehouse(clock=lambda: now)
    warehouse.sync("leith-1")
    now = TROUBLE_BEGINS_SECONDS + 1
    with pytest.raises(providers.CredentialsExpired, match="leith-1"):
        warehouse.sync("leith-1")
    now = TROUBLE_BEGINS_SECONDS + TROUBLE_LASTS_SECONDS + 1
    warehouse.sync("leith-1")


def test_a_renewed_token_makes_replays_succeed_at_once() -> None:
    now = 0.0
    warehouse = Warehouse(clock=lambda: now)
    now = TROUBLE_BEGINS_SECONDS + 1
    warehouse.renew()
    warehouse.sync("leith-1")


@pytest.mark.parametrize("signal", [Signal(cancel_requested=True), Signal(lease_lost=True)])
def test_work_stops_when_it_is_asked_to(signal: Signal) -> None:
    enter(signal)
    try:
        with pytest.raises(JobCancelled):
            busy(600)
    finally:
        leave()


def test_chance_is_the_same_for_the_same_job() -> None:
    job_id = UUID(int=7)
    assert share(job_id, "x") == share(job_id, "x") != share(job_id, "y")
    drawn = [between(new_id(), "x", 2, 8) for _ in range(200)]
    assert 2 <= min(drawn) < max(drawn) <= 8
