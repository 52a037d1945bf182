"""Replay, cancel, run now and reassign from a shell: each press is a stored act, as it is on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app import orders
from app.commands.choosing import How, Wanted
from app.commands.desk import Desk, confirm
from app.commands.output import counted, facts
from app.commands.refusals import Failed, Refused
from app.kinds import Kind
from app.orders import Order
from worker.database import Row
from worker.queries.bulk_acts import members
from worker.queries.bulk_acts.acts import UNDER_WAY, Action
from worker.queries.pages import figures, readiness, selection


@dataclass(frozen=True, slots=True)
class Words:
    """How an act is asked about, told of, and refused where no job is left for it."""

    ask: str
    done: str
    told: str
    none: str


WORDS = {
    Action.REPLAY: Words("Replay", "replayed", "queued again", "a dead letter now"),
    Action.CANCEL: Words("Cancel", "cancelled", "cancelled", "waiting, running or failed now"),
    Action.RUN: Words("Run", "run", "made due", "scheduled or retrying now"),
    Action.REASSIGN: Words("Reassign", "reassigned", "reassigned", "waiting now"),
}


def press(desk: Desk, kind: Kind, wanted: Wanted, how: How, *, ask: bool = False) -> None:
    """Do it and say to which jobs, or with --dry-run what would be done; a whole list is asked about first."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        order = wanted.order(desk, conn, kind, how, now=now)
        order.terms(undo_seconds=0)
        if kind.needs_reason and not (how.reason or how.dry_run):
            raise Refused("--reason WHY is needed: others will want to know")
        outlook = orders.outlook(conn, figures.sample(conn), desk.registry, order, now=now) if how.dry_run else None
        shown = selection.read(conn, orders.chosen(order, now=now), now=now).jobs if order.filters else 0
    if outlook is not None:
        _foretell(desk, outlook)
        return
    if order.filters and not shown:
        raise Failed("no job is in that list")
    question = f"{WORDS[kind.action].ask} {counted(shown or len(order.job_ids), 'job')}?"
    confirm(question, yes=how.yes or not (ask or order.filters))
    _do(desk, order, how, shown)


def _do(desk: Desk, order: Order, how: How, shown: int) -> None:
    with desk.engine.begin() as conn:
        whose: dict[str, Any] = {"actor": desk.actor, "reason": how.reason, "now": readiness.clock(conn)}
        act = orders.press(conn, order, undo_seconds=desk.settings.undo_seconds, shown=shown, **whose)
        came_to = None if act.state in UNDER_WAY else members.came_to(conn, act_id=act.id)
    if came_to is None:
        _begun(desk, act)
    else:
        _ended(desk, act, came_to)


def _begun(desk: Desk, act: Row) -> None:
    text = f"{counted(act.chosen, 'job')} chosen; `watchfloor acts show {act.id}` tells how far it has come"
    desk.answer({"act": act.id, "chosen": act.chosen, "state": act.state}, text)


def _ended(desk: Desk, act: Row, came_to: dict[str, list[UUID]]) -> None:
    words = WORDS[act.action]
    if not act.done:
        whom = f"none of {act.chosen} jobs is" if act.chosen > 1 else "it is not"
        raise Failed(f"nothing was {words.done}: {whom} {words.none}")
    text = f"{counted(act.done - act.asked, 'job')} {words.told}"
    text += f", {counted(act.asked, 'running job')} asked to stop" if act.asked else ""
    text += f" to {act.to_queue}" if act.to_queue else ""
    named = {words.done: came_to["done"], "skipped": came_to["skipped"]}
    named |= {"requested": came_to["asked"]} if act.action == Action.CANCEL else {}
    undo = f"\nundo: watchfloor acts undo {act.id}"
    desk.answer({"act": act.id, **named}, text + _skipped(came_to["skipped"]) + undo)


def _skipped(skipped: Sequence[UUID]) -> str:
    named = ", ".join(map(str, skipped[:20])) + (", ..." if len(skipped) > 20 else "")
    return f"; {len(skipped)} left as they are: {named}" if skipped else ""


def _foretell(desk: Desk, outlook: dict[str, Any]) -> None:
    desk.answer(outlook, facts({name.replace("_", " "): _said(value) for name, value in outlook.items()}))


def _said(value: Any) -> Any:
    """Numbers by name as a phrase, pairs in a word, the rest as it stands."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, list):
        return [" on ".join(each.values()) if isinstance(each, dict) else each for each in value]
    return value
