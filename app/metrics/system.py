"""What runs the jobs: the workers by component, the outbox, the tenants, the database."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata

from prometheus_client.core import InfoMetricFamily, Metric

from app.metrics.families import gauge, single, summed
from app.metrics.names import Kept
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State

OF_COMPONENT = ("component",)


def families(figures: Figures) -> Iterator[Metric]:
    """All of them."""
    yield InfoMetricFamily("watchfloor_build", "The console that answers.", {"version": metadata.version("watchfloor")})
    yield single(
        "sampled_timestamp_seconds", "When all of this was read, by the database's clock.", figures.at.timestamp()
    )
    yield from _workers(figures)
    yield from _outbox(figures)
    yield gauge(
        "tenants",
        "Tenants by how far they are set up.",
        {(state,): tenants for state, tenants in figures.tenants.items()},
        labels=("state",),
    )
    oldest = figures.transaction
    open_for = max((figures.at - oldest.since).total_seconds(), 0) if oldest else 0
    yield single("oldest_transaction_seconds", "How long the oldest open transaction has been open.", open_for)


def _workers(figures: Figures) -> Iterator[Metric]:
    present = [*figures.live, *figures.silent]
    components = Kept(((each.component,), 1) for each in present)
    yield gauge(
        "workers",
        "Worker processes by state; those that stopped, or have been silent for an hour, are left out.",
        summed(((*components.of(each.component), str(each.state)), 1) for each in present),
        labels=("component", "state"),
    )
    slots = ((components.of(each.component), each.concurrency) for each in present if each.state is State.LIVE)
    yield gauge("worker_slots", "Jobs that the live workers can run at once.", summed(slots), labels=OF_COMPONENT)
    busy = ((components.of(each.component), each.busy) for each in figures.live)
    yield gauge("worker_busy_slots", "Jobs that the live workers hold.", summed(busy), labels=OF_COMPONENT)


def _outbox(figures: Figures) -> Iterator[Metric]:
    outbox = figures.outbox
    counts = {"fresh": outbox.fresh, "failing": outbox.failing, "unsubscribed": outbox.unsubscribed}
    yield gauge(
        "outbox_events",
        "Published events that are no jobs: not relayed yet, refused by the database, or without a subscriber.",
        {(state,): events for state, events in counts.items()},
        labels=("state",),
    )
    waited = max((figures.at - outbox.fresh_since).total_seconds(), 0) if outbox.fresh else 0
    yield single("outbox_oldest_seconds", "The age of the oldest event that waits for the relay.", waited)
