"""Worker processes of their own, to be stopped and killed for real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PACE = {"POLL_INTERVAL_SECONDS": "0.1", "REAPER_INTERVAL_SECONDS": "0.1"}
BEAT = {"LEASE_SECONDS": "0.9", "HEARTBEAT_INTERVAL_SECONDS": "0.3"}


@contextmanager
def worker_process(url: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """A worker with the handlers of `tests.worker.runtime.process`, alive at most as long as the block."""
    named = {f"WATCHFLOOR_{name}": value for name, value in (PACE | settings).items()}
    command = [sys.executable, "-m", "tests.worker.runtime.process", url]
    process = subprocess.Popen(
        command, env=os.environ | named, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
