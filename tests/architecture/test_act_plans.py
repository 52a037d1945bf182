"""A step of an act costs the jobs it moves, however large its set, and however many acts and jobs there are besides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from tests.architecture.history import TABLES
from tests.architecture.test_page_plans import ROW, plans
from worker.database import Row
from worker.queries import cancellations
from worker.queries.bulk_acts import acts, members, moves, undo, watch
from worker.queries.pages import acts as pages

NOW = datetime.now(UTC)
ACT = UUID(int=7)
OURS = ("bulk_acts", "bulk_act_jobs")
JOBS, OF_JOB, BEAT = "pk_bulk_act_jobs", "ix_bulk_act_jobs_job", "pk_worker_instances"
FILL = """
INSERT INTO control.bulk_acts (id, action, state, mode, undo_seconds, chosen_at, actor, chosen)
SELECT gen_random_uuid(), 'cancel', 'done', 'all', 8, now(), 'dana', 5 FROM generate_series(1, 2000) AS n;
INSERT INTO control.bulk_acts (id, action, state, mode, undo_seconds, chosen_at, actor, chosen, next_at)
VALUES
('00000000-0000-0000-0000-000000000007', 'cancel', 'moving', 'all', 0, now(), 'dana', 40000, now() - interval '1 hour');
INSERT INTO control.bulk_act_jobs (act_id, place, job_id, state, was_generation, was_replays)
SELECT '00000000-0000-0000-0000-000000000007', row_number() OVER (), id, 'left', generation, replays
FROM control.platform_jobs WHERE status = 'queued' LIMIT 40000;
INSERT INTO control.bulk_act_jobs (act_id, place, job_id, state, was_generation, was_replays)
SELECT id, place, gen_random_uuid(), 'left', 0, 0
FROM (SELECT id FROM control.bulk_acts WHERE next_at IS NULL) AS act, generate_series(1, 20) AS place;
"""


@pytest.fixture(scope="module")
def stocked(filled: Connection) -> Iterator[Connection]:
    """The same with an act on 40,000 jobs among 2,000 small ones."""
    for statement in filter(str.strip, FILL.split(";\n")):
        filled.execute(text(statement))
    for table in OURS:
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))
    yield filled
    filled.execute(text("TRUNCATE control.bulk_acts CASCADE"))


def act_of(conn: Connection) -> Row:
    found = acts.get(conn, act_id=ACT, now=NOW)
    assert found is not None
    return found


def moved_seen_and_put_back(conn: Connection) -> None:
    """What a step does in each of an act's states, without its savepoints."""
    assert acts.due(conn, now=NOW)
    ids = [each.job_id for each in members.following(conn, act_id=ACT, place=20_000, limit=10)]
    moves.locked(conn, ids)
    members.remember(conn, act_id=ACT, job_ids=ids)
    cancellations.end(conn, job_ids=ids, now=NOW)
    members.moved(conn, act_id=ACT, job_ids=ids)
    members.mark(conn, act_id=ACT, marks=[(ids[0], "failed", "refused")])
    watch.look(conn, act_of(conn))
    watch.is_lost(conn, act_of(conn))
    assert undo.put_back(conn, act_of(conn), place=0)[1]


def test_the_acts_of_late_are_the_first_of_their_list(stocked: Connection) -> None:
    def read(conn: Connection) -> None:
        pages.of_list(conn, field="queue", value="mail", limit=8, now=NOW)

    (steps,) = plans(stocked, read)
    assert [(step.kind, step.index) for step in steps] == [("Limit", None), ("Index Scan", "ix_bulk_acts_page")]


def test_no_step_walks_over_jobs_that_are_not_its_own(stocked: Connection) -> None:
    used: set[str | None] = set()
    with stocked.engine.connect() as conn:  # never committed, as the history is everybody's
        for steps in plans(conn, moved_seen_and_put_back):
            assert [step for step in steps if step.kind == "Seq Scan" and step.table in (*TABLES, *OURS)] == []
            used |= {step.index for step in steps if step.table in (*TABLES, *OURS, "worker_instances")}
    assert used - {None} <= {ROW, JOBS, OF_JOB, BEAT, "ix_bulk_acts_next", "pk_bulk_acts"}


def test_the_acts_in_a_lens_are_found_by_the_tenants_newest_jobs(stocked: Connection) -> None:
    for steps in plans(stocked, lambda conn: pages.read(conn, tenant_id=UUID(int=7), now=NOW)):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in (*TABLES, *OURS)] == []
        used = {step.index for step in steps if step.table in (*TABLES, *OURS)} - {None}
        assert used <= {"ix_bulk_acts_page", "pk_bulk_acts", OF_JOB, "ix_platform_jobs_tenant"}


def test_whose_an_act_is_and_its_jobs_of_one_tenant_are_found_by_the_act(stocked: Connection) -> None:
    act = act_of(stocked)

    def read(conn: Connection) -> None:
        pages.reach(conn, act, tenant_id=UUID(int=7), slug="acme")
        pages.jobs(conn, act_id=ACT, tenant_id=UUID(int=7), now=NOW)

    for steps in plans(stocked, read):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in (*TABLES, *OURS)] == []
        assert {step.index for step in steps if step.table in (*TABLES, *OURS)} - {None} <= {JOBS, OF_JOB, ROW}
