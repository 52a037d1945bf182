"""What became of provisionings, try by try and step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed.rows import Row
from tests.system.seed.staff import PROVISIONER_1
from worker.provisioning.steps import STEPS
from worker.queries.schema import job_attempts, job_steps

TOOK_SECONDS = (0.9, 18.4, 0.6, 0.4, 2.1, 0.3)
"""What each step takes at the usual pace."""


@dataclass
class History:
    """The tries of one job; `at` is where the last of them ended."""

    job: Row
    at: datetime
    pace: float = 1
    generation: int = 0
    steps: list[Row] = field(default_factory=list)
    attempts: list[Row] = field(default_factory=list)

    def tried(self, first: int, *, until: int = len(STEPS), error: str | None = None, wait: float = 1) -> History:
        """A try that began so long after the last, did the steps from `first` on and ended before `until`.

        With an error, the step `until` failed; without one, and before the last step, it runs still.
        """
        self.generation += 1
        begun = self.at = self.at + timedelta(seconds=wait)
        for place in range(until):
            self._step(place, "done" if place >= first else "skipped")
        if error:
            self._step(until, "failed", error)
            self._ended(begun, "failed", error)
        elif until < len(STEPS):
            self._step(until, None)
        else:
            self._ended(begun, "completed", None)
        return self

    def _step(self, place: int, outcome: str | None, error: str | None = None) -> None:
        begun = self.at
        if outcome in ("done", "failed"):
            self.at += timedelta(seconds=TOOK_SECONDS[place] * self.pace)
        about = {"job_id": self.job["id"], "generation": self.generation, "ordinal": place + 1, "step": STEPS[place]}
        ended = {"started_at": begun, "finished_at": self.at if outcome else None, "outcome": outcome, "error": error}
        self.steps.append({**about, **ended})

    def _ended(self, begun: datetime, outcome: str, error: str | None) -> None:
        about: dict[str, Any] = {"job_id": self.job["id"], "generation": self.generation, "attempt": self.generation}
        about |= {"worker_id": PROVISIONER_1, "claimed_at": begun, "started_at": begun, "finished_at": self.at}
        self.attempts.append({**about, "outcome": outcome, "error": error})


def write(conn: Connection, histories: Iterable[History]) -> None:
    """Insert the steps and attempts."""
    for table, rows in _tables(list(histories)):
        conn.execute(insert(table), rows)


def _tables(histories: list[History]) -> Iterator[tuple[Any, list[Row]]]:
    yield job_steps, [row for each in histories for row in each.steps]
    yield job_attempts, [row for each in histories for row in each.attempts]
