"""Enqueue: one row for one request, refused before any SQL when it cannot be kept."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, event, func, select

from tests.factories import NOON, job, job_types, stored, tenant
from worker.errors import InvalidInput, KeyReused, UnknownJobType
from worker.model import Status, new_id
from worker.queries.jobs import NewJob, enqueue, enqueue_many
from worker.queries.schema import platform_jobs

TYPES = job_types("render_report")


def rows(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one()


def test_s1_22_a_key_used_twice_makes_one_row_and_s1_23_returns_the_first_id(conn: Connection) -> None:
    first = enqueue(conn, TYPES, NewJob("render_report", {"a": 1}, idempotency_key="k"))
    again = enqueue(conn, TYPES, NewJob("render_report", {"a": 1}, idempotency_key="k"))
    assert (first.created, again.created, again.id, rows(conn)) == (True, False, first.id, 1)


def test_s1_27_nothing_is_committed_for_the_caller(engine: Engine) -> None:
    with engine.connect() as conn:
        enqueue(conn, TYPES, NewJob("render_report"))
        conn.rollback()
        assert rows(conn) == 0


def test_s1_29_an_unknown_type_is_refused_before_any_sql(engine: Engine) -> None:
    sent: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *args: sent.append(args[2]))
    with engine.connect() as conn, pytest.raises(UnknownJobType, match="nope"):
        enqueue(conn, TYPES, NewJob("nope"))
    assert sent == []


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANCELLED])
def test_s1_30_and_31_retry_terminal_runs_a_failed_or_cancelled_job_again(conn: Connection, status: Status) -> None:
    old = job(conn, status=status, idempotency_key="k", attempts=5, generation=7, steps_completed=["one"], progress=17)
    answer = enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"), retry_terminal=True)
    row = stored(conn, old)
    assert (answer.id, answer.status, row.status) == (old, Status.QUEUED, "queued")
    assert (row.attempts, row.generation, row.steps_completed, row.progress) == (0, 7, ["one"], 17)
    assert row.error_detail is None


@pytest.mark.parametrize("status", [Status.QUEUED, Status.RUNNING, Status.SUCCEEDED])
def test_s1_33_retry_terminal_leaves_every_other_state_alone(conn: Connection, status: Status) -> None:
    old = job(conn, status=status, idempotency_key="k")
    before = stored(conn, old)
    answer = enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"), retry_terminal=True)
    assert (answer.id, answer.status, stored(conn, old)) == (old, status, before)


def test_s1_32_and_a_58_without_the_option_the_caller_learns_the_state_of_the_job_that_has_the_key(
    conn: Connection,
) -> None:
    old = job(conn, status=Status.FAILED, idempotency_key="k")
    answer = enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"))
    assert (answer.id, answer.created, answer.status) == (old, False, Status.FAILED)
    assert stored(conn, old).status == "failed"


def test_a_31_the_same_key_of_another_tenant_is_another_job(conn: Connection) -> None:
    acme, globex = tenant(conn, "acme"), tenant(conn, "globex")
    made = {
        enqueue(conn, TYPES, NewJob("render_report", tenant_id=owner, idempotency_key="k")).id
        for owner in (acme, globex, None)
    }
    assert len(made) == 3


def test_a_57_the_same_key_with_another_body_or_type_is_refused(conn: Connection) -> None:
    types = job_types("render_report", "other")
    enqueue(conn, types, NewJob("render_report", {"a": 1}, idempotency_key="k"))
    for other in (
        NewJob("render_report", {"a": 2}, idempotency_key="k"),
        NewJob("other", {"a": 1}, idempotency_key="k"),
    ):
        with pytest.raises(KeyReused):
            enqueue(conn, types, other)


def test_a_57_fifty_threads_with_one_new_key_get_one_id(engine: Engine) -> None:
    def press(_: int) -> object:
        with engine.begin() as conn:
            return enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k")).id

    with ThreadPoolExecutor(16) as pool:
        ids = set(pool.map(press, range(50)))
    with engine.connect() as conn:
        assert (len(ids), rows(conn)) == (1, 1)


def test_many_jobs_are_one_insert(engine: Engine) -> None:
    sent: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *args: sent.append(args[2]))
    with engine.begin() as conn:
        ids = enqueue_many(conn, TYPES, [NewJob("render_report", {"n": n}) for n in range(500)])
    assert len(ids) == 500
    assert sum("INSERT" in statement for statement in sent) == 1


def test_one_bad_job_among_many_stops_all_of_them(conn: Connection) -> None:
    with pytest.raises(InvalidInput, match="max_attempts"):
        enqueue_many(conn, TYPES, [NewJob("render_report"), NewJob("render_report", max_attempts=0)])
    assert rows(conn) == 0


def test_a_job_for_later_is_scheduled(conn: Connection) -> None:
    later = enqueue(conn, TYPES, NewJob("render_report", available_at=NOON + timedelta(hours=1)), now=NOON).id
    delayed = enqueue(conn, TYPES, NewJob("render_report", delay_seconds=90.5), now=NOON).id
    assert stored(conn, later).scheduled
    assert stored(conn, delayed).available_at == NOON + timedelta(seconds=90.5)
    assert not stored(conn, enqueue(conn, TYPES, NewJob("render_report"), now=NOON).id).scheduled


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        (NewJob("render_report", {"a": "x\0y"}), "payload.a"),
        (NewJob("render_report", {"\0k": 1}), "payload"),
        (NewJob("render_report", {"a": ["\ud83d"]}), r"payload.a\[0\]"),
        (NewJob("render_report", {"x": float("nan")}), "payload.x"),
        (NewJob("render_report", metadata={"load": float("inf")}), "metadata.load"),
        (NewJob("render_report", {"big": "x" * 1_100_000}), "payload"),
        (NewJob("render_report", {"a": object()}), "payload"),
        (NewJob("render_report", max_attempts=True), "max_attempts"),
        (NewJob("render_report", max_attempts=1001), "max_attempts"),
        (NewJob("render_report", queue="Mail"), "queue names"),
        (NewJob("render_report", queue="a'; DROP SCHEMA control CASCADE;--"), "queue names"),
        (NewJob("render_report", delay_seconds=float("nan")), "delay_seconds"),
        (NewJob("render_report", idempotency_key=" "), "idempotency_key"),
        (NewJob("render_report", idempotency_key="k" * 256), "idempotency_key"),
        (NewJob("render_report", source="s\0"), "source"),
        (NewJob("send_email", {"to": "ada@example.test"}), "payload"),
    ],
)
def test_a_32_to_a_36_and_a_44_what_cannot_be_kept_is_refused_with_its_name(
    conn: Connection, broken: NewJob, path: str
) -> None:
    with pytest.raises(ValueError, match=path) as refusal:
        enqueue(conn, TYPES, broken)
    assert "ada@" not in str(refusal.value)
    assert rows(conn) == 0


def test_a_payload_nested_too_deep_is_refused(conn: Connection) -> None:
    deep: dict[str, object] = {}
    for _ in range(2000):
        deep = {"d": deep}
    with pytest.raises(InvalidInput, match="nested deeper"):
        enqueue(conn, TYPES, NewJob("render_report", deep))


def test_ids_sort_by_time() -> None:
    assert sorted(ids := [new_id() for _ in range(3)], key=lambda each: each.int >> 80) == ids
    assert ids[0].version == 7
