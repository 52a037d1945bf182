"""The function for producers that speak SQL does what the Python door does, and refuses what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from tests.factories import NOON, job, job_types, stored, tenant
from tests.telling import ASKED
from worker.errors import InvalidInput, KeyReused, WatchfloorError
from worker.model import Status, new_id
from worker.queries import wakeups
from worker.queries.jobs import NewJob, enqueue

pytestmark = pytest.mark.postgresql

TYPES = job_types("render_report", "other")
SEALED = {"schema": "watchfloor.email.v1", "ciphertext": "c2VhbGVk"}
TENANT = new_id()


def call(conn: Connection, new: NewJob, **options: Any) -> UUID:
    """The function, with what the job says and its type's own queue and budget otherwise."""
    given = {
        "job_type": new.job_type,
        "payload": json.dumps(new.payload),
        "tenant_id": new.tenant_id,
        "queue": new.queue,
        "idempotency_key": new.idempotency_key,
        "max_attempts": new.max_attempts,
        "available_at": new.available_at,
        "source": new.source,
        "metadata": None if new.metadata is None else json.dumps(new.metadata),
        "delay": timedelta(seconds=new.delay_seconds) if new.delay_seconds else None,
        **options,
    }
    given = {name: value for name, value in given.items() if value is not None}
    casts = {"payload": "jsonb", "metadata": "jsonb"}
    named = ", ".join(
        f"{name} => CAST(:{name} AS {casts[name]})" if name in casts else f"{name} => :{name}" for name in given
    )
    made: UUID = conn.execute(text(f"SELECT control.enqueue_job({named})"), given).scalar_one()
    return made


@pytest.mark.parametrize(("given", "kept"), [(ASKED, ASKED), (ASKED.upper(), None), ("", None), (None, None)])
def test_the_span_that_asks_is_kept_and_anything_else_counts_as_none(
    conn: Connection, given: str | None, kept: str | None
) -> None:
    assert stored(conn, call(conn, NewJob("render_report"), traceparent=given)).traceparent == kept


def refusal(act: Any, *arguments: Any, **options: Any) -> str | None:
    """The field that was refused, if one was."""
    try:
        act(*arguments, **options)
    except (WatchfloorError, DBAPIError) as error:
        said = str(error.orig) if isinstance(error, DBAPIError) else str(error)
        assert "secret" not in said
        return said.split(":")[0].split("[")[0].replace("delay_seconds", "delay")
    return None


@pytest.mark.parametrize(
    "new",
    [
        NewJob("render_report"),
        NewJob(
            "render_report",
            {"b": [1, 2.5, None], "a": {"ü": "\u2028"}},
            TENANT,
            "reports",
            "k",
            1,
            NOON,
            0,
            "shop",
            {"x": 1},
        ),
        NewJob("render_report", idempotency_key="  k\t", source=" shop "),
        NewJob("render_report", idempotency_key="k" * 255, source="s" * 50, queue="q" * 100, max_attempts=1000),
        NewJob("render_report", delay_seconds=90.5),
        NewJob("send_email", SEALED),
        NewJob("provision_tenant", tenant_id=TENANT),
    ],
)
def test_both_write_the_same_row(conn: Connection, new: NewJob) -> None:
    with conn.engine.connect() as one, one.begin() as mine:
        by_function = stored(one, call(one, new))
        mine.rollback()
    by_door = stored(conn, enqueue(conn, TYPES, new).id)
    for name, value in by_door._mapping.items():
        other = by_function._mapping[name]
        if isinstance(value, type(NOON)) and name != "available_at":
            assert abs(value - other) < timedelta(seconds=20)
        elif name == "available_at":
            assert (
                abs((value - by_door.created_at) - (other - by_function.created_at)) < timedelta(seconds=0.1)
                or value == other
            )
        elif name != "id":
            assert (name, value) == (name, other)


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewJob("run_subscriber"), None),
        (NewJob("Render report"), None),
        (NewJob("send_email", {"to": "secret"}), "payload"),
        (NewJob("send_email", {**SEALED, "to": "secret"}), "payload"),
        (NewJob("provision_tenant"), "tenant_id"),
        (NewJob("render_report", {"secret": "x" * 1_048_577}), "payload"),
        (NewJob("render_report", metadata={"secret": "x" * 1_048_577}), "metadata"),
        (NewJob("render_report", json.loads("[" * 66 + "]" * 66)), "payload"),
        (NewJob("render_report", queue="Mail"), "queue"),
        (NewJob("render_report", queue="q" * 101), "queue"),
        (NewJob("render_report", queue=""), "queue"),
        (NewJob("render_report", idempotency_key=" \n"), "idempotency_key"),
        (NewJob("render_report", idempotency_key="k" * 256), "idempotency_key"),
        (NewJob("render_report", max_attempts=0), "max_attempts"),
        (NewJob("render_report", max_attempts=1001), "max_attempts"),
        (NewJob("render_report", source="s" * 51), "source"),
        (NewJob("render_report", delay_seconds=-1), "delay"),
        (NewJob("render_report", delay_seconds=367 * 86_400), "delay"),
    ],
)
def test_both_refuse_the_same_and_name_it(conn: Connection, new: NewJob, field: str | None) -> None:
    by_door, by_function = refusal(enqueue, conn, TYPES, new), refusal(call, conn, new)
    assert (by_door, by_function) == ((field, field) if field else ("unknown job type", "job_type"))
    assert conn.execute(text("SELECT count(*) FROM control.platform_jobs")).scalar_one() == 0


