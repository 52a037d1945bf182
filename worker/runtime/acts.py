"""Bulk acts, moved on step by step: any process does it, and another goes on where one was killed."""

from __future__ import annotations

from dataclasses import dataclass

from worker.database import Engine
from worker.queries.bulk_acts import work


@dataclass(frozen=True, slots=True)
class Acts:
    """Keeps nothing between its steps: how far an act has come stands in its row."""

    engine: Engine

    def tick(self) -> bool:
        """One step of one act; whether there may be another."""
        with self.engine.begin() as conn:
            act = work.step(conn)
        return act is not None
