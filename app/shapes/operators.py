"""The people who may come in."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from app.shapes import Shape


class Operator(Shape):
    """An account: who may come in, as what, and where they are signed in."""

    id: UUID
    name: str
    role: str
    email: str | None
    state: str
    created_at: datetime
    invited_at: datetime | None
    disabled_at: datetime | None
    seen_at: datetime | None
    sessions: int
    has_password: bool
    second_factor_at: datetime | None


class OperatorPage(Shape):
    """One page of the operators by name."""

    operators: list[Operator]
    next_cursor: str | None
