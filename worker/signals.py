"""What a running handler may ask: is the job still mine, and does somebody want it to stop?"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from worker.errors import ClaimLost, JobCancelled


@dataclass(slots=True)
class Signal:
    """The two things a worker tells a handler; once true, they stay true."""

    lease_lost: bool = False
    cancel_requested: bool = False


# Follows `await` and copied contexts, but not the threads a handler starts itself (S2-141)
_current: ContextVar[Signal | None] = ContextVar("watchfloor_signal", default=None)


def lease_lost() -> bool:
    """Whether this job may be running elsewhere by now: stop between two units of work. False outside a job."""
    signal = _current.get()
    return signal is not None and signal.lease_lost


def cancel_requested() -> bool:
    """Whether an operator asked for this job to stop: raise `JobCancelled` when it suits. False outside a job."""
    signal = _current.get()
    return signal is not None and signal.cancel_requested


def require_wanted() -> None:
    """Between two units of work: ClaimLost when the job may be another worker's, JobCancelled when it is to stop."""
    if lease_lost():
        raise ClaimLost
    if cancel_requested():
        raise JobCancelled


def enter(signal: Signal) -> None:
    """From here on, this context's handler hears this signal."""
    _current.set(signal)


def leave() -> None:
    """The handler is over."""
    _current.set(None)
