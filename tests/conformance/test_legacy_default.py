"""The second document's jobs without a queue: an older relay left them on `default` (S2-89 to S2-99)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, insert

from tests.conformance.acts import on
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import Bench
from worker.handlers import Registry
from worker.model import Status, new_id
from worker.queries.claims import claim
from worker.queries.legacy import retag, rules
from worker.queries.schema import platform_jobs
from worker.queries.spans import Rule, spans

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""When all of it was due, whatever clock a worker goes by."""

NAMES = st.sampled_from(["default", "crm", "mail", "bulk"])


@pytest.fixture
def registry() -> Registry:
    """Two subscribers on named queues and one that belongs on `default`."""
    known = on(Registry(), "order.created", "crm.sync", queue="crm")
    on(known, "order.created", "mail.thanks", queue="mail")
    return on(known, "order.created", "audit.note")


def left(conn: Connection, subscriber: str, **columns: Any) -> UUID:
    """A job as an older relay wrote it."""
    row: dict[str, Any] = {"event_id": str(new_id()), "event_type": "order.created", "subscriber_id": subscriber}
    row |= {"created_at": LONG_AGO, "available_at": LONG_AGO}
    return job(conn, job_type="run_subscriber", queue="default", **row | columns)


def take(conn: Connection, registry: Registry, *queues: str) -> list[UUID]:
    """What a worker of these queues claims, of every queue when none is named."""
    allowed = queues or None
    legacy = rules(registry.subscribers.queues(), allowed)
    selection: dict[str, Any] = {"job_types": ["run_subscriber", "render_report"], "queues": allowed, "after": ""}
    taken = claim(conn, instance_id="me", limit=10, lease_seconds=30, legacy=legacy, now=NOON, **selection)
    return [each.id for each in taken]


def test_s2_89_a_row_written_without_a_queue_is_on_default(conn: Connection) -> None:
    row: dict[str, Any] = {"id": new_id(), "job_type": "run_subscriber", "event_id": "e", "event_type": "x"}
    row["subscriber_id"] = "crm.sync"
    conn.execute(insert(platform_jobs), row)
    assert stored(conn, row["id"]).queue == "default"


def test_s2_90_a_selective_worker_adopts_what_belongs_on_its_queues(conn: Connection, registry: Registry) -> None:
    mine = left(conn, "crm.sync")
    assert take(conn, registry, "crm") == [mine]


def test_s2_91_it_adopts_nothing_of_a_subscriber_that_belongs_on_default(conn: Connection, registry: Registry) -> None:
    genuine, of_others, direct = left(conn, "audit.note"), left(conn, "mail.thanks"), job(conn)
    assert take(conn, registry, "crm") == []
    assert {stored(conn, each).status for each in (genuine, of_others, direct)} == {Status.QUEUED}


def test_s2_92_a_worker_of_default_leaves_out_what_belongs_on_a_named_queue(
    conn: Connection, registry: Registry
) -> None:
    left(conn, "crm.sync")
    genuine, direct, unknown = left(conn, "audit.note"), job(conn), left(conn, "gone.long.ago")
    assert set(take(conn, registry, "default")) == {genuine, direct, unknown}


def test_s2_92_one_that_serves_both_queues_takes_it(conn: Connection, registry: Registry) -> None:
    mine = left(conn, "crm.sync")
    left(conn, "mail.thanks")
    assert take(conn, registry, "default", "crm") == [mine]


def test_s2_92_one_that_serves_every_queue_takes_everything(conn: Connection, registry: Registry) -> None:
    rows = {left(conn, "crm.sync"), left(conn, "audit.note"), job(conn)}
    assert set(take(conn, registry)) == rows


def wants(routes: dict[str, str], queues: Sequence[str], subscriber: str) -> bool:
    """Whether a worker of these queues would take a row of the subscriber from `default`."""
    legacy = rules(routes, queues)
    found = [span.rule for span in spans(queues, "", legacy=legacy) if span.first == "default"]
    return any(
        {Rule.ANYBODY: True, Rule.NOT_EXCLUDED: subscriber not in legacy.exclude}.get(rule, subscriber in legacy.adopt)
        for rule in found
    )


