"""The orders that a list of jobs can be read in, by their names in an address; the first of each is the natural one."""

from __future__ import annotations

from worker.errors import InvalidInput
from worker.model import Status
from worker.queries.pages.states import State

BY_CREATION = ("-created", "created")
_OF_STATUS: dict[str | None, tuple[str, ...]] = {
    Status.FAILED: ("-ended", "ended"),
    Status.RUNNING: ("-started", "started"),
    State.READY: ("claimed",),
    State.SCHEDULED: ("due", "-due"),
    State.RETRYING: ("due", "-due"),
}
WORDS = frozenset({*BY_CREATION, *(word for words in _OF_STATUS.values() for word in words)})


def of(status: str | None, *, of_tenant: bool = False) -> tuple[str, ...]:
    """What a list of jobs in that status can be sorted by; a word that begins with `-` means the last first."""
    if of_tenant and status == State.READY:
        return ("due", *BY_CREATION)
    return (*_OF_STATUS.get(status, ()), *BY_CREATION)


def chosen(word: str | None, *, status: str | None) -> str | None:
    """The word as far as it says something: None where that order is the natural one, or is not to be had."""
    if word is not None and word not in WORDS:
        raise InvalidInput("sort", f"must be one of {', '.join(sorted(WORDS))}")
    return word if word in of(status)[1:] else None
