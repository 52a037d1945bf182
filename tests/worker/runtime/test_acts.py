"""The loop that moves acts on: killed in the middle of a step, another goes on; no job is lost or replayed twice."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, event

from tests.factories import stored
from tests.nursery import child
from tests.worker.queries.bulk_acts.desk import die, now_of, rated, step
from worker.database import connect
from worker.runtime.acts import Acts

JOBS, RATE = 12, 4


def until_killed(arguments: list[str]) -> None:
    """Move acts on; the second step ends with the whole process, once its jobs were moved and before that was kept."""
    (url,) = arguments
    engine = connect(url, application_name="tests")
    moves = Counter[str]()

    @event.listens_for(engine, "after_cursor_execute")
    def count(*executed: Any) -> None:
        moves["made"] += executed[2].startswith("UPDATE control.platform_jobs")
        if moves["made"] == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    while True:
        Acts(engine).tick()
        time.sleep(0.05)


def test_a_set_whose_process_was_killed_is_ended_by_another(conn: Connection, url: str) -> None:
    ids = [die(conn) for _ in range(JOBS)]
    act = rated(conn, ids, RATE, now=datetime.now(UTC))
    with child(until_killed, url, environment={}) as victim:
        assert victim.wait() == -signal.SIGKILL
    assert now_of(conn, act).done == RATE
    assert sum(stored(conn, each).status == "queued" for each in ids) == RATE
    for seconds in range(10, 20):
        step(conn, datetime.now(UTC) + timedelta(seconds=seconds))
    ended = now_of(conn, act)
    assert (ended.state, ended.done, ended.skipped) == ("done", JOBS, 0)
    assert {stored(conn, each).replays for each in ids} == {1}
