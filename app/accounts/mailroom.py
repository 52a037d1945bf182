"""How a link comes to its operator: by mail, through the queue, or else by whoever asked for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from app.accounts.links import Link
from app.settings import ConsoleSettings
from worker.database import Connection
from worker.deployment import Deployment
from worker.envelope import secret_encryption_readiness
from worker.errors import EnvelopeError
from worker.job_types import JobTypes
from worker.mail import Message, email_delivery_readiness
from worker.mail_jobs import enqueue_email_job

NO_ADDRESS = "The account has no e-mail address"


@dataclass(frozen=True, slots=True)
class Handed:
    """The job that mails the link; or the link itself, to be shown once, and why it is not mailed."""

    job_id: UUID | None = None
    link: str | None = field(default=None, repr=False)
    why: str | None = None


@dataclass(frozen=True)
class Mailroom:
    """Where this deployment's mail to operators leaves."""

    settings: ConsoleSettings
    deployment: Deployment
    job_types: JobTypes

    @property
    def problem(self) -> str | None:
        """What keeps mail from leaving, by the setting's name; None: nothing that shows here.

        What only its workers know is not asked: where they are processes of their own, so are their settings.
        """
        if problem := secret_encryption_readiness(self.settings):
            return problem
        if self.settings.url is None:
            return "WATCHFLOOR_URL is not set: without it no link can be mailed"
        return email_delivery_readiness(self.settings) if self.settings.job_worker_mode == "in_process" else None

    def address(self, link: Link) -> str:
        """The whole link, by the settings alone: whatever host a request names leads nowhere (A-69)."""
        return self.settings.address + link.path

    def hand_over(self, conn: Connection, link: Link, letter: Message | None) -> Handed:
        """Mail the link; where that cannot be, or there is no letter for want of an address, have it shown."""
        problem = self.problem if letter else NO_ADDRESS
        if letter and problem is None:
            try:
                return Handed(job_id=self.send(conn, link, letter))
            except EnvelopeError as error:
                problem = str(error)
        return Handed(link=self.address(link), why=problem)

    def send(self, conn: Connection, link: Link, letter: Message) -> UUID:
        """Have the letter sent once this transaction is committed; sealed, as every mail is (S1-119)."""
        envelope, key = self.deployment.envelope(), f"email:{link.purpose}:{link.key}"
        return enqueue_email_job(conn, self.job_types, envelope, letter, idempotency_key=key).id
