"""What the API is asked and answers, noun by noun: models that its document is made of, too."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from worker.queries.pages.cursors import MAX_LENGTH

MOST = 200
"""Rows that one page of any list may have."""


class Shape(BaseModel):
    """A part of an answer, read from the attributes of a row."""

    model_config = ConfigDict(from_attributes=True)


class Wanted(BaseModel):
    """The parameters of an address; whatever else stands there is refused."""

    model_config = ConfigDict(extra="forbid")


class Whatever(BaseModel):
    """Parameters that somebody else's configuration adds."""

    model_config = ConfigDict(extra="ignore")


class Following(Wanted):
    """Those of a list whose pages are of one size."""

    cursor: Annotated[str | None, Field(max_length=MAX_LENGTH, description="`next_cursor` of the page before.")] = None


class Paged(Following):
    """Those of a list."""

    limit: Annotated[int, Field(ge=1, le=MOST, description="Rows on one page.")] = 50


class Fault(BaseModel):
    """A part of the request that was refused."""

    field: str
    detail: str


class Problem(BaseModel):
    """Why a request was refused (RFC 9457); `errors` names what is at fault in its document or parameters."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    errors: list[Fault] = []
