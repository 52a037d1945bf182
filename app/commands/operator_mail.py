"""Invitations from a shell, and where operators take mail."""

from __future__ import annotations

import click

from app.accounts.invitations import invite as invited
from app.accounts.mailroom import Handed, Mailroom
from app.accounts.names import email_address, operator_name
from app.commands.desk import Desk, at_owners_desk
from app.commands.output import facts
from app.commands.people import known
from app.commands.refusals import Failed
from app.text import cell
from worker.deployment import Deployment
from worker.queries import operators
from worker.queries.operators import ROLES, Role


@click.command("invite")
@click.argument("name")
@click.argument("email", required=False)
@click.option("--role", type=click.Choice(ROLES), default="operator", show_default=True)
@at_owners_desk
def invite(desk: Desk, *, name: str, email: str | None, role: Role) -> None:
    """Invite NAME by a mail to EMAIL; without one, or where no mail leaves, the link is printed."""
    kept, address = operator_name(name), email_address(email) if email else None
    mailroom = Mailroom(desk.settings, Deployment(desk.settings), desk.registry.job_types)
    with desk.engine.begin() as conn:
        made = invited(conn, mailroom, name=kept, email=address, role=role, actor=desk.actor)
        if made is None:
            raise Failed("somebody has this name, or this address, already")
    desk.answer(
        {"name": kept, "role": role, "link": made.link, "why": made.why, "job_id": made.job_id}, _told(kept, role, made)
    )


@click.command("address")
@click.argument("name")
@click.argument("email", required=False)
@at_owners_desk
def set_address(desk: Desk, *, name: str, email: str | None) -> None:
    """Have mail for NAME sent to EMAIL, or nowhere; links that were sent elsewhere work no more."""
    address = email_address(email) if email else None
    with desk.engine.begin() as conn:
        who = known(conn, name)
        changed = operators.set_email(conn, operator_id=who.id, email=address, actor=desk.actor)
    if not changed and address != who.email:
        raise Failed("somebody else takes mail at that address")
    text = f"the address of {cell(name)} is {'kept' if address else 'forgotten'}"
    desk.answer({"name": who.name, "changed": changed}, text)


def _told(name: str, role: Role, made: Handed) -> str:
    if made.link:
        return facts({"name": name, "role": role, "link": made.link}) + f"\nIt was not mailed: {made.why}"
    return f"{cell(name)} is invited as {role}; the mail is job {made.job_id}"


COMMANDS = (invite, set_address)
