"""The processes under test: workers and maintenance, replaced when they die."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

PACE = {
    "WATCHFLOOR_HANDLERS": "tests.worker.runtime.ledger",
    "WATCHFLOOR_WORKER_CONCURRENCY": "4",
    "WATCHFLOOR_LEASE_SECONDS": "1.5",
    "WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "0.4",
    "WATCHFLOOR_POLL_INTERVAL_SECONDS": "0.3",
    "WATCHFLOOR_REAPER_INTERVAL_SECONDS": "0.5",
    "WATCHFLOOR_RELAY_INTERVAL_SECONDS": "0.5",
    "WATCHFLOOR_BACKOFF_BASE_SECONDS": "0.2",
    "WATCHFLOOR_BACKOFF_MAX_SECONDS": "1",
    "WATCHFLOOR_SHUTDOWN_GRACE_SECONDS": "5",
}
ROOT = Path(__file__).resolve().parents[2]


class Fleet:
    """Ids of living processes, by role; whoever is taken away is replaced at once."""

    def __init__(self, nursery: subprocess.Popen[str]) -> None:
        self._nursery = nursery
        self._pids: dict[str, list[int]] = {"worker": [], "maintenance": []}

    def start(self, role: str) -> None:
        """One more of this kind."""
        assert self._nursery.stdin
        assert self._nursery.stdout
        self._nursery.stdin.write(f"{role}\n")
        self._nursery.stdin.flush()
        self._pids[role].append(int(self._nursery.stdout.readline()))

    def any(self, role: str, choose: Random) -> int:
        """One of this kind."""
        return choose.choice(self._pids[role])

    def replace(self, role: str, choose: Random, number: signal.Signals) -> None:
        """Send one of them this signal, which it will not survive, and start another."""
        victim = self.any(role, choose)
        self._pids[role].remove(victim)
        send(victim, number)
        self.start(role)


def send(pid: int, number: signal.Signals) -> None:
    """Signal a process that may be gone already."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


@contextlib.contextmanager
def fleet(url: str, ledger: Path, log: Path, *, workers: int) -> Iterator[Fleet]:
    """Workers and two maintenance processes on that database, none of which outlives the block."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WATCHFLOOR_", "DATABASE_"))}
    with log.open("w") as errors:
        nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.nursery", url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # Ctrl-C is the soak's to answer
            cwd=ROOT,
            env={**clean, **PACE, "LEDGER": str(ledger)},
        )
        with nursery:
            started = Fleet(nursery)
            for role in ["worker"] * workers + ["maintenance"] * 2:
                started.start(role)
            yield started
