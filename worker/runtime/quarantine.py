"""The last attempt of a job whose worker fell silent before: alone, so that it takes no neighbour with it (A-06)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from structlog.typing import FilteringBoundLogger

from worker.runtime.held import Held, Run


class Quarantine:
    """One suspect at a time, begun when all else is written; neither that wait nor its solitude exceeds `seconds`.

    A job that kills its worker costs its neighbours an attempt each time. Without this, all of them would reach the
    ceiling together; with it, their last attempts happen one by one, and only the killer's fails.
    """

    def __init__(self, held: Held, submit: Callable[[Run], None], *, seconds: float, log: FilteringBoundLogger) -> None:
        self._held = held
        self._submit = submit
        self._seconds = seconds
        self._log = log
        self._suspect: Run | None = None
        self._submitted = False
        self._since = 0.0
        self._met_one = False

    def room(self, idle: int) -> int:
        """How many to claim: none beside a suspect, and one by one where the last claim brought suspects."""
        if self._occupied():
            return 0
        return min(idle, 1) if self._met_one else idle

    def part(self, runs: Sequence[Run]) -> tuple[list[Run], list[Run], list[Run]]:
        """What starts now, the one suspect to `keep`, and what goes back for later."""
        suspects = [run for run in runs if run.job.recovered and run.job.attempts >= run.job.max_attempts]
        self._met_one = bool(suspects)
        if not suspects:
            return list(runs), [], []
        return [run for run in runs if run not in suspects], suspects[:1], suspects[1:]

    def keep(self, suspect: Run) -> None:
        """Start it as soon as it is alone."""
        self._suspect, self._submitted, self._since = suspect, False, monotonic()

    def _occupied(self) -> bool:
        if self._suspect is None:
            return False
        over = monotonic() - self._since >= self._seconds
        given_back = self._suspect.ended and not self._submitted
        if given_back or not self._held.holds(self._suspect) or (self._submitted and over):
            self._suspect = None
        elif not self._submitted and (over or self._held.holds_only(self._suspect)):
            self._log.warning("job.quarantined", **self._suspect.about())
            self._submit(self._suspect)
            self._submitted, self._since = True, monotonic()
        return self._suspect is not None
