"""Workers are killed at random under traffic: at the end every job is finished, once in the record (R1, in short)."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select, text

from tests.app.program import Program, program, until
from worker.handlers import load
from worker.model import Event
from worker.queries.jobs import NewJob, enqueue_many
from worker.queries.outbox import publish
from worker.queries.schema import job_attempts, platform_jobs

MODULE = "tests.worker.runtime.ledger"
FAST = {
    "WATCHFLOOR_HANDLERS": MODULE,
    "WATCHFLOOR_LEASE_SECONDS": "1.5",
    "WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "0.4",
    "WATCHFLOOR_POLL_INTERVAL_SECONDS": "0.3",
    "WATCHFLOOR_REAPER_INTERVAL_SECONDS": "0.5",
    "WATCHFLOOR_RELAY_INTERVAL_SECONDS": "0.5",
}
DIRECT, EVENTS, KILLS = 400, 60, 6


def test_after_random_kills_every_job_is_finished_once_and_every_start_is_accounted_for(
    engine: Engine, conn: Connection, url: str, tmp_path: Path
) -> None:
    seed = random.randrange(10**6)
    choose = random.Random(seed)
    ledger = tmp_path / "ledger"
    options = {**FAST, "DATABASE_URL": url, "LEDGER": str(ledger)}
    with engine.begin() as mine:
        enqueue_many(mine, load([MODULE]).job_types, [NewJob("ledger", {"n": n}) for n in range(DIRECT)])
        for number in range(EVENTS):
            publish(mine, Event("ledger.kept", {"n": number}))
    with ExitStack() as stack:

        def start(*arguments: str) -> Program:
            return stack.enter_context(program(*arguments, **options))

        start("serve", "--port", "0")
        workers = [start("worker", "--concurrency", "4") for _ in range(2)]
        until(ledger.exists)
        for _ in range(KILLS):
            time.sleep(choose.uniform(0.1, 0.6))  # the moment of the kill is the point
            victim = choose.randrange(len(workers))
            workers[victim].process.kill()
            workers[victim] = start("worker", "--concurrency", "4")
        until(lambda: finished(conn) == DIRECT + 2 * EVENTS)
    check(conn, ledger, f"seed {seed}")


def finished(conn: Connection) -> int:
    succeeded = select(func.count()).select_from(platform_jobs).where(platform_jobs.c.status == "succeeded")
    return conn.execute(succeeded).scalar_one()


def check(conn: Connection, ledger: Path, seed: str) -> None:
    started = {tuple(line.split()[1:]) for line in ledger.read_text().splitlines() if line.startswith("start")}
    attempts = conn.execute(select(job_attempts)).all()
    accounted = {(str(each.job_id), str(each.generation)) for each in attempts}
    assert started <= accounted, seed
    completions = Counter(each.job_id for each in attempts if each.outcome == "completed")
    assert set(completions.values()) == {1}, seed
    assert len(completions) == DIRECT + 2 * EVENTS, seed
    lost = {(str(each.job_id), str(each.generation)) for each in attempts if each.outcome == "lease_expired"}
    again = {key for key in started if (key[0], str(int(key[1]) - 1)) in started}
    assert {(job, str(int(generation) - 1)) for job, generation in again} <= lost, seed
    broken = conn.execute(
        text(
            "SELECT count(*) FROM control.platform_jobs WHERE locked_by IS NOT NULL OR attempts < 1 OR"
            " attempts > generation OR generation <> (SELECT count(*) FROM control.job_attempts WHERE job_id = id)"
        )
    ).scalar_one()
    assert broken == 0, seed
