"""The handlers of the flow tests: what they do next is the test's to say."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import Any

from sqlalchemy import Connection

from worker.errors import JobCancelled
from worker.handlers import Registry
from worker.model import Job
from worker.queries.jobs import Enqueued, NewJob, enqueue
from worker.signals import cancel_requested

LOOK_EVERY_SECONDS = 0.05
PATIENCE_SECONDS = 30


class Desk:
    """Job types whose handlers fail until the test repairs them, or run until they are told to stop."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.repaired = Event()
        self.began = Event()
        self.told_to_stop = Event()
        self._closed = Event()
        self.registry.job_types.register("render_invoice", self._render, queue="billing", max_attempts=1)
        self.registry.job_types.register("export_ledger", self._export, queue="exports", max_attempts=1)

    def put(self, conn: Connection, job_type: str, payload: Mapping[str, Any] | None = None, **more: Any) -> Enqueued:
        """Enqueue a job."""
        return enqueue(conn, self.registry.job_types, NewJob(job_type, payload or {}, **more))

    def close(self) -> None:
        """Let every handler end."""
        self._closed.set()

    def _render(self, job: Job) -> None:
        """Fails for want of a template, until somebody ships it."""
        if not self.repaired.is_set():
            raise LookupError("no template named 'invoice_v3.html'")

    def _export(self, job: Job) -> None:
        """Runs until it is told to stop, as a well-behaved long job does."""
        self.began.set()
        while not self._closed.wait(LOOK_EVERY_SECONDS):
            if cancel_requested():
                self.told_to_stop.set()
                raise JobCancelled
