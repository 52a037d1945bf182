"""Dead letters: what failed for good, by what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from uuid import UUID

import click

from app.commands import groups as group_commands
from app.commands.actions import press
from app.commands.choosing import How, Wanted, act_options
from app.commands.desk import Desk, at_desk
from app.commands.job_lists import Asked
from app.commands.lens import tenant_option
from app.commands.output import table
from app.commands.refusals import Failed, Refused
from app.commands.values import tenant_of
from app.kinds import CANCEL, REPLAY
from app.text import age
from worker.queries.pages import groups, readiness
from worker.queries.pages.groups import Group

ids_argument = click.argument("ids", type=click.UUID, nargs=-1, metavar="[ID...]")
group_option = click.option("--group", help="All of one group; see `dead-letters list`.")


@click.group("dead-letters")
def command() -> None:
    """See what failed for good, in groups; replay, cancel; say whose a group is, and what becomes of it."""


for each_command in group_commands.COMMANDS:
    command.add_command(each_command)


@command.command("list")
@click.option("--view", type=click.Choice(list(groups.VIEWS)), default="all", help="Which groups; `mine` are your own.")
@tenant_option
@at_desk
def list_groups(desk: Desk, *, view: str, tenant: str | None) -> None:
    """Groups of dead letters with the same error, the newest first."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        found = groups.read(conn, view=view, me=desk.actor.name, tenant_id=tenant_of(conn, tenant), now=now)
    headings = ("GROUP", "JOBS", "TENANTS", "STATE", "WHO", "HANDLER", "FIRST", "LAST", "ERROR")
    rows = [
        (
            each.fingerprint,
            each.jobs,
            each.tenants,
            each.state,
            each.assignee,
            each.handler_key,
            age(each.first_at, now),
            age(each.last_at, now),
            f"{each.error_type}: {each.error_summary}",
        )
        for each in found
    ]
    desk.answer([_document(each) for each in found], table(headings, rows))


@command.command("replay")
@ids_argument
@group_option
@tenant_option
@act_options
@at_desk
def replay(desk: Desk, *, ids: Sequence[UUID], group: str | None, tenant: str | None, how: How) -> None:
    """Run dead letters again, each with a new budget of attempts: try one before the rest."""
    press(desk, REPLAY, _wanted(desk, ids, group, tenant), how)


@command.command("cancel")
@ids_argument
@group_option
@tenant_option
@act_options
@at_desk
def cancel(desk: Desk, *, ids: Sequence[UUID], group: str | None, tenant: str | None, how: How) -> None:
    """Give dead letters up: they are kept, but never run."""
    press(desk, CANCEL, _wanted(desk, ids, group, tenant), how, ask=True)


def _wanted(desk: Desk, ids: Sequence[UUID], group: str | None, tenant: str | None) -> Wanted:
    """The jobs given, or those of the group, or of a tenant in it; Failed when nothing of it is there."""
    if bool(ids) == bool(group) or (ids and tenant):
        raise Refused("give either job ids or --group, and --tenant with that alone")
    if not group:
        return Wanted(ids)
    with desk.engine.connect() as conn:
        if groups.one(conn, fingerprint=group, tenant_id=tenant_of(conn, tenant)) is None:
            raise Failed(f"no dead letter is in the group {group[:100]!r}")
    return Wanted(asked=Asked([("group", group), *([("tenant", tenant)] if tenant else [])], None))


def _document(group: Group) -> dict[str, object]:
    shown = {each.name for each in fields(group)} - {"axis_from", "counts"}
    return {name: getattr(group, name) for name in sorted(shown)}
