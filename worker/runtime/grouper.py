"""Keep groups of dead letters as rule and people have them: each letter in its group, what came back said to be."""

from __future__ import annotations

from dataclasses import dataclass

from structlog.typing import FilteringBoundLogger

from worker.database import Engine
from worker.queries.group_states import bring_back
from worker.queries.regrouping import regroup
from worker.queries.rereading import reread

_BATCH = 500
EVERY_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Grouper:
    """Pages show a return at once; this keeps it, though the deaths be replayed or grow fewer."""

    engine: Engine
    log: FilteringBoundLogger

    def tick(self) -> bool:
        """One batch of each; whether there may be more to move."""
        with self.engine.begin() as conn:
            returned = bring_back(conn)
            read = reread(conn, limit=_BATCH)
            moved = regroup(conn, limit=_BATCH)
        if returned:
            self.log.info("groups.returned", groups=len(returned))
        return max(read, moved) >= _BATCH
