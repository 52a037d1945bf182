"""Types of the demo with handlers that a test can hold: `WATCHFLOOR_HANDLERS=tests.app.handlers GATE=path`."""

from __future__ import annotations

import os
import time
from pathlib import Path

from worker import JobCancelled, cancel_requested, lease_lost
from worker.handlers import Registry
from worker.model import Job

NAME = "tests.app.handlers"


def register(registry: Registry) -> None:
    """One that is done at once, and one that is not."""
    registry.job_types.register("send_digest", nothing)
    registry.job_types.register("rebuild_search", wait_for_the_gate)


def nothing(_job: Job) -> None:
    """Do what takes no time."""


def wait_for_the_gate(_job: Job) -> None:
    """Run until there is a file at `GATE`, or until asked to stop; one beside it says that it began."""
    Path(os.environ["GATE"]).with_suffix(".begun").touch()
    while not Path(os.environ["GATE"]).exists():
        if cancel_requested() or lease_lost():
            raise JobCancelled
        time.sleep(0.02)
