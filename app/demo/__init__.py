"""A living example for `watchfloor up --demo`: a shop's back office, its handlers, its traffic and its bad days.

An ordinary handler module: `register(registry)` is all that the engine knows of it. The jobs are really put in, really
run and really fail; `providers` says who fails, how, and what makes it stop.
"""

from __future__ import annotations

from app.demo import direct, subscribers
from worker.handlers import Registry


def register(registry: Registry) -> None:
    """Make the shop's job types and subscribers known."""
    direct.register(registry)
    subscribers.register(registry)
