"""What the next shift has to know."""

from __future__ import annotations

from datetime import datetime

from app.shapes import Shape
from app.shapes.acts import Act
from app.shapes.audit import Deed
from app.shapes.groups import Group
from app.shapes.queues import Pause
from app.shapes.releases import ToldRelease


class PausedQueue(Pause):
    """A pause in force, and how many jobs are due behind it."""

    waiting: int


class HandOver(Shape):
    """A shift, the newest first, and how what was done in it stands now; `text` is the same for an incident channel."""

    since: datetime
    until: datetime
    now: datetime
    trail: list[Deed]
    acts: list[Act]
    capped: bool
    releases: list[ToldRelease]
    dead: int
    dead_capped: bool
    new_groups: list[Group]
    open_groups: list[Group]
    waking: list[Group]
    paused: list[PausedQueue]
    draining: list[str]
    text: str
