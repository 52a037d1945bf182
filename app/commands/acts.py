"""Acts on many jobs: what was pressed, on a page or here, how far it has come; stop it, or take it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import click

from app.commands.desk import Desk, at_desk
from app.commands.lens import tenant_option
from app.commands.output import facts, table
from app.commands.refusals import Failed
from app.commands.values import tenant_of
from app.text import age
from worker.database import Row
from worker.queries.bulk_acts import acts, undo, work
from worker.queries.pages import acts as pages
from worker.queries.pages import readiness

act_argument = click.argument("act_id", type=click.UUID, metavar="ACT")


@click.group("acts")
def command() -> None:
    """See what was replayed, cancelled, run now or reassigned; abort, go on, undo."""


@command.command("list")
@tenant_option
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_acts(desk: Desk, *, tenant: str | None, cursor: str | None) -> None:
    """One page of acts, the newest first."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        page = pages.read(conn, tenant_id=tenant_of(conn, tenant), before=cursor, now=now)
    headings = ("ACT", "WHAT", "STATE", "WHO", "AGE", "CHOSEN", "DONE", "SKIPPED", "FAILED", "LEFT", "WHY")
    rows = [
        (
            each.id,
            each.action,
            each.state,
            each.actor,
            age(each.chosen_at, now),
            each.chosen,
            each.done,
            each.skipped,
            each.failed,
            _left(each),
            each.reason,
        )
        for each in page.rows
    ]
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    desk.answer({"acts": [_document(each) for each in page.rows], "cursor": page.older}, table(headings, rows) + more)


@command.command("show")
@act_argument
@at_desk
def show(desk: Desk, *, act_id: UUID) -> None:
    """How far an act has come, and what became of its jobs."""
    with desk.engine.connect() as conn:
        _answer(desk, _found(acts.get(conn, act_id=act_id), act_id))


@command.command("jobs")
@act_argument
@tenant_option
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_jobs(desk: Desk, *, act_id: UUID, tenant: str | None, cursor: str | None) -> None:
    """One page of an act's jobs in the order in which they are moved, each with what became of it."""
    with desk.engine.connect() as conn:
        _found(acts.get(conn, act_id=act_id), act_id)
        now, tenant_id = readiness.clock(conn), tenant_of(conn, tenant)
        page = pages.jobs(conn, act_id=act_id, tenant_id=tenant_id, before=cursor, now=now)
    names = ("place", "job_id", "came_to", "why", "outcome", "state", "handler_key", "queue", "tenant")
    rows = [[getattr(each, name) for name in names] for each in page.rows]
    headings = ("PLACE", "JOB", "CAME TO", "WHY", "OUTCOME", "NOW", "HANDLER", "QUEUE", "TENANT")
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    desk.answer({"jobs": [each._asdict() for each in page.rows], "cursor": page.older}, table(headings, rows) + more)


@command.command("abort")
@act_argument
@at_desk
def abort(desk: Desk, *, act_id: UUID) -> None:
    """Leave what is left of an act as it is."""
    _move(desk, act_id, work.abort, "nothing is left of it to abort")


@command.command("go-on")
@act_argument
@at_desk
def go_on(desk: Desk, *, act_id: UUID) -> None:
    """Go on with an act that stopped by itself."""
    _move(desk, act_id, work.resume, "it does not stand still")


@command.command("undo")
@act_argument
@at_desk
def take_back(desk: Desk, *, act_id: UUID) -> None:
    """Put back what an act moved and nobody moved since."""
    _move(desk, act_id, undo.undo, "there is nothing to undo any more")


def _found(act: Row | None, act_id: UUID) -> Row:
    if act is None:
        raise Failed(f"there is no act {act_id}")
    return act


def _move(desk: Desk, act_id: UUID, move: Callable[..., Row | None], why_not: str) -> None:
    with desk.engine.begin() as conn:
        _found(acts.get(conn, act_id=act_id), act_id)
        act = move(conn, act_id=act_id, actor=desk.actor)
        if act is None:
            raise Failed(why_not)
        _answer(desk, act)


def _answer(desk: Desk, act: Row) -> None:
    document = _document(act)
    desk.answer(document, facts({name.replace("_", " "): value for name, value in document.items()}))


def _document(act: Row) -> dict[str, Any]:
    inner = {"address", "request_id", "action_id", "undo_action_id", "moved_place", "watched_place", "next_at", "now"}
    return {name: value for name, value in act._asdict().items() if name not in inner} | {"left": _left(act)}


def _left(act: Row) -> int:
    return int(act.chosen - act.done - act.skipped - act.failed - act.undone)
