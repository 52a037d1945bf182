"""Operators: who may sign in to the console."""

from __future__ import annotations

import click

from app.commands.desk import Desk, at_owners_desk, confirm, yes_option
from app.commands.links import address, invitation, sign_in_link
from app.commands.output import table
from app.commands.refusals import Failed
from app.sessions import LINK_HOURS, new_link
from app.text import cell
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import operators, second_factors
from worker.queries.operators import ROLES, Role

url_option = click.option("--url", help="Where browsers reach the console, if not at HOST and PORT.")


@click.group("operators")
def command() -> None:
    """See who may sign in; add, disable, and make sign-in links."""


@command.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="operator", show_default=True)
@url_option
@at_owners_desk
def add(desk: Desk, *, name: str, role: Role, url: str | None) -> None:
    """Let NAME in, and print the link that signs them in once."""
    with desk.engine.begin() as conn:
        operator_id = operators.add(conn, name=_fit(name), role=role, actor=desk.actor)
        if operator_id is None:
            raise Failed(f"somebody is called {name[:100]!r} already")
        path = new_link(conn, operator_id=operator_id)
    link = (url or address(desk.settings)) + path
    desk.answer({"id": operator_id, "name": name, "role": role, "link": link}, invitation(name, role, link))


@command.command("list")
@at_owners_desk
def list_operators(desk: Desk) -> None:
    """Everybody who may or might sign in."""
    with desk.engine.connect() as conn:
        found = operators.everyone(conn)
    rows = [
        (each.name, each.role, "disabled" if each.disabled_at else "active", each.last_seen_at, each.created_at)
        for each in found
    ]
    names = ("id", "name", "role", "created_at", "disabled_at", "last_seen_at")
    desk.answer(
        [{name: each._mapping[name] for name in names} for each in found],
        table(("NAME", "ROLE", "STATE", "LAST SEEN", "ADDED"), rows),
    )


@command.command("disable")
@click.argument("name")
@yes_option
@at_owners_desk
def disable(desk: Desk, *, name: str, yes: bool) -> None:
    """Let NAME in no more: sessions and links end at once."""
    confirm(f"Disable {cell(name)}?", yes=yes)
    with desk.engine.begin() as conn:
        changed = operators.disable(conn, operator_id=_known(conn, name).id, actor=desk.actor)
    text = f"{cell(name)} is disabled" if changed else f"{cell(name)} was disabled already"
    desk.answer({"name": name, "disabled": True, "changed": changed}, text)


@command.command("link")
@click.argument("name")
@click.option("--hours", type=click.FloatRange(0, 24 * 30, min_open=True), default=LINK_HOURS, show_default=True)
@url_option
@at_owners_desk
def link(desk: Desk, *, name: str, hours: float, url: str | None) -> None:
    """Print a link that signs NAME in once."""
    with desk.engine.begin() as conn:
        operator = _known(conn, name)
        if operator.disabled_at:
            raise Failed(f"{name[:100]!r} is disabled")
        path = sign_in_link(conn, operator, desk.actor, hours=hours)
    made = (url or address(desk.settings)) + path
    desk.answer(
        {"name": operator.name, "role": operator.role, "link": made}, invitation(operator.name, operator.role, made)
    )


@command.command("reset-second-factor")
@click.argument("name")
@yes_option
@at_owners_desk
def reset_second_factor(desk: Desk, *, name: str, yes: bool) -> None:
    """Let NAME sign in without the second factor that was lost."""
    confirm(f"Ask {cell(name)} for no second factor any more?", yes=yes)
    with desk.engine.begin() as conn:
        who = _known(conn, name)
        changed = second_factors.remove(
            conn, operator_id=who.id, name=who.name, action="second-factor-reset", actor=desk.actor
        )
    text = f"{cell(name)} signs in without a second factor" if changed else f"{cell(name)} had no second factor"
    desk.answer({"name": who.name, "second_factor": False, "changed": changed}, text)


def _known(conn: Connection, name: str) -> Row:
    found = operators.by_name(conn, name=name)
    if found is None:
        raise Failed(f"nobody is called {name[:100]!r}")
    return found


def _fit(name: str) -> str:
    """The name as it is kept; a colon is for the actors that are not people, such as `cli:root`."""
    kept = clean_text(name, field="name", limit=100)
    if not kept or ":" in kept or not kept.isprintable():
        raise InvalidInput("name", "must be 1 to 100 printable characters without a colon")
    return kept
