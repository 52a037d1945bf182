"""S2, reconciliation nets: what a subscriber derives comes right again, or somebody said why it need not."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from tests.conformance.acts import on
from tests.worker.runtime.bench import captured
from worker.handlers import Registry
from worker.nets import DurableSubscriberNet, assert_nets_complete, undeclared_subscribers
from worker.runtime.backfills import Backfills


def backfill() -> None:
    """Derives what is missing."""


def test_s2_63_the_scheduled_backfill_restores_what_was_lost(engine: Engine) -> None:
    orders, invoices = {1, 2, 3}, {1, 3}
    net = DurableSubscriberNet("invoice.render", backfill=lambda: invoices.update(orders))
    Backfills(engine, [net], every_seconds=3600, lease_seconds=60, log=captured()[0]).tick()
    assert invoices == orders


def test_s2_64_a_net_has_a_backfill() -> None:
    net = DurableSubscriberNet("invoice.render", backfill=backfill)
    assert (net.subscriber_id, net.backfill, net.exempt_reason) == ("invoice.render", backfill, None)


def test_s2_65_or_a_reason_why_not() -> None:
    net = DurableSubscriberNet("cache.warm", backfill=None, exempt_reason="rebuilt on read")
    assert (net.backfill, net.exempt_reason) == (None, "rebuilt on read")


def test_s2_66_neither_is_refused_by_the_subscribers_name() -> None:
    with pytest.raises(ValueError, match=r"'invoice\.render'.*exactly one"):
        DurableSubscriberNet("invoice.render")


def test_s2_67_both_are_refused_too() -> None:
    with pytest.raises(ValueError, match=r"'cache\.warm'.*exactly one"):
        DurableSubscriberNet("cache.warm", backfill=backfill, exempt_reason="rebuilt on read")


def test_s2_68_a_hosts_test_fails_for_each_subscriber_without_a_net() -> None:
    known = on(Registry(), "order.created", "stock.reserve", "cache.warm", "invoice.render")
    nets = [DurableSubscriberNet("cache.warm", exempt_reason="rebuilt on read")]
    with pytest.raises(AssertionError, match=r": invoice\.render, stock\.reserve$"):
        assert_nets_complete(nets, registry=known)
    nets += [DurableSubscriberNet(name, backfill=backfill) for name in ("invoice.render", "stock.reserve")]
    assert_nets_complete(nets, registry=known)


def test_s2_69_a_query_says_which_those_are() -> None:
    known = on(Registry(), "order.created", "stock.reserve", "cache.warm")
    assert undeclared_subscribers([], known) == {"stock.reserve", "cache.warm"}
    assert undeclared_subscribers([DurableSubscriberNet("cache.warm", backfill=backfill)], known) == {"stock.reserve"}


def test_s2_70_an_empty_registry_proves_nothing_and_is_refused() -> None:
    with pytest.raises(AssertionError, match="no subscriber is registered"):
        assert_nets_complete([], registry=Registry())
