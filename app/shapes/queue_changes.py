"""What is asked of a queue."""

from __future__ import annotations

from app.shapes.changes import Moment, NeedsWhy, WithWhy


class NewPause(NeedsWhy):
    """Why, for whoever finds the queue paused, and until when, if it is to end by itself."""

    until: Moment | None = None


class NewEnd(WithWhy):
    """Until when a pause in force is to last; without a time, until somebody resumes."""

    until: Moment | None = None
