"""What people do about dead letters with the same error: take, give back, snooze, resolve, reopen, note."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Text, bindparam, case, func, null, or_, update

from worker.database import Timestamp, insert, moment, optional
from worker.errors import InvalidInput
from worker.queries.audit import Actor, record
from worker.queries.group_states import MAX_RATE, GroupState
from worker.queries.schema import dead_letter_groups as group
from worker.queries.titles import title

MAX_NOTE, MAX_RELEASE = 2_000, 100

_by = bindparam("by_actor", type_=Text)
_awake = {"snoozed_until": null(), "snooze_rate": null(), "resolved_in": null()}


def _state(state: GroupState | ColumnElement[str]) -> dict[str, Any]:
    return {"state": state, "state_at": moment(), "state_by": _by, "updated_at": moment(), "updated_by": _by}


def _put(values: Mapping[str, Any], *guard: ColumnElement[bool]) -> Any:
    """The row of a group with these values, made or changed where the guard holds; nothing comes back where not."""
    made = insert(group).values(fingerprint=bindparam("of_group", type_=Text), **values)
    condition = guard[0] if guard else None
    put = made.on_conflict_do_update(index_elements=["fingerprint"], set_=dict(values), where=condition)
    return put.returning(group.c.fingerprint)


_seen = func.coalesce(group.c.assignee, "") == bindparam("seen_with", type_=Text)
_still_quiet = group.c.state.in_((GroupState.SNOOZED, GroupState.RESOLVED))
_owned: ColumnElement[str] = case((group.c.assignee.is_(None), GroupState.NEW), else_=GroupState.TAKEN)
TAKE = _put({"assignee": _by, **_awake, **_state(GroupState.TAKEN)}, _seen)
GIVE_BACK = (
    update(group)
    .where(group.c.fingerprint == bindparam("of_group"), _seen, group.c.assignee.is_not(None))
    .values(
        assignee=null(),
        state=case((group.c.state == GroupState.TAKEN, GroupState.NEW), else_=group.c.state),
        updated_at=moment(),
        updated_by=_by,
    )
    .returning(group.c.fingerprint)
)
SNOOZE = _put(
    {
        "snoozed_until": optional("until_time", Timestamp),
        "snooze_rate": optional("beyond_rate", Integer),
        "resolved_in": null(),
        **_state(GroupState.SNOOZED),
    }
)
RESOLVE = _put(
    {
        "resolved_in": optional("in_release", Text),
        "snoozed_until": null(),
        "snooze_rate": null(),
        **_state(GroupState.RESOLVED),
    }
)
REOPEN = (
    update(group)
    .where(group.c.fingerprint == bindparam("of_group"), or_(_still_quiet, group.c.state == GroupState.RETURNED))
    .values(**_awake, **_state(_owned))
    .returning(group.c.fingerprint)
)
NOTE = _put({"note": optional("to_note", Text), "updated_at": moment(), "updated_by": _by})


def take(
    conn: Connection, *, fingerprint: str, actor: Actor, seen_with: str | None = None, now: datetime | None = None
) -> bool:
    """It is theirs from now on, snoozed or not; False when it is no longer with whom they saw it, if with anybody."""
    return _do(
        conn,
        TAKE,
        {"seen_with": seen_with or ""},
        fingerprint=fingerprint,
        actor=actor,
        action="take",
        was=seen_with,
        now=now,
    )


def give_back(conn: Connection, *, fingerprint: str, actor: Actor, seen_with: str, now: datetime | None = None) -> bool:
    """Nobody has it any more; False when it is no longer with whom it was seen."""
    return _do(
        conn,
        GIVE_BACK,
        {"seen_with": seen_with},
        fingerprint=fingerprint,
        actor=actor,
        action="give-back",
        was=seen_with,
        now=now,
    )


def snooze(
    conn: Connection,
    *,
    fingerprint: str,
    actor: Actor,
    until: datetime | None = None,
    rate: int | None = None,
    reason: str | None = None,
    now: datetime | None = None,
) -> bool:
    """Let it be until a time, until more than `rate` die within an hour, or without either until the next one dies."""
    if until is not None and rate is not None:
        raise InvalidInput("until", "say either a time or a rate")
    if rate is not None and not 1 <= rate <= MAX_RATE:
        raise InvalidInput("rate", f"must be from 1 to {MAX_RATE:,} an hour")
    values = {"until_time": until, "beyond_rate": rate}
    told = {"until": until and until.isoformat(), "rate": rate}
    return _do(
        conn, SNOOZE, values, fingerprint=fingerprint, actor=actor, action="snooze", reason=reason, now=now, **told
    )


def resolve(
    conn: Connection,
    *,
    fingerprint: str,
    actor: Actor,
    release: str | None = None,
    reason: str | None = None,
    now: datetime | None = None,
) -> bool:
    """It is fixed: from now on, or in a release, and then what older workers still do to it does not count."""
    values = {"in_release": release}
    return _do(
        conn,
        RESOLVE,
        values,
        fingerprint=fingerprint,
        actor=actor,
        action="resolve",
        reason=reason,
        now=now,
        release=release,
    )


def reopen(
    conn: Connection, *, fingerprint: str, actor: Actor, reason: str | None = None, now: datetime | None = None
) -> bool:
    """It asks for a person again, or for the one who has it; False when it was neither snoozed nor resolved."""
    return _do(conn, REOPEN, {}, fingerprint=fingerprint, actor=actor, action="reopen", reason=reason, now=now)


def write_note(
    conn: Connection, *, fingerprint: str, actor: Actor, note: str | None, now: datetime | None = None
) -> bool:
    """What whoever comes next should know; none wipes it away."""
    return _do(
        conn,
        NOTE,
        {"to_note": note or None},
        fingerprint=fingerprint,
        actor=actor,
        action="note",
        reason=_start(note),
        now=now,
    )


def _do(
    conn: Connection,
    statement: Any,
    values: Mapping[str, Any],
    *,
    fingerprint: str,
    actor: Actor,
    action: str,
    reason: str | None = None,
    now: datetime | None = None,
    **told: Any,
) -> bool:
    """The transition and, when it came about, its row in the trail."""
    bound = {"of_group": fingerprint, "by_actor": actor.name, "at_now": now, **values}
    if conn.execute(statement, bound).first() is None:
        return False
    detail = {name: value for name, value in told.items() if value} | {"error": title(conn, fingerprint=fingerprint)}
    record(conn, actor=actor, action=action, target=fingerprint, reason=reason, detail=detail, now=now)
    return True


def _start(note: str | None) -> str | None:
    """As much of a note as the trail keeps."""
    return note if note is None or len(note) <= 500 else f"{note[:499]}…"