@given(
    routes=st.dictionaries(st.sampled_from("abcdef"), NAMES, min_size=1),
    queues=st.permutations(["default", "crm", "mail", "bulk"]),
    cut=st.integers(1, 3),
)
def test_s2_93_workers_that_share_no_queue_never_want_the_same_row(
    routes: dict[str, str], queues: list[str], cut: int
) -> None:
    one, other = queues[:cut], queues[cut:]
    for subscriber in [*routes, "unregistered"]:
        assert [wants(routes, one, subscriber), wants(routes, other, subscriber)].count(True) == 1


def test_s2_94_the_rules_follow_the_registrations_of_who_claims(conn: Connection, registry: Registry) -> None:
    row = left(conn, "crm.sync")
    moved = on(Registry(), "order.created", "crm.sync", queue="mail")
    assert take(conn, moved, "crm") == []
    assert take(conn, registry, "crm") == [row]


def test_s2_95_a_worker_that_registers_only_its_own_takes_what_it_should_leave(
    conn: Connection, registry: Registry
) -> None:
    row = left(conn, "crm.sync")
    assert take(conn, registry, "default") == []
    assert take(conn, on(Registry(), "order.created", "audit.note"), "default") == [row]


def test_s2_96_without_the_registration_the_row_ends_as_a_dead_letter(engine: Engine, conn: Connection) -> None:
    row = left(conn, "crm.sync", max_attempts=1)
    bench = Bench(engine, on(Registry(), "order.created", "audit.note"), worker_queues=("default",))
    bench.run(*bench.claim())
    (attempt,) = attempts(conn, row)
    assert (stored(conn, row).status, attempt.outcome) == (Status.FAILED, "dead_letter")
    assert "crm.sync" in attempt.error


def test_s2_97_what_is_registered_late_counts_from_the_next_claim_on(engine: Engine, conn: Connection) -> None:
    row = left(conn, "crm.sync")
    known = on(Registry(), "order.created", "audit.note", queue="crm")
    bench = Bench(engine, known, worker_queues=("crm",))
    assert bench.claim() == []
    on(known, "order.created", "crm.sync", queue="crm")
    assert [run.job.id for run in bench.claim()] == [row]


def test_s2_98_a_workers_first_batch_moves_old_rows_where_they_belong(
    engine: Engine, conn: Connection, registry: Registry
) -> None:
    moved = [left(conn, "crm.sync"), left(conn, "mail.thanks", scheduled=True)]
    kept = [left(conn, "audit.note"), left(conn, "gone.long.ago"), job(conn, job_type="other")]
    bench = Bench(engine, registry, worker_queues=("bulk",))
    bench.claim()
    assert [stored(conn, row).queue for row in moved] == ["crm", "mail"]
    assert {stored(conn, row).queue for row in kept} == {"default"}
    assert [entry["jobs"] for entry in bench.said("jobs.retagged")] == [2]
    late = left(conn, "crm.sync")
    bench.claim()
    assert stored(conn, late).queue == "default"


def test_s2_98_what_is_running_or_over_keeps_the_queue_it_had(conn: Connection, registry: Registry) -> None:
    rows = [left(conn, "crm.sync", status=status) for status in (Status.RUNNING, Status.SUCCEEDED, Status.FAILED)]
    assert retag(conn, registry.subscribers.queues()) == 0
    assert {stored(conn, row).queue for row in rows} == {"default"}


def test_s2_99_once_default_is_drained_there_is_nothing_to_move_or_adopt(
    engine: Engine, conn: Connection, registry: Registry
) -> None:
    rows = [left(conn, name) for name in ("crm.sync", "audit.note")]
    older = Bench(engine, on(Registry(), "order.created", "crm.sync", "audit.note"))
    older.run(*older.claim())
    assert {stored(conn, row).status for row in rows} == {Status.SUCCEEDED}
    assert retag(conn, registry.subscribers.queues()) == 0
    assert take(conn, registry, "crm") == take(conn, registry, "default") == []
