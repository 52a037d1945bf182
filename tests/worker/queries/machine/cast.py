"""Who takes part: job types, queues, tenants, subscribers, and three workers that want different things."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from tests.factories import job_types
from worker.model import RUN_SUBSCRIBER
from worker.queries.audit import Actor
from worker.queries.spans import Legacy
from worker.subscribers import Subscribers

JOB_TYPES = ("render", "train")
QUEUES = ("bulk", "default", "mail")
TENANTS = (None, UUID(int=1))
KEYS = ("first", "second")
TAKEN, UNTAKEN = "order.created", "nobody.cares"
DANA = Actor("dana")

REGISTERED = job_types(*JOB_TYPES)
SUBSCRIBERS = Subscribers()
SUBSCRIBERS.register(TAKEN, "crm.sync", lambda job: None, queue="default", max_attempts=3)
SUBSCRIBERS.register(TAKEN, "stock.count", lambda job: None, queue="bulk", max_attempts=1)


LEGACY = (Legacy(), Legacy(adopt=("crm.sync",)), Legacy(exclude=("crm.sync",)))
"""What a worker may know of subscribers whose jobs are in `default` though they have moved."""


@dataclass(frozen=True)
class Taker:
    """A worker process, as far as the database knows it."""

    name: str
    job_types: tuple[str, ...]
    queues: tuple[str, ...] | None


TAKERS = (
    Taker("any", (*JOB_TYPES, RUN_SUBSCRIBER), None),
    Taker("renderer", ("render", RUN_SUBSCRIBER), ("mail", "default")),
    Taker("loader", (*JOB_TYPES, RUN_SUBSCRIBER), ("bulk",)),
)
