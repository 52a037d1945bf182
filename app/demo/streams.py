"""What arrives in the shop, how often, and what it carries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any


@dataclass
class Day:
    """A day in the shop; a troubled one now and then brings what is bound to fail (see `providers`)."""

    random: Random = field(default_factory=Random)
    troubled: bool = True

    def order(self) -> dict[str, Any]:
        """An order; some ask for the invoice that never shipped."""
        template = "invoice_v3.html" if self._rarely(0.03) else "invoice_v2.html"
        return {"order_id": self._number(), "template": template, "region": self._region()}

    def customer(self) -> dict[str, Any]:
        """A customer who has just registered."""
        return {"customer_id": self._number(), "region": self._region()}

    def payment(self) -> dict[str, Any]:
        """A card to charge; some have no money, some meet a bank that is busy for a try or two."""
        return {
            "order_id": self._number(),
            "amount": round(self.random.uniform(4, 400), 2),
            "card": "**** 9995" if self._rarely(0.03) else "**** 4242",
            "busy_attempts": self.random.choices((0, 1, 2), (88, 9, 3))[0],
        }

    def unpaid(self) -> dict[str, Any]:
        """An order whose payment did not come."""
        return {"order_id": self._number()}

    def report(self) -> dict[str, Any]:
        """A report somebody ordered."""
        template = self.random.choice(("sales.html", "stock.html", "returns.html"))
        return {"template": template, "days": self.random.choice((1, 7, 30))}

    def stock(self) -> dict[str, Any]:
        """The stock of one warehouse site."""
        return {"site": self.random.choice(("gdansk-2", "leith-1", "tacoma-4"))}

    def product(self) -> dict[str, Any]:
        """A product with new pictures."""
        return {"product_id": self._number(), "pictures": self.random.randint(1, 9)}

    def index(self) -> dict[str, Any]:
        """A search index that has aged."""
        return {"index": self.random.choice(("products", "orders", "customers"))}

    def month(self) -> dict[str, Any]:
        """A month of bookings."""
        return {"month": f"2026-{self.random.randint(1, 12):02d}", "format": self.random.choice(("csv", "datev"))}

    def _number(self) -> int:
        return self.random.randint(10_000, 99_999)

    def _rarely(self, share: float) -> bool:
        return self.troubled and self.random.random() < share

    def _region(self) -> str:
        return "sydney" if self._rarely(0.03) else self.random.choice(("dublin", "oregon", "frankfurt"))


@dataclass(frozen=True, slots=True)
class Stream:
    """A job type or an event: how many a minute, what each carries, and the queue it must not flood."""

    name: str
    per_minute: float
    payload: Callable[[Day], dict[str, Any]]
    queue: str
    is_event: bool = False


STREAMS = (
    Stream("order.created", 26, Day.order, "reports", is_event=True),
    Stream("customer.registered", 5, Day.customer, "crm", is_event=True),
    Stream("payment.failed", 2, Day.unpaid, "mail", is_event=True),
    Stream("charge_card", 36, Day.payment, "payments"),
    Stream("render_report", 22, Day.report, "reports"),
    Stream("sync_inventory", 24, Day.stock, "inventory"),
    Stream("resize_images", 24, Day.product, "background"),
    Stream("rebuild_search", 5, Day.index, "background"),
    Stream("export_ledger", 28, Day.month, "exports"),
)
"""About 250 jobs a minute, an event being as many jobs as it has subscribers."""
