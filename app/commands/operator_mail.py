"""Links that are mailed from a shell: invitations, new passwords; and where operators take mail."""

from __future__ import annotations

import click

from app.accounts.invitations import AGAIN, is_awaited
from app.accounts.invitations import invite as invited
from app.accounts.invitations import invite_again as invited_again
from app.accounts.mailroom import Handed, Mailroom
from app.accounts.names import email_address, operator_name
from app.accounts.new_passwords import NEEDED, hand_out, may_need
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
    with desk.engine.begin() as conn:
        made = invited(conn, _mailroom(desk), name=kept, email=address, role=role, actor=desk.actor)
        if made is None:
            raise Failed("somebody has this name, or this address, already")
    document = {"name": kept, "role": role, "link": made.link, "why": made.why, "job_id": made.job_id}
    desk.answer(document, _told(f"{cell(kept)} is invited as {role}", made))


@click.command("invite-again")
@click.argument("name")
@at_owners_desk
def invite_again(desk: Desk, *, name: str) -> None:
    """Send NAME, who has not come yet, a new invitation; the one before works no more."""
    with desk.engine.begin() as conn:
        who = known(conn, name)
        if not is_awaited(who):
            raise Failed(AGAIN)
        made = invited_again(conn, _mailroom(desk), operator=who, actor=desk.actor)
    _answer(desk, who.name, "is invited again", made)


@click.command("reset-password")
@click.argument("name")
@at_owners_desk
def reset_password(desk: Desk, *, name: str) -> None:
    """Send NAME a link to a new password."""
    with desk.engine.begin() as conn:
        who = known(conn, name)
        if not may_need(who):
            raise Failed(NEEDED)
        made = hand_out(conn, _mailroom(desk), operator=who, actor=desk.actor)
    _answer(desk, who.name, "gets a link to a new password", made)


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


def _mailroom(desk: Desk) -> Mailroom:
    return Mailroom(desk.settings, Deployment(desk.settings), desk.registry.job_types)


def _answer(desk: Desk, name: str, done: str, made: Handed) -> None:
    document = {"name": name, "link": made.link, "why": made.why, "job_id": made.job_id}
    desk.answer(document, _told(f"{cell(name)} {done}", made))


def _told(done: str, made: Handed) -> str:
    if made.link:
        return f"{done}\n{facts({'link': made.link})}\nIt was not mailed: {made.why}"
    return f"{done}; the mail is job {made.job_id}"


COMMANDS = (invite, invite_again, reset_password, set_address)
