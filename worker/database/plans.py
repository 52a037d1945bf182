"""Plans that a session keeps, of few statements that are asked all the time: half of what a lone claim costs."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, TypeAlias

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

Session: TypeAlias = "psycopg.Connection[Any]"

SETTINGS = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
"""A plan that was made of an empty table goes by the indexes of a full one."""
KEPT_SECONDS = 10.0


def keep(engine: Engine, *, clock: Callable[[], float] = monotonic) -> None:
    """Have each session make its plans anew every ten seconds: its tables may have grown tenfold since."""

    def renew(session: Session, record: Any, _: Any) -> None:
        if clock() - record.info.setdefault("planned_at", clock()) < KEPT_SECONDS:
            return
        record.info["planned_at"] = clock()
        try:
            session.autocommit = True
            session.execute("DISCARD PLANS")
            session.autocommit = False
        except psycopg.OperationalError as error:
            raise DisconnectionError from error  # the pool opens another

    event.listen(engine, "checkout", renew)
