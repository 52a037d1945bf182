"""S2, registration: subscribers, what is stored of them, and the names of their queues."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine

from tests.conformance.acts import jobs, on, relay, take
from tests.worker.runtime.bench import Bench, nothing
from worker.handlers import Registry, load
from worker.job_types import Handler
from worker.model import Event, Job
from worker.queries.jobs import NewJob, enqueue
from worker.queries.outbox import publish
from worker.subscribers import Subscribers

LONGEST = "a" * 100
MODULE = """
def register(registry):
    registry.subscribers.register("order.created", "invoice", handle)

def handle(job):
    pass
"""


def subscriber(handler: Handler, subscriber_id: str = "invoice") -> Registry:
    """A registry with this one subscriber of `order.created`."""
    known = Registry()
    known.subscribers.register("order.created", subscriber_id, handler)
    return known


def ran(engine: Engine, known: Registry) -> list[str]:
    """The states of all jobs once a worker of that registry has had its turn."""
    bench = Bench(engine, known)
    bench.run(*bench.claim())
    with engine.connect() as conn:
        return [row.status for row in jobs(conn)]


def queues(conn: Connection) -> dict[str, str]:
    """The queue that each subscriber's job waits on."""
    return {row.subscriber_id: row.queue for row in jobs(conn)}


def published(conn: Connection, known: Registry) -> None:
    publish(conn, Event("order.created"))
    relay(conn, known)


def test_s2_11_a_registered_handler_is_reached_by_its_event(engine: Engine, conn: Connection) -> None:
    seen: list[Job] = []
    known = subscriber(seen.append)
    published(conn, known)
    assert ran(engine, known) == ["succeeded"]
    assert [(each.event_type, each.subscriber_id) for each in seen] == [("order.created", "invoice")]


def test_s2_12_moving_the_handlers_code_orphans_nothing(
    engine: Engine, conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("shop_before", "shop_after"):
        (tmp_path / f"{module}.py").write_text(MODULE)
    published(conn, load(["shop_before"]))
    moved = load(["shop_after"])
    assert moved.subscribers.all()[0].handler.__module__ == "shop_after"
    assert ran(engine, moved) == ["succeeded"]


@pytest.mark.parametrize(("handler", "becomes"), [(lambda job: False, "succeeded"), (lambda job: 1 / 0, "queued")])
def test_s2_13_a_handler_fails_by_raising_and_only_so(
    engine: Engine, conn: Connection, handler: Handler, becomes: str
) -> None:
    known = subscriber(handler)
    published(conn, known)
    assert ran(engine, known) == [becomes]


def test_s2_14_every_subscriber_has_a_queue(conn: Connection) -> None:
    published(conn, on(Registry(), "order.created", "invoice"))
    assert queues(conn) == {"invoice": "default"}


def test_s2_15_another_can_be_chosen(conn: Connection) -> None:
    published(conn, on(Registry(), "order.created", "invoice", queue="mail"))
    assert queues(conn) == {"invoice": "mail"}


def test_s2_16_the_queue_belongs_to_the_subscriber(conn: Connection) -> None:
    known = on(on(Registry(), "order.created", "invoice", queue="mail"), "order.created", "stock", queue="inventory")
    assert {each.subscriber_id: each.queue for each in known.subscribers.of("order.created")} == {
        "invoice": "mail",
        "stock": "inventory",
    }


def test_s2_17_each_job_of_one_event_carries_its_own_queue(conn: Connection) -> None:
    known = on(on(Registry(), "order.created", "invoice", queue="mail"), "order.created", "stock")
    published(conn, known)
    assert queues(conn) == {"invoice": "mail", "stock": "default"}
    assert len({row.event_id for row in jobs(conn)}) == 1


@pytest.mark.parametrize(("name", "legal"), [("", False), ("a", True), (LONGEST, True), (LONGEST + "a", False)])
def test_s2_18_queue_names_are_1_to_100_characters_long(conn: Connection, name: str, legal: bool) -> None:
    if legal:
        published(conn, on(Registry(), "order.created", "invoice", queue=name))
        assert queues(conn) == {"invoice": name}
    else:
        with pytest.raises(ValueError, match="1 to 100"):
            on(Registry(), "order.created", "invoice", queue=name)


def test_s2_19_they_are_of_lowercase_letters_digits_and_three_signs(conn: Connection) -> None:
    published(conn, on(Registry(), "order.created", "invoice", queue="0a.b_c-9"))
    assert queues(conn) == {"invoice": "0a.b_c-9"}
    for name in ("Mail", "a b", "é", "a/b", "٣", "mail\n"):
        with pytest.raises(ValueError, match="a-z 0-9"):
            on(Registry(), "order.created", "invoice", queue=name)


@pytest.mark.parametrize("name", ["", "a" * 101, "Mail", "a b", "-x"])
def test_s2_20_an_invalid_name_is_refused_before_anything_is_written(conn: Connection, name: str) -> None:
    known = Subscribers()
    with pytest.raises(ValueError, match="queue names"):
        known.register("order.created", "invoice", nothing, queue=name)
    with pytest.raises(ValueError, match="queue names"):
        enqueue(conn, Registry().job_types, NewJob("train_tenant_model", queue=name))
    assert (len(known), jobs(conn), take(conn, "train_tenant_model")) == (0, [], [])


@pytest.mark.parametrize("name", ["-x", ".x", "_x", None, 7])
def test_s2_21_a_name_starts_with_a_letter_or_digit_and_is_text(name: str) -> None:
    with pytest.raises(ValueError, match="queue names"):
        Subscribers().register("order.created", "invoice", nothing, queue=name)
