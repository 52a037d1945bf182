"""A console whose mail leaves, and what its mail says."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select

from app.settings import ConsoleSettings
from tests.post import KEY
from worker.envelope import open_envelope
from worker.mail import Message
from worker.mail_jobs import opened
from worker.queries.schema import platform_jobs

ORIGIN = "https://ops.example.org"
MAIL = {"secret_keys": KEY, "mail_uri": "memory://", "url": ORIGIN}


def mailing(**values: Any) -> ConsoleSettings:
    """The settings of a console whose mail leaves."""
    return ConsoleSettings.model_validate({**MAIL, **values})


def mails(conn: Connection) -> list[Message]:
    """Every mail in the queue, opened, the oldest first."""
    envelope = open_envelope(mailing())
    jobs = conn.execute(select(platform_jobs).order_by(platform_jobs.c.created_at, platform_jobs.c.id)).all()
    return [opened(envelope, job.payload, job_id=UUID(str(job.id)), tenant_id=None) for job in jobs]


def path_in(message: Message) -> str:
    """Where the link of the mail leads on this console."""
    found = re.search(rf"{re.escape(ORIGIN)}(/\S+)", message.body)
    assert found
    return found[1]


def token_in(message: Message) -> str:
    """The token of its link."""
    return path_in(message).rpartition("/")[2]
