"""The bus: subscribers of this process are told at once, and one that fails harms neither the others nor the sender."""

from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from worker.bus import Bus
from worker.errors import ConfigurationError
from worker.model import Event


def failing(_event: Event) -> None:
    raise RuntimeError("cannot reach the cache, token=s3cret")


async def too_slow(_event: Event) -> None:
    """Not what a bus calls."""


@pytest.fixture
def said() -> Iterator[list[Any]]:
    with capture_logs() as entries:
        yield entries


def test_each_subscriber_of_the_type_is_told_in_order() -> None:
    bus, heard = Bus(), list[str]()
    bus.subscribe("order.paid", lambda event: heard.append(f"first {event.payload['id']}"))
    bus.subscribe("order.paid", lambda event: heard.append(f"second {event.payload['id']}"))
    bus.subscribe("order.lost", lambda event: heard.append("another type"))
    bus.publish(Event("order.paid", {"id": 7}))
    assert heard == ["first 7", "second 7"]


def test_one_that_fails_is_logged_without_secrets_and_the_others_are_told(said: list[Any]) -> None:
    bus, heard = Bus(), list[Event]()
    bus.subscribe("order.paid", failing)
    bus.subscribe("order.paid", heard.append)
    paid = Event("order.paid", {"card": "4242"})
    bus.publish(paid)
    assert heard == [paid]
    (entry,) = said
    assert (entry["event"], entry["log_level"], entry["event_id"]) == ("event.lost", "error", paid.event_id)
    assert entry["subscriber"] == "failing"
    assert "cannot reach the cache" in entry["error"]
    assert "s3cret" not in repr(entry)
    assert "4242" not in repr(entry)


def test_an_event_without_subscribers_is_nothing_to_speak_of(said: list[Any]) -> None:
    Bus().publish(Event("order.paid"))
    assert said == []


def test_an_interrupt_is_not_a_failure_of_the_subscriber() -> None:
    def interrupted(_event: Event) -> None:
        raise KeyboardInterrupt

    bus = Bus()
    bus.subscribe("order.paid", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bus.publish(Event("order.paid"))


@pytest.mark.parametrize("listener", [None, "a name", too_slow])
def test_what_it_cannot_call_is_refused_when_it_subscribes(listener: object) -> None:
    with pytest.raises(ConfigurationError, match=r"order\.paid"):
        Bus().subscribe("order.paid", listener)  # type: ignore[arg-type] # the wrong type is the point
