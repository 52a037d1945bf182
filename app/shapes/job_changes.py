"""What is asked of one job, and its payload laid open."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from app.shapes import Shape
from app.shapes.changes import NeedsWhy


class NewCopy(NeedsWhy):
    """The payload that the copy gets; what stands in it as `[redacted]` is taken from the original."""

    payload: dict[str, Any]
    queue: Annotated[str | None, Field(max_length=100, description="Another queue than the original's.")] = None
    cancel: Annotated[bool, Field(description="Whether the original is given up, where it is a dead letter.")] = False


class MadeCopy(Shape):
    """The copy."""

    id: UUID
    copy_of: UUID


class Revealed(Shape):
    """A payload with what is closed to the eye; what only a worker's key opens stays closed."""

    payload: Any
