"""How long a job that comes to an idle queue waits for its handler."""

from __future__ import annotations

import random
import time
from statistics import quantiles

from sqlalchemy import Engine

from tests.bench import drain, server
from tests.bench.enqueue import TYPES
from worker import NewJob, enqueue
from worker.database import autocommit

_IDLE_SECONDS = 0.5


def pickup(engine: Engine, jobs: int = 300, *, kind: str = "async") -> tuple[float, float]:
    """The median and the 99th percentile in milliseconds, from before the enqueue until the handler begins."""
    server.empty(engine)
    with drain.process("tests.bench.work", server.address(engine), kind) as worker:
        drain.tell(worker)
        with autocommit(engine).connect() as conn:
            time.sleep(_IDLE_SECONDS)
            for _ in range(jobs):
                enqueue(conn, TYPES, NewJob("nothing", {"sent": time.time()}))
                time.sleep(random.uniform(0.01, 0.03))
            time.sleep(_IDLE_SECONDS)
        waits = drain.report(worker)["waited_ms"]
    assert len(waits) == jobs
    cuts = quantiles(waits, n=100)
    return cuts[49], cuts[98]
