"""What is asked with a change, and what is answered to it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field

from app.bodies import Body
from app.shapes import Shape
from worker.payloads import clean_text

MAX_REASON = 500


def _clean(text: str) -> str:
    return clean_text(text, field="reason", limit=MAX_REASON)


def _said(text: str) -> str:
    if kept := _clean(text):
        return kept
    raise ValueError("say why: others will want to know")


def _in_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("is before the first year, or after the last") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
Why = Annotated[str, Field(max_length=MAX_REASON, description="Why, for the trail."), AfterValidator(_clean)]
Said = Annotated[str, Field(min_length=1, max_length=MAX_REASON, description="Why."), AfterValidator(_said)]


class WithWhy(Body):
    """Why it is done, if there is something to say."""

    reason: Why | None = None


class NeedsWhy(Body):
    """Why it is done."""

    reason: Said


class Changed(Shape):
    """Whether it was done; false where it was so already, or somebody was faster."""

    changed: bool


class Moved(Changed):
    """The same, and how many dead letters were moved at once; the others follow."""

    moved: int
