"""The same measurements of PgQueuer on the same server, for a ratio within one run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from statistics import quantiles

from sqlalchemy import Engine, text

from tests.bench import drain, peer
from worker.database import autocommit

_IDLE_SECONDS = 0.5
_LEFT = text("/* bench */ SELECT count(*) FROM pgqueuer")


def in_bulk(engine: Engine, jobs: int = 50_000) -> float:
    """Jobs a second, a thousand a call and a commit."""
    _empty(engine)
    return _told("install", engine, jobs)


def one_by_one(engine: Engine, jobs: int = 2000) -> float:
    """Jobs a second, each durable before the next begins."""
    _empty(engine)
    return _told("send", engine, jobs, "at once")


def pickup(engine: Engine, jobs: int = 300) -> tuple[float, float]:
    """The median and the 99th percentile in milliseconds, from before the enqueue until the handler begins."""
    _empty(engine)
    with drain.process(peer.__name__, "watch", _dsn(engine)) as worker:
        drain.tell(worker)
        time.sleep(_IDLE_SECONDS)
        _told("send", engine, jobs, "paused")
        time.sleep(_IDLE_SECONDS)
        drain.tell(worker, "end")
        assert worker.stdout
        waits = json.loads(worker.stdout.readline())
    assert len(waits) == jobs
    cuts = quantiles(waits, n=100)
    return cuts[49], cuts[98]


def drained(engine: Engine, jobs: int, *, processes: int = 1) -> float:
    """Jobs a second."""
    _empty(engine)
    _told("install", engine, jobs)
    with autocommit(engine).connect() as conn, ExitStack() as crew:
        conn.execute(text("VACUUM ANALYZE pgqueuer"))
        conn.execute(text("CHECKPOINT"))
        workers = [crew.enter_context(drain.process(peer.__name__, "work", _dsn(engine))) for _ in range(processes)]
        return jobs / drain.watch(workers, lambda: jobs - int(conn.execute(_LEFT).scalar_one()), jobs)[-1][0]


def _told(what: str, engine: Engine, *arguments: object) -> float:
    command = [sys.executable, "-m", peer.__name__, what, _dsn(engine), *map(str, arguments)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _empty(engine: Engine) -> None:
    """Its tables with nothing in them."""
    _told("install", engine, 0)
    with autocommit(engine).connect() as conn:
        conn.execute(text("TRUNCATE pgqueuer, pgqueuer_log"))
        conn.execute(text("CHECKPOINT"))


def _dsn(engine: Engine) -> str:
    return engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
