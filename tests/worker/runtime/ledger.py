"""Handlers that write down what they do in a file of their own: an oracle that the database cannot mislead."""

from __future__ import annotations

import os
import random
import time

from worker.backoff import Backoff
from worker.handlers import Registry
from worker.model import Job

SOON = Backoff(base_seconds=0.1, cap_seconds=1, exponent_cap=8, jitter=True)


def register(registry: Registry) -> None:
    """One direct type and two subscribers of one event."""
    registry.job_types.register("ledger", run, max_attempts=20, backoff=SOON)
    for subscriber in ("ledger.one", "ledger.two"):
        registry.subscribers.register("ledger.kept", subscriber, run, max_attempts=20)


def run(job: Job) -> None:
    """Work for a moment, between two lines; the first so many generations fail, where the payload says so."""
    _write("start", job)
    time.sleep(random.uniform(0, 0.05))
    if job.generation <= job.payload.get("fails", 0):
        raise RuntimeError("not yet")
    _write("end", job)


def _write(what: str, job: Job) -> None:
    line = f"{what} {job.id} {job.generation}\n".encode()
    ledger = os.open(os.environ["LEDGER"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(ledger, line)
    os.close(ledger)