def test_a_payload_may_be_nested_as_deep_in_both(conn: Connection) -> None:
    deepest = NewJob("render_report", json.loads("[" * 65 + "]" * 65))
    assert stored(conn, call(conn, deepest)).payload == stored(conn, enqueue(conn, TYPES, deepest).id).payload


def test_either_finds_the_job_of_the_other_by_its_key(conn: Connection) -> None:
    first, second = (NewJob("render_report", {"b": 1, "a": 2}, idempotency_key=key) for key in ("f", "d"))
    assert enqueue(conn, TYPES, first).id == call(conn, first)
    made = call(conn, second)
    known = enqueue(conn, TYPES, NewJob("render_report", {"a": 2, "b": 1}, idempotency_key="d"))
    assert (known.id, known.created) == (made, False)


@pytest.mark.parametrize("other", [NewJob("render_report", {"a": 2}), NewJob("other", {"a": 1})])
def test_a_57_either_refuses_the_key_of_another_request(conn: Connection, other: NewJob) -> None:
    other.idempotency_key = "k"
    call(conn, NewJob("render_report", {"a": 1}, idempotency_key="k"))
    with pytest.raises(DBAPIError, match="belongs to a request"):
        call(conn, other)
    with pytest.raises(KeyReused):
        enqueue(conn, TYPES, other)


def test_a_31_a_key_belongs_to_its_tenant_in_both(conn: Connection) -> None:
    acme = tenant(conn, "acme")
    made = {
        call(conn, NewJob("render_report", idempotency_key="k")),
        call(conn, NewJob("render_report", tenant_id=acme, idempotency_key="k")),
        enqueue(conn, TYPES, NewJob("render_report", tenant_id=tenant(conn, "globex"), idempotency_key="k")).id,
    }
    assert len(made) == 3


@pytest.mark.parametrize("status", Status)
def test_s1_30_to_33_both_run_a_failed_or_cancelled_job_again_and_no_other(engine: Engine, status: Status) -> None:
    new = NewJob("render_report", idempotency_key="k")
    left = []
    ways: list[Callable[[Connection], UUID]] = [
        lambda conn: call(conn, new, retry_terminal=True),
        lambda conn: enqueue(conn, TYPES, new, retry_terminal=True).id,
    ]
    for by in ways:
        with engine.connect() as conn:
            old = job(conn, status=status, idempotency_key="k", steps_completed=["one"], progress=17, generation=7)
            assert by(conn) == old
            row = {**stored(conn, old)._mapping}
            conn.rollback()
        left.append({name: value for name, value in row.items() if name not in {"id", "available_at", "updated_at"}})
    assert left[0] == left[1]
    assert left[0]["status"] == (Status.QUEUED if status in (Status.FAILED, Status.CANCELLED) else status)


def test_who_sleeps_is_woken_by_both(engine: Engine, conn: Connection) -> None:
    wakeups.sleep(conn, channel=wakeups.JOBS, sleeper="w")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as listener:
        listener.execute(text(f"LISTEN {wakeups.JOBS}"))
        call(conn, NewJob("render_report"))
        enqueue(conn, TYPES, NewJob("render_report"))
        heard = list(listener.connection.driver_connection.notifies(timeout=30, stop_after=2))  # type: ignore[union-attr] # psycopg's
        listener.execute(text("UNLISTEN *"))
    assert len(heard) == 2


def test_what_is_refused_has_its_code(conn: Connection) -> None:
    with pytest.raises(DBAPIError) as refused:
        call(conn, NewJob("render_report", queue="Mail"))
    assert getattr(refused.value.orig, "sqlstate", None) == "22023"
    with pytest.raises(InvalidInput):
        enqueue(conn, TYPES, NewJob("render_report", queue="Mail"))
