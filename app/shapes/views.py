"""Lists of jobs that are kept under a name."""

from __future__ import annotations

from uuid import UUID

from app.shapes import Shape


class SharedView(Shape):
    """A list of jobs that somebody keeps under a name for all; `query` are its filters as in an address."""

    id: UUID
    name: str
    query: str
    saved_by: str


class ViewList(Shape):
    """The shared views by name."""

    views: list[SharedView]
