"""Saved views: lists of jobs by name, kept for an operator or for all; from a shell, for whom it says."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import click

from app.commands.desk import Desk, at_desk
from app.commands.job_lists import Asked, narrowed
from app.commands.output import table
from app.commands.people import known
from app.commands.refusals import Failed
from app.text import cell
from worker.database import Connection, Row
from worker.queries import saved_views
from worker.queries.operators import Operator
from worker.queries.pages import readiness

whose_option = click.option("--for", "whose", metavar="OPERATOR", required=True, help="Whose it is.")
name_argument = click.argument("name")


@click.group("views")
def command() -> None:
    """See, keep, rename, share and delete lists of jobs by name."""


@command.command("list")
@click.option("--for", "whose", metavar="OPERATOR", help="Also their own.")
@at_desk
def list_views(desk: Desk, *, whose: str | None) -> None:
    """The lists that are shared, and those of an operator."""
    with desk.engine.connect() as conn:
        found = saved_views.seen_by(conn, operator_id=known(conn, whose).id) if whose else saved_views.all_shared(conn)
    rows = [(each.name, each.saved_by, each.query) for each in found]
    desk.answer({"views": [dict(each._mapping) for each in found]}, table(("NAME", "BY", "QUERY"), rows))


@command.command("add")
@name_argument
@whose_option
@click.option("--shared", is_flag=True, help="Show it to everybody.")
@narrowed
@at_desk
def add(desk: Desk, *, name: str, whose: str, shared: bool, asked: Asked) -> None:
    """Keep the list that TERMs find under NAME."""
    with desk.engine.begin() as conn:
        owner = _owner(conn, whose)
        wanted, _ = asked.read(desk, conn, readiness.clock(conn))
        query = urlencode(wanted.pairs())
        made = saved_views.save(
            conn, owner=owner, name=name, query=query, shared=_may_share(owner, shared=shared), actor=desk.actor
        )
    desk.answer({"id": made, "name": name, "query": query, "shared": shared}, f"kept {cell(name)} for {cell(whose)}")


@command.command("change")
@name_argument
@whose_option
@click.option("--name", "to_name", metavar="NAME", help="Call it so.")
@click.option("--shared/--own", default=None, help="Show it to everybody, or to its operator alone.")
@at_desk
def change(desk: Desk, *, name: str, whose: str, to_name: str | None, shared: bool | None) -> None:
    """Rename it, share it, or share it no longer."""
    with desk.engine.begin() as conn:
        owner = _owner(conn, whose)
        view = _found(conn, owner, name)
        wanted: dict[str, Any] = {"name": to_name or view.name}
        wanted["shared"] = view.shared if shared is None else _may_share(owner, shared=shared)
        saved_views.change(conn, view_id=view.id, by=owner, actor=desk.actor, **wanted)
    desk.answer({"id": view.id, **wanted}, f"{cell(wanted['name'])} is {'shared' if wanted['shared'] else 'their own'}")


@command.command("remove")
@name_argument
@whose_option
@at_desk
def remove(desk: Desk, *, name: str, whose: str) -> None:
    """Delete it."""
    with desk.engine.begin() as conn:
        owner = _owner(conn, whose)
        view = _found(conn, owner, name)
        saved_views.remove(conn, view_id=view.id, by=owner, actor=desk.actor)
    desk.answer({"id": view.id, "name": name, "removed": True}, f"deleted {cell(name)}")


def _owner(conn: Connection, name: str) -> Operator:
    row = known(conn, name)
    return Operator(row.id, row.name, row.role)


def _found(conn: Connection, owner: Operator, name: str) -> Row:
    mine = (each for each in saved_views.seen_by(conn, operator_id=owner.id) if each.own and each.name == name)
    if (view := next(mine, None)) is None:
        raise Failed(f"{owner.name} keeps no view named {name[:100]!r}")
    return view


def _may_share(owner: Operator, *, shared: bool) -> bool:
    if shared and not owner.may("operator"):
        raise Failed(f"{owner.name} may look only, and shares nothing")
    return shared
