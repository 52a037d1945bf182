"""Releases, as whoever deploys tells of them."""

from __future__ import annotations

from datetime import datetime

from pydantic import AwareDatetime

from app.bodies import Body
from app.shapes import Shape


class NewRelease(Body):
    """A release: of one component, or of everything; begun now, or at some time before."""

    name: str
    component: str | None = None
    at: AwareDatetime | None = None


class Release(Shape):
    """A release and when it began."""

    name: str
    component: str | None
    at: datetime
