"""Replay and cancel: the same for single jobs and for groups of dead letters; each press is a stored act."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from uuid import UUID

import click

from app.commands.desk import Desk
from app.commands.output import counted
from app.commands.refusals import Failed, Refused
from worker.database import Connection, Row
from worker.model import Status
from worker.queries.bulk_acts import members, work
from worker.queries.bulk_acts.acts import AT_MOST, UNDER_WAY, Action, Mode, Terms
from worker.queries.pages import readiness, selection
from worker.queries.pages.filters import Filters
from worker.queries.pages.selection import Chosen

Command = TypeVar("Command", bound=Callable[..., None])


def pace_options(command: Command) -> Command:
    """How fast a replay goes: all at once unless said otherwise."""
    options = (
        click.option("--one-first", is_flag=True, help="One job; the rest once it passed, and not at all if it fails."),
        click.option("--rate", type=click.IntRange(1, 500), metavar="N", help="N jobs a second."),
        click.option(
            "--stop-after", type=click.IntRange(1, 1000), metavar="N", help="Stop once N failed with the same error."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def group(conn: Connection, fingerprint: str) -> tuple[Chosen, int]:
    """The dead letters of a group that had died by now, and how many there are."""
    now = readiness.clock(conn)
    kind = Filters(status=Status.FAILED, group=fingerprint)
    found = selection.matching(kind, tenant_id=None, before=now, limit=AT_MOST, now=now)
    return found, selection.count(conn, kind, tenant_id=None, before=now, limit=AT_MOST, now=now)


def replay(
    desk: Desk,
    chosen: Chosen,
    *,
    reason: str | None,
    one_first: bool = False,
    rate: int | None = None,
    stop_after: int | None = None,
) -> None:
    """Give dead letters a new budget, and say which; Failed when none of them is one any more."""
    if one_first and rate:
        raise Refused("give either --one-first or --rate")
    mode = Mode.ONE_FIRST if one_first else Mode.RATE if rate else Mode.ALL
    pace: dict[str, Any] = {"mode": mode, "rate": rate, "stop_after": stop_after if mode != Mode.ALL else None}
    act, came_to = _pressed(desk, chosen, Terms(Action.REPLAY, undo_seconds=desk.settings.undo_seconds, **pace), reason)
    if came_to is None:
        _begun(desk, act)
    elif not act.done:
        raise Failed(f"nothing was replayed: {_none(act)} a dead letter now")
    else:
        text = f"{counted(act.done, 'job')} queued again{_skipped(came_to['skipped'])}{_undo(act)}"
        desk.answer({"act": act.id, "replayed": came_to["done"], "skipped": came_to["skipped"]}, text)


def cancel(desk: Desk, chosen: Chosen, *, reason: str | None) -> None:
    """Cancel what waits or failed, ask what runs to stop; Failed when all of it is past either."""
    act, came_to = _pressed(desk, chosen, Terms(Action.CANCEL), reason)
    if came_to is None:
        _begun(desk, act)
    elif not act.done:
        raise Failed(f"nothing was cancelled: {_none(act)} waiting, running or failed now")
    else:
        text = f"{counted(act.done - act.asked, 'job')} cancelled"
        text += f", {counted(act.asked, 'running job')} asked to stop" if act.asked else ""
        named = {"cancelled": came_to["done"], "requested": came_to["asked"], "skipped": came_to["skipped"]}
        desk.answer({"act": act.id, **named}, text + _skipped(came_to["skipped"]) + _undo(act))


def _pressed(desk: Desk, chosen: Chosen, terms: Terms, reason: str | None) -> tuple[Row, dict[str, list[UUID]] | None]:
    """The act, and what became of its jobs where it moved all of them at once."""
    with desk.engine.begin() as conn:
        now = readiness.clock(conn)
        shown = len(chosen.values.get("of_ids", ()))
        whose: dict[str, Any] = {"actor": desk.actor, "reason": reason, "shown": shown, "now": now}
        act = work.begin(conn, terms=terms, chosen=chosen.rows, values=chosen.values, **whose)
        return act, None if act.state in UNDER_WAY else members.came_to(conn, act_id=act.id)


def _begun(desk: Desk, act: Row) -> None:
    text = f"{counted(act.chosen, 'job')} chosen; `watchfloor acts show {act.id}` tells how far it has come"
    desk.answer({"act": act.id, "chosen": act.chosen, "state": act.state}, text)


def _none(act: Row) -> str:
    return f"none of {act.chosen} jobs is" if act.chosen > 1 else "it is not"


def _skipped(skipped: Sequence[UUID]) -> str:
    named = ", ".join(map(str, skipped[:20])) + (", ..." if len(skipped) > 20 else "")
    return f"; {len(skipped)} left as they are: {named}" if skipped else ""


def _undo(act: Row) -> str:
    return f"\nundo: watchfloor acts undo {act.id}"
