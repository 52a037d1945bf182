"""What is asked of a group of dead letters."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from app.bodies import Body
from app.shapes.changes import Moment, Why
from worker.queries.group_states import MAX_RATE
from worker.queries.groups import MAX_NOTE, MAX_RELEASE

Fingerprint = Annotated[str, Field(min_length=1, max_length=300, description="The fingerprint of a group.")]


class OfGroup(Body):
    """A group."""

    group: Fingerprint


class OfOwner(OfGroup):
    """A group, and who has it as far as the asker knows; whoever was faster keeps it."""

    seen_with: Annotated[str, Field(max_length=100, description="Who has it; empty for nobody.")] = ""


class NewSnooze(OfGroup):
    """Until a time, until more than `rate` die within an hour, or without either until the next one dies."""

    until: Moment | None = None
    rate: Annotated[int, Field(ge=1, le=MAX_RATE)] | None = None
    reason: Why | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.until is not None and self.rate is not None:
            raise ValueError("say either a time or a rate")
        return self


class NewResolution(OfGroup):
    """That it is fixed: from now on, or in a release."""

    release: Annotated[str, Field(min_length=1, max_length=MAX_RELEASE)] | None = None
    reason: Why | None = None


class NewNote(OfGroup):
    """What whoever comes next should know; an empty one wipes it away."""

    note: Annotated[str, Field(max_length=MAX_NOTE)]


class NewMerge(OfGroup):
    """The group that it is to join."""

    into: Fingerprint
