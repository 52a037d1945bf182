"""Where this worker looks next: what its claims remember from one to the next, in memory only (S2-34 to S2-38)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from time import monotonic

from worker.model import Job
from worker.queries.spans import Legacy, Mark, Span, spans

_MARKS_LAST_SECONDS = 2
_MARKS_AT_MOST = 6


class Rotation:
    """The queue whose turn it was, which are paused, and how far the lines of the busy ones are used up.

    A mark spares a claim the walk over what was taken before, whose index entries stay for as long as an old snapshot
    may see them. An older job that comes back behind a mark waits until the marks are dropped: when a claim finds
    less than it asked for, and every two seconds.
    """

    def __init__(self, allowed: Sequence[str] | None) -> None:
        self.paused: frozenset[str] = frozenset()
        self._allowed = allowed
        self._after = ""
        self._marks: dict[str, Mark] = {}
        self._marked_since = 0.0

    def spans(self, legacy: Legacy) -> list[Span]:
        """Where the next claim looks, in this order."""
        if self._marks and monotonic() - self._marked_since > _MARKS_LAST_SECONDS:
            self._marks.clear()
        return spans(self._allowed, self._after, paused=self.paused, marks=self._marks, legacy=legacy)

    def took(self, jobs: Sequence[Job], *, all_wanted: bool) -> None:
        """Remember what a claim took, in its order, and whether there may be more."""
        if jobs:
            self._after = jobs[-1].queue
        if all_wanted:
            self._mark({job.queue: Mark(job.created_at, job.id) for job in jobs})

    def forget_marks(self) -> bool:
        """Look from the front of each line again; whether that makes a difference."""
        marked = bool(self._marks)
        self._marks.clear()
        return marked

    def now_paused(self, names: Collection[str]) -> bool:
        """Whether that is news; what is paused in truth, the claim itself sees."""
        before, self.paused = self.paused, frozenset(names)
        return before != self.paused

    def _mark(self, marks: dict[str, Mark]) -> None:
        if not self._marks:
            self._marked_since = monotonic()
        self._marks |= marks
        for name in list(self._marks)[:-_MARKS_AT_MOST]:
            del self._marks[name]
