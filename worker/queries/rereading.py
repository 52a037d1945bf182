"""Dead letters that an older rule grouped, or one that nobody noted: compared anew, by the rule of today."""

from __future__ import annotations

import json

from sqlalchemy import Connection, Integer, Text, bindparam, func, literal_column, select, update

from worker.database import Id, Row, insert, records
from worker.failures import RULE, alike, fingerprint, named
from worker.model import Status
from worker.queries.schema import dead_letter_groups as group
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job

_rule = func.coalesce(job.c.error_rule, literal_column("0"))
OUTDATED = (
    select(
        job.c.id,
        job.c.handler_key,
        job.c.error_type,
        job.c.error_summary,
        job.c.error_alike,
        job.c.error_fingerprint,
    )
    .where(has_status(Status.FAILED), _rule < bindparam("of_rule", type_=Integer))
    .order_by(_rule, job.c.id)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True, of=job)
)
_ROWS = records("read", job_id=Id, alike=Text(), home=Text())
SET = (
    update(job)
    .where(job.c.id == _ROWS.c.job_id, has_status(Status.FAILED))
    .values(
        error_alike=_ROWS.c.alike,
        error_fingerprint=_ROWS.c.home,
        error_rule=bindparam("to_rule", type_=Integer),
    )
)
# What people made of a group goes with its letters, unless the new one is known already
_KEPT = [column for column in group.c if column.name != "fingerprint"]
FOLLOW = (
    insert(group)
    .from_select(
        ["fingerprint", *(column.name for column in _KEPT)],
        select(bindparam("to_group", type_=Text), *_KEPT).where(
            group.c.fingerprint == bindparam("of_group", type_=Text)
        ),
    )
    .on_conflict_do_nothing()
)


def reread(conn: Connection, *, limit: int) -> int:
    """Note of so many what they say as it is compared today, and move those whose group is called otherwise by now."""
    rows = conn.execute(OUTDATED, {"of_rule": RULE, "at_most": limit}).all()
    if not rows:
        return 0
    homes = {row.id: _home(row) for row in rows}
    moved = {(row.error_fingerprint, homes[row.id]) for row in rows if row.error_fingerprint != homes[row.id]}
    for was, home in sorted(moved):
        conn.execute(FOLLOW, {"of_group": was, "to_group": home})
    document = [{"job_id": str(row.id), "alike": alike(row.error_summary or ""), "home": homes[row.id]} for row in rows]
    return conn.execute(SET, {"read": json.dumps(document), "to_rule": RULE}).rowcount


def _home(row: Row) -> str | None:
    """Its group of today where it stood in its own; what an operator moved stays where it is."""
    kind, said = row.error_type or "", row.error_summary or ""
    own = row.error_alike is not None and named(row.handler_key, kind, row.error_alike) == row.error_fingerprint
    return fingerprint(row.handler_key, kind, said) if own else row.error_fingerprint
