"""Links that let somebody in once: a random token in the path, its hash in the database."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.sessions import digest
from worker.database import Connection
from worker.queries import links
from worker.queries.links import KEY_LENGTH, Purpose

PATHS: Mapping[Purpose, str] = {
    "sign-in": "/sign-in/link/",
    "invitation": "/invitations/",
    "password": "/password-resets/",
}
HOURS: Mapping[Purpose, float] = {"sign-in": 24, "invitation": 72, "password": 1}


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is handed over; nobody can show it again."""

    purpose: Purpose
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def path(self) -> str:
        """Where it leads, under the console's own address."""
        return PATHS[self.purpose] + self.token

    @property
    def token_hash(self) -> str:
        """What is kept of it."""
        return digest(self.token)

    @property
    def key(self) -> str:
        """What tells its mail from every other."""
        return self.token_hash[:KEY_LENGTH]

    @property
    def lifetime_seconds(self) -> float:
        """How long it works."""
        return HOURS[self.purpose] * 3600


def new_link(conn: Connection, *, operator_id: UUID, purpose: Purpose, now: datetime | None = None) -> Link:
    """A link for the operator, good for one purpose."""
    link = Link(purpose)
    links.issue(
        conn,
        operator_id=operator_id,
        token_hash=link.token_hash,
        lifetime_seconds=link.lifetime_seconds,
        purpose=purpose,
        now=now,
    )
    return link
