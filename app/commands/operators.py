"""Operators: who may sign in to the console."""

from __future__ import annotations

import click

from app.accounts.names import operator_name
from app.commands import operator_access, operator_mail
from app.commands.desk import Desk, at_owners_desk
from app.commands.links import invitation, sign_in_link
from app.commands.output import facts, table
from app.commands.people import known
from app.commands.refusals import Failed
from app.sessions import LINK_HOURS, new_link
from worker.database import Row
from worker.queries import browsers, operators
from worker.queries.operators import ROLES, Role
from worker.queries.pages import operators as pages

ACCOUNT = (
    "id", "name", "state", "role", "email", "has_password", "second_factor_at",
    "created_at", "invited_at", "disabled_at", "seen_at",
)  # fmt: skip
SESSION = ("created_at", "seen_at", "expires_at", "address", "user_agent")
url_option = click.option("--url", help="Where browsers reach the console, if not at HOST and PORT.")


@click.group("operators")
def command() -> None:
    """See who may sign in; invite, disable, change roles, and make sign-in links."""


@command.command("add")
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default="operator", show_default=True)
@url_option
@at_owners_desk
def add(desk: Desk, *, name: str, role: Role, url: str | None) -> None:
    """Let NAME in, and print the link that signs them in once."""
    with desk.engine.begin() as conn:
        operator_id = operators.add(conn, name=operator_name(name), role=role, actor=desk.actor)
        if operator_id is None:
            raise Failed(f"somebody is called {name[:100]!r} already")
        path = new_link(conn, operator_id=operator_id)
    link = (url or desk.settings.address) + path
    desk.answer({"id": operator_id, "name": name, "role": role, "link": link}, invitation(name, role, link))


@command.command("list")
@at_owners_desk
def list_operators(desk: Desk) -> None:
    """Everybody who may or might sign in."""
    with desk.engine.connect() as conn:
        found = operators.everyone(conn)
    rows = [(each.name, each.role, _state(each), each.last_seen_at, each.created_at) for each in found]
    names = ("id", "name", "role", "email", "created_at", "invited_at", "disabled_at", "last_seen_at")
    desk.answer(
        [{name: each._mapping[name] for name in names} | {"state": _state(each)} for each in found],
        table(("NAME", "ROLE", "STATE", "LAST SEEN", "ADDED"), rows),
    )


@command.command("show")
@click.argument("name")
@at_owners_desk
def show(desk: Desk, *, name: str) -> None:
    """What is known of NAME's account, and where it is signed in."""
    with desk.engine.connect() as conn:
        who = known(conn, name)
        found = pages.one(conn, operator_id=who.id)
        sessions = browsers.of_operator(conn, operator_id=who.id)
    account = dict(found._mapping) if found else {}
    signed_in = [{field: each._mapping[field] for field in SESSION} for each in sessions]
    headings = ("SIGNED IN", "SEEN", "UNTIL", "FROM", "WITH")
    where = table(headings, [list(each.values()) for each in signed_in]) if signed_in else "signed in nowhere"
    text = facts({field.replace("_", " "): account.get(field) for field in ACCOUNT})
    desk.answer({**{field: account.get(field) for field in ACCOUNT}, "sessions": signed_in}, f"{text}\n\n{where}")


@command.command("link")
@click.argument("name")
@click.option("--hours", type=click.FloatRange(0, 24 * 30, min_open=True), default=LINK_HOURS, show_default=True)
@url_option
@at_owners_desk
def link(desk: Desk, *, name: str, hours: float, url: str | None) -> None:
    """Print a link that signs NAME in once."""
    with desk.engine.begin() as conn:
        operator = known(conn, name)
        if operator.disabled_at:
            raise Failed(f"{name[:100]!r} is disabled")
        path = sign_in_link(conn, operator, desk.actor, hours=hours)
    made = (url or desk.settings.address) + path
    desk.answer(
        {"name": operator.name, "role": operator.role, "link": made}, invitation(operator.name, operator.role, made)
    )


def _state(operator: Row) -> str:
    if operator.disabled_at:
        return "disabled"
    return "invited" if operator.invited_at else "active"


for _each in (*operator_access.COMMANDS, *operator_mail.COMMANDS):
    command.add_command(_each)
