"""The engine: a durable job queue in your own database, and the workers that run it.

`enqueue`, `enqueue_many` and `publish` write in the transaction of a SQLAlchemy Connection or Session or of a plain
psycopg connection, and never commit it; their twins ending in `_async` do so for AsyncConnection, AsyncSession and
psycopg's AsyncConnection. `Enqueuer` is for processes with many producers at once that have no transaction of their
own. Handlers find out with `cancel_requested()` and `lease_lost()` whether to go on.
"""

from worker.enqueuer import Enqueuer
from worker.errors import JobCancelled
from worker.model import Event, Job
from worker.queries.jobs import Enqueued, NewJob, enqueue, enqueue_async, enqueue_many, enqueue_many_async
from worker.queries.outbox import publish, publish_async
from worker.signals import cancel_requested, lease_lost

__all__ = (
    "Enqueued",
    "Enqueuer",
    "Event",
    "Job",
    "JobCancelled",
    "NewJob",
    "cancel_requested",
    "enqueue",
    "enqueue_async",
    "enqueue_many",
    "enqueue_many_async",
    "lease_lost",
    "publish",
    "publish_async",
)
