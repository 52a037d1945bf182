"""What admins ask about accounts."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from app.bodies import Body
from app.shapes import Shape
from worker.queries.operators import Role

Email = Annotated[str, Field(max_length=254, description="Where the operator takes mail.")]


class NewOperator(Body):
    """Somebody to let in."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    email: Email | None = None
    role: Role = "operator"


class NewRole(Body):
    """What an operator may do from now on."""

    role: Role


class NewAddress(Body):
    """Where mail goes; null for nowhere."""

    email: Email | None


class Handed(Shape):
    """The job that mails a link, or the link itself, which is not shown again, and why it is not mailed."""

    name: str
    job_id: UUID | None
    link: str | None
    why: str | None


class Ended(Shape):
    """How many sessions were ended."""

    sessions: int
