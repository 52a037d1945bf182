"""Reconciliation nets: how what a subscriber keeps comes right again when an event never reached it.

Durable is not guaranteed: a broker before the outbox can drop a message, a provider can be down until every attempt is
spent, and some paths write rows without publishing anything. So a subscriber that keeps derived state names a backfill
that finds and repairs what is missing, or says why it needs none (S2-62, S2-63).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worker.errors import ConfigurationError

if TYPE_CHECKING:
    from worker.handlers import Registry

Backfill = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class DurableSubscriberNet:
    """One subscriber's net: a backfill that is run again and again, or the reason why there is none, never both."""

    subscriber_id: str
    backfill: Backfill | None = None
    exempt_reason: str | None = None

    def __post_init__(self) -> None:
        """ValueError naming the subscriber unless exactly one of the two is given (S2-66, S2-67)."""
        if (self.backfill is None) is not bool(self.exempt_reason and self.exempt_reason.strip()):
            raise ValueError(f"net of {self.subscriber_id!r}: give exactly one of backfill and exempt_reason")
        if self.backfill is not None and not callable(self.backfill):
            raise ValueError(f"net of {self.subscriber_id!r}: the backfill is not callable")


class Nets:
    """Every net of this deployment, by subscriber; a second one for a subscriber is refused."""

    def __init__(self) -> None:
        self._by_id: dict[str, DurableSubscriberNet] = {}

    def register(self, net: DurableSubscriberNet) -> None:
        """Spread the net; the maintenance runs its backfill every WATCHFLOOR_BACKFILL_INTERVAL_SECONDS."""
        if net.subscriber_id in self._by_id:
            raise ConfigurationError(f"subscriber {net.subscriber_id!r} has a net already")
        self._by_id[net.subscriber_id] = net

    def __iter__(self) -> Iterator[DurableSubscriberNet]:
        """In the order of their subscribers' ids."""
        return iter(sorted(self._by_id.values(), key=lambda net: net.subscriber_id))

    def __len__(self) -> int:
        return len(self._by_id)


def undeclared_subscribers(nets: Iterable[DurableSubscriberNet], registry: Registry) -> set[str]:
    """The ids of the registered subscribers without a net."""
    return {each.subscriber_id for each in registry.subscribers.all()} - {net.subscriber_id for net in nets}


def assert_nets_complete(nets: Iterable[DurableSubscriberNet], registry: Registry) -> None:
    """For a host's tests: AssertionError lists the subscribers without a net, or says that none is registered."""
    if not registry.subscribers:
        raise AssertionError("no subscriber is registered: load every handler module first")
    if undeclared := undeclared_subscribers(nets, registry):
        raise AssertionError(f"subscribers without a net: {', '.join(sorted(undeclared))}")
