"""The shop's own jobs, put in one by one."""

from __future__ import annotations

from functools import partial
from typing import Any

from app.demo import providers
from app.demo.chance import between, share
from app.demo.providers import Warehouse
from app.demo.work import busy, busy_async
from worker.backoff import Backoff
from worker.handlers import Registry
from worker.model import Job

SOON = Backoff(base_seconds=2, cap_seconds=20, exponent_cap=6, jitter=True)
"""Short enough to see a job retried, and die, within a minute."""


def register(registry: Registry) -> None:
    """The job types, where each waits and how often it is tried."""
    warehouse = Warehouse()
    add = partial(registry.job_types.register, backoff=SOON)
    told: dict[str, Any] = {"runbook": "https://wiki.example/charge-card", "owner": "payments", "replay": "keyed"}
    add("charge_card", charge_card, queue="payments", max_attempts=3, redact=["card"], **told)
    add("render_report", render_report, queue="reports", max_attempts=3, owner="reporting", replay="safe")
    told = {"runbook": "https://wiki.example/warehouses", "owner": "logistics", "replay": "safe"}
    add("sync_inventory", partial(sync_inventory, warehouse), queue="inventory", max_attempts=3, **told)
    add("renew_warehouse_token", partial(renew_warehouse_token, warehouse), queue="inventory")
    add("rebuild_search", rebuild_search, queue="background", max_attempts=2)
    add("resize_images", resize_images, queue="background", max_attempts=2)
    add("export_ledger", export_ledger, queue="exports", max_attempts=2)
    add("send_digest", send_digest, queue="mail", max_attempts=3, owner="growth", replay="ask")


def charge_card(job: Job) -> None:
    """Take the money for one order."""
    busy(between(job.id, "charge", 0.1, 0.8))
    providers.charge(job.payload, job.attempts)


def render_report(job: Job) -> None:
    """Render a report; one in twenty-five is a long one."""
    is_long = share(job.id, "long") < 0.04
    busy(between(job.id, "render", 8, 20) if is_long else between(job.id, "render", 0.3, 3))
    providers.render(job.payload["template"])


def sync_inventory(warehouse: Warehouse, job: Job) -> None:
    """Exchange stock levels with a warehouse."""
    busy(between(job.id, "sync", 0.2, 1))
    warehouse.sync(job.payload["site"])


def renew_warehouse_token(warehouse: Warehouse, job: Job) -> None:
    """Get a new token for the warehouse, after which what failed for want of one can be replayed."""
    busy(1)
    warehouse.renew()


def rebuild_search(job: Job) -> None:
    """Build a tenant's search index anew."""
    busy(between(job.id, "index", 2, 8))


async def resize_images(job: Job) -> None:
    """Make the small pictures of a product."""
    await busy_async(between(job.id, "resize", 0.2, 2))


def export_ledger(job: Job) -> None:
    """Write a month's bookings to a file; always slow, and only two at a time (see `workers`)."""
    busy(between(job.id, "export", 2, 8))


def send_digest(job: Job) -> None:
    """Send a tenant the summary of its day."""
    busy(between(job.id, "digest", 0.1, 0.4))
