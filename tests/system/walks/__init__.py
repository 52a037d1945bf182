"""What people do, step by step, each walk on a console of its own."""

from __future__ import annotations

from tests.system.walks import draining, inviting, losing, pausing, provisioning, replaying, revealing, snoozing
from tests.system.walks.walk import Step, Walk

WALKS: tuple[Walk, ...] = (
    replaying.WALK,
    snoozing.WALK,
    pausing.WALK,
    draining.WALK,
    revealing.WALK,
    provisioning.WALK,
    inviting.WALK,
    losing.WALK,
)

__all__ = ("WALKS", "Step", "Walk")
