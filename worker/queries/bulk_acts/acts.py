"""The acts themselves: their words, and the one row that whoever changes an act has to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Update, bindparam, insert, select, update

from worker.database import Id, Row, moment
from worker.errors import InvalidInput
from worker.queries.audit import Actor
from worker.queries.schema import bulk_acts as act

AT_ONCE = 1_000
"""Jobs that one transaction moves: more would hold their rows, and the person, for seconds (A-55)."""
AT_MOST = 100_000
"""Jobs of one set."""


class Action(StrEnum):
    """What is done to the jobs, as the audit trail has it."""

    REPLAY = "replay"
    CANCEL = "cancel"
    RUN = "run"
    REASSIGN = "reassign"


class Mode(StrEnum):
    """All now; one, and the rest once it passed; so many a second."""

    ALL = "all"
    ONE_FIRST = "one_first"
    RATE = "rate"


MODES: Mapping[Action, tuple[Mode, ...]] = {
    Action.REPLAY: tuple(Mode),
    Action.CANCEL: (Mode.ALL, Mode.RATE),
    Action.RUN: tuple(Mode),
    Action.REASSIGN: tuple(Mode),
}
"""How fast each may go: of a cancelled job nothing comes that the others could wait for."""
WATCHED = frozenset({Action.REPLAY, Action.RUN, Action.REASSIGN})
"""Acts whose jobs run afterwards: what becomes of them is told, and may stop the rest."""


class ActState(StrEnum):
    """Where an act stands; the last four move nothing more."""

    TRIAL = "trial"
    MOVING = "moving"
    UNDOING = "undoing"
    STOPPED = "stopped"
    ABORTED = "aborted"
    DONE = "done"
    UNDONE = "undone"


UNDER_WAY = frozenset({ActState.TRIAL, ActState.MOVING, ActState.UNDOING})


@dataclass(frozen=True, slots=True)
class Terms:
    """How a set is to be acted on; `filters` are the fields of the list that it was chosen from.

    `seen_at` is when the form was drawn that told of the jobs: a replay leaves out what died after it.
    """

    action: Action
    mode: Mode = Mode.ALL
    rate: int | None = None
    stop_after: int | None = None
    to_queue: str | None = None
    undo_seconds: int = 0
    filters: list[tuple[str, str]] | None = None
    seen_at: datetime | None = None


_is_it = act.c.id == bindparam("of_act", type_=Id)
GET = select(act, moment().label("now")).where(_is_it)
LOCK = GET.with_for_update(of=act)
# One process at a time: whoever finds an act in hand goes on to the next
DUE = (
    select(act, moment().label("now"))
    .where(act.c.next_at.is_not(None), act.c.next_at <= moment())
    .order_by(act.c.next_at)
    .limit(1)
    .with_for_update(skip_locked=True, of=act)
)
OPEN = insert(act)


def require(terms: Terms) -> None:
    """InvalidInput where the action cannot be done so."""
    if terms.mode not in MODES[terms.action]:
        raise InvalidInput("mode", "of a cancelled job nothing comes that the others could wait for")
    if terms.stop_after is not None and terms.action not in WATCHED:
        raise InvalidInput("stop_after", "nothing that is cancelled runs and fails")


def add(conn: Connection, *, act_id: UUID, terms: Terms, actor: Actor, reason: str | None, now: datetime) -> None:
    """Write the act down, before it has any jobs."""
    row = {"id": act_id, "state": ActState.MOVING, "chosen_at": now, "reason": reason}
    row |= {"actor": actor.name, "address": actor.address, "request_id": actor.request_id}
    conn.execute(OPEN, {**row, **{name: getattr(terms, name) for name in Terms.__slots__}})


def get(conn: Connection, *, act_id: UUID, now: datetime | None = None) -> Row | None:
    """An act as it is."""
    return conn.execute(GET, {"of_act": act_id, "at_now": now}).first()


def lock(conn: Connection, *, act_id: UUID, now: datetime | None = None) -> Row | None:
    """The same, and nobody else changes it until the caller's transaction ends."""
    return conn.execute(LOCK, {"of_act": act_id, "at_now": now}).first()


def due(conn: Connection, *, now: datetime | None = None) -> Row | None:
    """The act that has waited longest for its next step, held; None when none is due or others have them in hand."""
    return conn.execute(DUE, {"at_now": now}).first()


def save(conn: Connection, of: Row, changes: Mapping[str, Any]) -> None:
    """Write what changed of an act that is held."""
    values = {f"to_{name}": value for name, value in changes.items()}
    conn.execute(_saving(tuple(changes)), {"of_act": of.id, **values})


@cache
def _saving(names: tuple[str, ...]) -> Update:
    return update(act).where(_is_it).values({name: bindparam(f"to_{name}", type_=act.c[name].type) for name in names})


def ended(of: Row, state: ActState, *, by: str | None = None, why: str | None = None) -> dict[str, Any]:
    """The changes of an act that moves nothing more; what became of its jobs is looked at for a while yet."""
    looks = of.now + timedelta(seconds=2) if state in (ActState.DONE, ActState.STOPPED, ActState.ABORTED) else None
    return {"state": state, "ended_at": of.now, "ended_by": by, "why": why, "next_at": looks}
