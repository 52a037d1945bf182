"""A deployment that sends mail: its outbox, and a worker taken apart that empties it."""

from __future__ import annotations

import base64
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine

from tests.worker.runtime.bench import Bench, settings
from worker.envelope import open_envelope
from worker.handlers import configured
from worker.mail import Message
from worker.mail_jobs import enqueue_email_job
from worker.queries.schema import platform_jobs

KEY = base64.urlsafe_b64encode(b"watchfloor-tests-key-of-32-bytes").decode()
"""The same in every process of a run."""
TO, SUBJECT, SECRET = "ada.planted@shop.example", "Reset planted-subject", "planted-body-token"
LETTER = Message(TO, SUBJECT, f"Hello,\nhttps://floor.example/reset/{SECRET}\n")


class Post:
    """Sends by the server at that address; `values` are more of its settings."""

    def __init__(self, engine: Engine, uri: str = "memory://", **values: Any) -> None:
        self._engine = engine
        self.settings = settings(**{"mail_uri": uri, "secret_keys": KEY} | values)
        self.registry = configured(self.settings)
        self.envelope = open_envelope(self.settings)
        self.bench = Bench(engine, self.registry, **values)

    def enqueue(self, message: Message = LETTER, **options: Any) -> UUID:
        """A sealed mail that is due."""
        with self._engine.begin() as conn:
            return enqueue_email_job(conn, self.registry.job_types, self.envelope, message, **options).id

    def work(self) -> None:
        """Claim what is due, run it here and now, and write what it came to."""
        self.bench.run(*self.bench.claim())


def make_due(conn: Connection) -> None:
    """Let what waits for its next attempt wait no longer."""
    conn.execute(platform_jobs.update().values(available_at=platform_jobs.c.created_at))
