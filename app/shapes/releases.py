"""Releases, as whoever deploys tells of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from app.bodies import Body
from app.shapes import Shape, Wanted
from app.shapes.changes import Moment


class NewRelease(Body):
    """A release: of one component, or of everything; begun now, or at some time before."""

    name: str
    component: str | None = None
    at: Moment | None = None


class Release(Shape):
    """A release and when it began."""

    name: str
    component: str | None
    at: datetime


class ToldRelease(Release):
    """A release and who told of it: a worker that started with it, or whoever deployed."""

    told_by: str


class ReleaseList(Shape):
    """The releases of a stretch of time, the oldest first, a hundred at most."""

    since: datetime
    until: datetime
    releases: list[ToldRelease]


class Stretch(Wanted):
    """A stretch of time."""

    since: Annotated[str | None, Field(max_length=40, description="From a time, or so long ago as in `8h`.")] = None
    until: Annotated[str | None, Field(max_length=40, description="To a time, or so long ago; else to now.")] = None
