"""A worker while the database is away, or refuses writes, and after that (A-14, A-16)."""

import time
from collections import defaultdict
from itertools import pairwise
from threading import current_thread

from sqlalchemy import Engine, event
from structlog.testing import capture_logs

from tests.factories import attempts
from tests.worker.runtime.bench import Gate, Start, nothing, outage, put, read_only, status, until


def test_a_job_that_ends_in_an_outage_is_written_after_it_and_work_goes_on(start: Start, engine: Engine) -> None:
    gate = Gate()
    start({"lease_seconds": 30, "heartbeat_interval_seconds": 1}, work=gate)
    (job_id,) = put(engine, "work")
    until(lambda: status(engine, job_id) == "running")
    with capture_logs() as logs, outage(engine):
        gate.free.set()
        until(lambda: any(entry.get("loop") == "completer" for entry in logs))
    until(lambda: status(engine, job_id) == "succeeded")
    (after,) = put(engine, "work")
    until(lambda: status(engine, after) == "succeeded")
    lost = [entry["loop"] for entry in logs if entry["event"] == "database.lost"]
    assert len(lost) == len(set(lost)), "each loop says it once"
    with engine.connect() as conn:
        assert len(attempts(conn, job_id)) == 1


def test_tries_are_spaced(start: Start, engine: Engine) -> None:
    worker = start(work=nothing)
    tries: defaultdict[str, list[float]] = defaultdict(list)
    with outage(engine):
        event.listen(worker._engine, "do_connect", lambda *_: tries[current_thread().name].append(time.monotonic()))
        until(lambda: len(tries["watchfloor heartbeat"]) >= 4)
        pauses = {loop: [after - before for before, after in pairwise(each)] for loop, each in [*tries.items()]}
    assert min(pauses.pop("watchfloor heartbeat")) >= 0.4  # nearly its interval, which is half a second here
    assert min((pause for each in pauses.values() for pause in each), default=1) >= 0.8


def test_a_16_a_server_that_turned_read_only_is_left_and_met_again(start: Start, engine: Engine) -> None:
    with capture_logs() as logs:
        start(work=nothing)
        (job_id,) = put(engine, "work")
        until(lambda: status(engine, job_id) == "succeeded")
        with read_only(engine):
            until(lambda: {entry["loop"] for entry in logs if entry["event"] == "database.lost"} >= {"heartbeat"})
    (after,) = put(engine, "work")
    until(lambda: status(engine, after) == "succeeded")
