"""Acts that are asked for again under the same key, by whoever did not hear the first answer."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, func, select

from worker.database import Id, Row, among, serialise
from worker.errors import KeyReused
from worker.queries.bulk_acts import acts
from worker.queries.bulk_acts.acts import Terms
from worker.queries.schema import bulk_act_jobs as member

_of_act = member.c.act_id == bindparam("of_act", type_=Id)
_ASKED = ("action", "mode", "rate", "stop_after", "to_queue")
AMONG = select(func.count()).where(_of_act, among(member.c.job_id, "of_ids"))


def first(
    conn: Connection,
    *,
    act_id: UUID,
    terms: Terms,
    reason: str | None,
    job_ids: Collection[UUID],
    now: datetime | None = None,
) -> Row | None:
    """The act of that id, as it is now; None when this is the first, and nobody else's until the transaction ends.

    KeyReused where it was another act, on other jobs or in another way.
    """
    serialise(conn, f"act {act_id}")
    found = acts.get(conn, act_id=act_id, now=now)
    if found is None:
        return None
    listed = [tuple(each) for each in found.filters or ()] == (terms.filters or [])
    asked = found.reason == reason and all(getattr(found, name) == getattr(terms, name) for name in _ASKED)
    if not (listed and asked and (terms.filters or _on(conn, found, job_ids))):
        raise KeyReused("the key belongs to another act")
    return found


def _on(conn: Connection, act: Row, job_ids: Collection[UUID]) -> bool:
    """Whether the act was pressed on these jobs."""
    known = conn.execute(AMONG, {"of_act": act.id, "of_ids": sorted(job_ids)}).scalar_one()
    return bool(known == act.chosen == len(job_ids) - act.missed)
