"""What an operator may do, and whether they may come in at all, from a shell."""

from __future__ import annotations

import click

from app.commands.desk import Desk, at_owners_desk, confirm, yes_option
from app.commands.output import counted
from app.commands.people import known
from app.commands.refusals import Failed
from app.text import cell
from worker.queries import browsers, operators, second_factors
from worker.queries.operators import ROLES, Change, Operator, Role


@click.command("disable")
@click.argument("name")
@yes_option
@at_owners_desk
def disable(desk: Desk, *, name: str, yes: bool) -> None:
    """Let NAME in no more: sessions and links end at once."""
    confirm(f"Disable {cell(name)}?", yes=yes)
    with desk.engine.begin() as conn:
        changed = operators.disable(conn, operator_id=known(conn, name).id, actor=desk.actor)
    require_another_admin(changed)
    text = f"{cell(name)} is disabled" if changed else f"{cell(name)} was disabled already"
    desk.answer({"name": name, "disabled": True, "changed": bool(changed)}, text)


@click.command("enable")
@click.argument("name")
@at_owners_desk
def enable(desk: Desk, *, name: str) -> None:
    """Let NAME in again."""
    with desk.engine.begin() as conn:
        changed = operators.enable(conn, operator_id=known(conn, name).id, actor=desk.actor)
    text = f"{cell(name)} may come in again" if changed else f"{cell(name)} was not disabled"
    desk.answer({"name": name, "disabled": False, "changed": bool(changed)}, text)


@click.command("role")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@at_owners_desk
def set_role(desk: Desk, *, name: str, role: Role) -> None:
    """Give NAME the ROLE, at once: each of their browsers has to sign in anew."""
    with desk.engine.begin() as conn:
        changed = operators.set_role(conn, operator_id=known(conn, name).id, role=role, actor=desk.actor)
    require_another_admin(changed)
    text = f"{cell(name)} is {role} now" if changed else f"{cell(name)} is left as it was"
    desk.answer({"name": name, "role": role, "changed": bool(changed)}, text)


@click.command("sign-out")
@click.argument("name")
@at_owners_desk
def sign_out(desk: Desk, *, name: str) -> None:
    """Sign NAME out everywhere."""
    with desk.engine.begin() as conn:
        who = known(conn, name)
        ended = browsers.end_all(conn, operator=Operator(who.id, who.name, who.role), actor=desk.actor)
    desk.answer({"name": name, "sessions": ended}, f"{counted(ended, 'session')} of {cell(name)} ended")


@click.command("reset-second-factor")
@click.argument("name")
@yes_option
@at_owners_desk
def reset_second_factor(desk: Desk, *, name: str, yes: bool) -> None:
    """Let NAME sign in without the second factor that was lost."""
    confirm(f"Ask {cell(name)} for no second factor any more?", yes=yes)
    with desk.engine.begin() as conn:
        who = known(conn, name)
        changed = second_factors.remove(
            conn, operator_id=who.id, name=who.name, action="second-factor-reset", actor=desk.actor
        )
    text = f"{cell(name)} signs in without a second factor" if changed else f"{cell(name)} had no second factor"
    desk.answer({"name": who.name, "second_factor": False, "changed": changed}, text)


def require_another_admin(changed: Change) -> None:
    """Failed when the change was refused, which the trail tells already."""
    if changed is Change.LAST_ADMIN:
        raise Failed("no other admin has ever come in: make somebody one, and have them sign in first")


COMMANDS = (disable, enable, set_role, sign_out, reset_second_factor)
