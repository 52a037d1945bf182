"""Nets: each subscriber has a backfill or a reason, and a host's test finds those that have neither."""

import pytest

from worker.errors import ConfigurationError
from worker.handlers import Registry
from worker.nets import DurableSubscriberNet, Nets, assert_nets_complete, undeclared_subscribers


def again() -> None:
    """A backfill."""


@pytest.fixture
def registry() -> Registry:
    known = Registry()
    for name in ("mail.send", "invoice.render", "cache.warm"):
        known.subscribers.register("order.paid", name, lambda job: None)
    return known


@pytest.mark.parametrize(
    ("backfill", "reason"),
    [(None, None), (None, ""), (None, " "), (again, "rebuilt on read"), ("again", None)],
    ids=["neither", "empty", "blank", "both", "no function"],
)
def test_a_net_is_a_backfill_or_a_reason(backfill: object, reason: str | None) -> None:
    with pytest.raises(ValueError, match=r"'cache\.warm'"):
        DurableSubscriberNet("cache.warm", backfill, reason)  # type: ignore[arg-type] # the wrong type is the point


def test_nets_come_in_the_order_of_their_subscribers_and_only_once_each() -> None:
    nets = Nets()
    for name in ("mail.send", "cache.warm"):
        nets.register(DurableSubscriberNet(name, backfill=again))
    assert [net.subscriber_id for net in nets] == ["cache.warm", "mail.send"]
    with pytest.raises(ConfigurationError, match=r"'cache\.warm' has a net already"):
        nets.register(DurableSubscriberNet("cache.warm", exempt_reason="rebuilt on read"))
    assert len(nets) == 2


def test_the_subscribers_without_a_net_are_listed(registry: Registry) -> None:
    registry.nets.register(DurableSubscriberNet("mail.send", backfill=again))
    assert undeclared_subscribers(registry.nets, registry) == {"cache.warm", "invoice.render"}
    with pytest.raises(AssertionError, match=r"without a net: cache\.warm, invoice\.render$"):
        assert_nets_complete(registry.nets, registry=registry)


def test_a_complete_registry_passes(registry: Registry) -> None:
    nets = [DurableSubscriberNet(each.subscriber_id, backfill=again) for each in registry.subscribers.all()]
    assert_nets_complete(nets, registry=registry)


def test_an_empty_registry_does_not_pass_by_vacuum() -> None:
    with pytest.raises(AssertionError, match="no subscriber is registered"):
        assert_nets_complete([], registry=Registry())
