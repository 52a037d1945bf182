"""The acts on jobs: the states that each moves, those by which a whole list may be chosen, and what it asks for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from worker.model import Status
from worker.queries.bulk_acts.acts import Action
from worker.queries.pages.states import State

RATES, FAILURES = range(1, 501), range(1, 1001)
"""How many jobs a second an act may move, and after how many failures it may be told to stop."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the acts, on a page, at the API and in a shell."""

    action: Action
    template: str
    moves: Collection[str]
    lists: Collection[str]
    needs_reason: bool = False


_LATER = {State.SCHEDULED, State.RETRYING}
_WAITING = {State.READY, *_LATER}

REPLAY = Kind(Action.REPLAY, "replays/new.html", moves={State.DEAD}, lists={Status.FAILED})
CANCEL = Kind(
    Action.CANCEL,
    "cancellations/new.html",
    moves={*_WAITING, State.DEAD, State.RUNNING},
    lists={Status.FAILED, Status.QUEUED, Status.RUNNING, *_WAITING},
    needs_reason=True,
)
RUN = Kind(Action.RUN, "runs/new.html", moves=_LATER, lists=_LATER)
REASSIGN = Kind(Action.REASSIGN, "reassignments/new.html", moves=_WAITING, lists={*_WAITING, Status.QUEUED})
KINDS = (REPLAY, CANCEL, RUN, REASSIGN)
