"""Traces: what OpenTelemetry is told of the queue's work, and the span that each job is asked for in.

Nothing here loads OpenTelemetry. Who traces has loaded it before: the host of the engine, or the command that found
where spans are to go (see `app.tracing`). All other processes get `OFF`, which does nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import TracebackType
from typing import Self
from uuid import UUID

from worker.failures import Failure
from worker.model import Job

_LOADED_BY_WHO_TRACES = "opentelemetry.trace"


class Piece:
    """A piece of work while its block runs; of this one nobody is told."""

    traceparent: str | None = None
    """The span that it is, stored with whatever is asked for within it."""

    ids: Mapping[str, str] = {}
    """What a log line says of it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """The end of it, whatever was raised within."""

    def sent(self, destination: str | None, *, count: int = 1, message_id: UUID | None = None) -> None:
        """Where to if that was one place, how many, and which if it was one."""

    def came_to(self, outcome: str, failure: Failure | None) -> None:
        """How an attempt ended."""


class Tracing:
    """What is told of the work; this one tells nothing."""

    def here(self) -> Piece:
        """What is under way in this thread or task."""
        return _UNTOLD

    def sending(self) -> Piece:
        """The putting in of work."""
        return _UNTOLD

    def attempt(self, job: Job) -> Piece:
        """The run of a handler; whatever the handler calls is a part of it."""
        return _UNTOLD

    def claimed(self, jobs: Sequence[Job], *, took_seconds: float) -> None:
        """A claim that just ended."""

    def relayed(self, traceparents: Sequence[str | None], *, jobs: int, took_seconds: float) -> None:
        """A pass of the relay that just ended: the spans of the events it took, and how many jobs it made of them."""


_UNTOLD = Piece()
OFF = Tracing()


def tracing() -> Tracing:
    """Who is told in this process."""
    if _LOADED_BY_WHO_TRACES not in sys.modules:
        return OFF
    known: Tracing = import_module("worker.tracing.spans").known()
    return known
