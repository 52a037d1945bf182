"""Who hears of the shop's events."""

from __future__ import annotations

from app.demo import providers
from app.demo.chance import between
from app.demo.work import busy
from worker.handlers import Registry
from worker.model import Job
from worker.nets import DurableSubscriberNet

EXEMPT = {
    "crm.sync": "the CRM asks for yesterday's orders every night",
    "crm.welcome": "the CRM asks for yesterday's customers every night",
    "invoice.render": "rendered when somebody opens it",
    "ledger.correct": "the accountant balances the books every month",
    "mail.dunning": "the next failed payment writes again",
    "mail.welcome": "a greeting that comes late had better not come",
}
"""Subscribers that need no backfill, and why."""


def register(registry: Registry) -> None:
    """Event type, subscriber, where its jobs wait and how often they are tried."""
    add = registry.subscribers.register
    add(
        "order.created",
        "invoice.render",
        render_invoice,
        queue="reports",
        max_attempts=2,
        owner="billing",
        replay="safe",
    )
    add("order.created", "crm.sync", sync_contact, queue="crm", max_attempts=3, owner="sales", replay="safe")
    add("order.created", "stock.reserve", reserve_stock, queue="inventory", max_attempts=3)
    add("customer.registered", "crm.welcome", sync_contact, queue="crm", max_attempts=3)
    add("customer.registered", "mail.welcome", send_mail, queue="mail", max_attempts=3)
    add("payment.failed", "mail.dunning", send_mail, queue="mail", max_attempts=3, owner="billing", replay="ask")
    add("payment.failed", "ledger.correct", correct_ledger, queue="payments", max_attempts=3)
    registry.nets.register(DurableSubscriberNet("stock.reserve", backfill=count_stock))
    for name, reason in EXEMPT.items():
        registry.nets.register(DurableSubscriberNet(name, exempt_reason=reason))


def render_invoice(job: Job) -> None:
    """Render the invoice of an order."""
    busy(between(job.id, "invoice", 0.2, 1.5))
    providers.render(job.payload["template"])


def sync_contact(job: Job) -> None:
    """Tell the CRM about a customer."""
    busy(between(job.id, "crm", 0.1, 1))
    providers.push_contact(job.payload["region"])


def reserve_stock(job: Job) -> None:
    """Put the goods of an order aside."""
    busy(between(job.id, "stock", 0.1, 0.4))


def count_stock() -> None:
    """Compare what is put aside with the orders, and put aside what is missing."""
    busy(0.2)


def send_mail(job: Job) -> None:
    """Write to a customer."""
    busy(between(job.id, "mail", 0.1, 0.6))


def correct_ledger(job: Job) -> None:
    """Book a payment that did not come."""
    busy(between(job.id, "ledger", 0.1, 0.3))
