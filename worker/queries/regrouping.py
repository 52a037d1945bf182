"""Move dead letters to the group that a rule puts them in: another one that theirs joined, or one of their message."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Text, bindparam, literal, select, update

from worker.database import Id, Row, insert, moment, records
from worker.failures import exact_fingerprint, fingerprint
from worker.model import Status
from worker.queries import audit
from worker.queries.schema import dead_letter_groups as group
from worker.queries.schema import has_status
from worker.queries.schema import platform_jobs as job
from worker.queries.titles import MAX_TITLE

MOST_PARTS = 50
"""Groups that one is kept apart as; what else it says then stays together, as the rest."""
_THE_REST = "\N{HORIZONTAL ELLIPSIS}"

_of_group = bindparam("of_group", type_=Text)
_said = (job.c.id, job.c.error_fingerprint, job.c.handler_key, job.c.error_type, job.c.error_summary)
_newest_first = (job.c.finished_at.desc(), job.c.id.desc())
_dead = has_status(Status.FAILED)
_locked: dict[str, Any] = {"skip_locked": True, "of": job}
MISPLACED = (
    select(job.c.id, group.c.merged_into.label("home"))
    .select_from(group.join(job, job.c.error_fingerprint == group.c.fingerprint))
    .where(group.c.merged_into.is_not(None), _dead)
    .limit(bindparam("at_most"))
    .with_for_update(**_locked)
)
UNDIVIDED = (
    select(*_said)
    .select_from(group.join(job, job.c.error_fingerprint == group.c.fingerprint))
    .where(group.c.is_split, _dead)
    .limit(bindparam("at_most"))
    .with_for_update(**_locked)
)
MEMBERS = (
    select(*_said)
    .where(_dead, job.c.error_fingerprint == _of_group)
    .order_by(*_newest_first)
    .limit(bindparam("at_most"))
    .with_for_update(**_locked)
)
PARTS = select(group.c.split_from, group.c.fingerprint).where(group.c.split_from.is_not(None))
_ROWS = records("homes", job_id=Id, home=Text())
MOVE = update(job).where(job.c.id == _ROWS.c.job_id, _dead).values(error_fingerprint=_ROWS.c.home)
_PART = insert(group).values(
    fingerprint=_of_group,
    split_from=bindparam("from_group", type_=Text),
    title=bindparam("with_title", type_=Text),
    updated_at=moment(),
    updated_by=literal(audit.SYSTEM.name),
)
PART = _PART.on_conflict_do_update(index_elements=["fingerprint"], set_={"split_from": _PART.excluded.split_from})

Homes = list[tuple[Any, str]]


def regroup(conn: Connection, *, limit: int, now: datetime | None = None) -> int:
    """Move what stands where a rule says it should not, so many at a time; how many were moved."""
    misplaced = conn.execute(MISPLACED, {"at_most": limit}).all()
    undivided = conn.execute(UNDIVIDED, {"at_most": limit}).all()
    return _move(conn, [*((row.id, row.home) for row in misplaced), *_divided(conn, undivided, now)])


def take_out(conn: Connection, *, fingerprint: str, of: str, limit: int) -> int:
    """Move back to a group those of another's newest members that would be its own by their message."""
    members = conn.execute(MEMBERS, {"of_group": of, "at_most": limit}).all()
    return _move(conn, [(row.id, fingerprint) for row in members if fingerprint in _natural(row)])


def _natural(row: Row) -> tuple[str, str]:
    """The names that its error gave it, by its message or by what became of its worker."""
    said = fingerprint(row.handler_key, row.error_type or "", row.error_summary or "")
    return said, f"lease-expired:{row.handler_key}"


def _divided(conn: Connection, rows: Sequence[Row], now: datetime | None) -> Homes:
    """Each to the group of its exact message, made where there is none yet."""
    if not rows:
        return []
    parts: dict[str, set[str]] = {}
    for known in conn.execute(PARTS):
        parts.setdefault(known.split_from, set()).add(known.fingerprint)
    homes: Homes = []
    for row in rows:
        known_parts = parts.setdefault(row.error_fingerprint, set())
        home, title = _part(row, known_parts)
        if home not in known_parts:
            values = {"of_group": home, "from_group": row.error_fingerprint, "with_title": title, "at_now": now}
            conn.execute(PART, values)
            known_parts.add(home)
        homes.append((row.id, home))
    return homes


def _part(row: Row, known: set[str]) -> tuple[str, str]:
    """The group of its message, or that of the rest where there are enough."""
    said = row.error_summary or ""
    home = exact_fingerprint(row.handler_key, row.error_type or "", said)
    if home not in known and len(known) >= MOST_PARTS - 1:
        said = _THE_REST
        home = exact_fingerprint(row.handler_key, row.error_type or "", said)
    return home, f"{row.error_type}: {said}"[:MAX_TITLE]


def _move(conn: Connection, homes: Iterable[tuple[Any, str]]) -> int:
    document = [{"job_id": str(job_id), "home": home} for job_id, home in homes]
    return conn.execute(MOVE, {"homes": json.dumps(document)}).rowcount if document else 0
