"""Which dead letters belong together, by the operator's hand: join one group to another, or keep its messages apart."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Text, and_, bindparam, false, null, select, true, update

from worker.database import insert, moment, serialise
from worker.errors import InvalidInput
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.regrouping import regroup, take_out
from worker.queries.schema import dead_letter_groups as group
from worker.queries.titles import title

AT_ONCE = 1_000
"""Dead letters that are moved with the decision; the maintenance moves the others."""
LOOKED_THROUGH = 10_000
"""The newest members of a group in which those are looked for that leave it again."""

_of_group, _by = bindparam("of_group", type_=Text), bindparam("by_actor", type_=Text)
_title = bindparam("with_title", type_=Text)
_changed = {"updated_at": moment(), "updated_by": _by}
HOME = select(group.c.merged_into, group.c.is_split).where(group.c.fingerprint == _of_group)
JOIN = (
    insert(group)
    .values(fingerprint=_of_group, merged_into=bindparam("into_group", type_=Text), title=_title, **_changed)
    .on_conflict_do_update(
        index_elements=["fingerprint"],
        set_={"merged_into": bindparam("into_group", type_=Text), "title": _title, "is_split": false(), **_changed},
    )
)
# What had joined the one that joins now comes along
FOLLOW = (
    update(group)
    .where(group.c.merged_into == _of_group)
    .values(merged_into=bindparam("into_group", type_=Text), **_changed)
)
LEAVE = (
    update(group)
    .where(group.c.fingerprint == _of_group, group.c.merged_into.is_not(None))
    .values(merged_into=null(), **_changed)
    .returning(group.c.fingerprint)
)
SPLIT = (
    insert(group)
    .values(fingerprint=_of_group, is_split=true(), title=_title, **_changed)
    .on_conflict_do_update(
        index_elements=["fingerprint"],
        set_={"is_split": true(), "title": _title, **_changed},
        where=and_(~group.c.is_split, group.c.merged_into.is_(None)),
    )
    .returning(group.c.fingerprint)
)
REJOIN = (
    update(group)
    .where(group.c.fingerprint == _of_group, group.c.is_split)
    .values(is_split=false(), **_changed)
    .returning(group.c.fingerprint)
)
_parts = update(group).where(group.c.split_from == _of_group)
COME_BACK = _parts.where(group.c.merged_into.is_(None)).values(merged_into=_of_group, **_changed)
GO_APART = _parts.where(group.c.merged_into == _of_group).values(merged_into=null(), **_changed)


def merge(conn: Connection, *, fingerprint: str, into: str, actor: Actor, now: datetime | None = None) -> int:
    """What died of one error and will die of it belongs to another group; how many were moved at once."""
    serialise(conn, "dead_letter_groups")
    if fingerprint == into:
        raise InvalidInput("into", "is the same group")
    home = conn.execute(HOME, {"of_group": into}).first()
    if home is not None and home.merged_into:
        raise InvalidInput("into", "has joined another group itself")
    if home is not None and home.is_split:  # what joined it would be kept apart again, and a part of it for ever
        raise InvalidInput("into", "is kept apart by its messages: put those together first")
    values = {"of_group": fingerprint, "into_group": into, "by_actor": actor.name, "at_now": now}
    called = title(conn, fingerprint=fingerprint)
    conn.execute(JOIN, {**values, "with_title": called})
    conn.execute(FOLLOW, values)
    audit.record(conn, actor=actor, action="merge", target=fingerprint, detail={"into": into, "error": called}, now=now)
    return regroup(conn, limit=AT_ONCE, now=now)


def part(conn: Connection, *, fingerprint: str, actor: Actor, now: datetime | None = None) -> int | None:
    """Take a group out again of the one that it had joined; how many left with it, None when it had joined none."""
    serialise(conn, "dead_letter_groups")
    values = {"of_group": fingerprint, "by_actor": actor.name, "at_now": now}
    home = conn.execute(HOME, values).scalar()
    if home is None or conn.execute(LEAVE, values).first() is None:
        return None
    moved = take_out(conn, fingerprint=fingerprint, of=home, limit=LOOKED_THROUGH)
    detail = {"from": home, "error": title(conn, fingerprint=fingerprint)}
    audit.record(conn, actor=actor, action="part", target=fingerprint, detail=detail, now=now)
    return moved


def split(conn: Connection, *, fingerprint: str, actor: Actor, now: datetime | None = None) -> int | None:
    """Keep the messages of a group apart from now on; how many went at once, None if they are or it has joined one."""
    serialise(conn, "dead_letter_groups")
    values = {"of_group": fingerprint, "by_actor": actor.name, "at_now": now}
    called = title(conn, fingerprint=fingerprint)
    if conn.execute(SPLIT, {**values, "with_title": called}).first() is None:
        return None
    conn.execute(GO_APART, values)
    audit.record(conn, actor=actor, action="split", target=fingerprint, detail={"error": called}, now=now)
    return regroup(conn, limit=AT_ONCE, now=now)


def rejoin(conn: Connection, *, fingerprint: str, actor: Actor, now: datetime | None = None) -> int | None:
    """Group the messages together again; how many were moved at once, None when they were together."""
    serialise(conn, "dead_letter_groups")
    values = {"of_group": fingerprint, "by_actor": actor.name, "at_now": now}
    if conn.execute(REJOIN, values).first() is None:
        return None
    conn.execute(COME_BACK, values)
    moved = regroup(conn, limit=AT_ONCE, now=now)
    detail = {"error": title(conn, fingerprint=fingerprint)}
    audit.record(conn, actor=actor, action="rejoin", target=fingerprint, detail=detail, now=now)
    return moved
