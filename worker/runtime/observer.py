"""Look once a minute at what waits and what is wrong, keep what was seen, and add up what ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from worker.database import Connection, Engine
from worker.queries import samples, totals
from worker.queries.samples import Sample

LOOK_SECONDS = 20
"""More often than once a minute, so that none is left out; whoever comes first looks for all."""

Look: TypeAlias = Callable[[Connection], Sample]


@dataclass(frozen=True, slots=True)
class Observer:
    """How to look is the caller's to say: what it sees is told on the pages, in the same words."""

    engine: Engine
    look: Look

    def tick(self) -> bool:
        """One look, unless this minute has had one; what is past its time is forgotten."""
        with self.engine.connect() as conn:
            seen = self.look(conn) if samples.is_due(conn) else None
        if seen:
            with self.engine.begin() as conn:
                samples.write(conn, seen)
                samples.prune(conn)
            with self.engine.begin() as conn:
                totals.advance(conn)
        return False
