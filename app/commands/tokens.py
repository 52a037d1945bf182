"""Tokens: programs that may ask the API."""

from __future__ import annotations

import click

from app.bearer import new_token
from app.commands.desk import Desk, at_owners_desk, confirm, yes_option
from app.commands.output import facts, table
from app.commands.refusals import Failed
from app.sessions import digest
from app.text import cell
from worker.queries import tokens
from worker.queries.tokens import SCOPES
from worker.settings import names

FIELDS = ("name", "scopes", "created_at", "created_by", "last_used_at", "revoked_at")


@click.group("tokens")
def command() -> None:
    """See which programs may ask the API; let one in, or no more."""


@command.command("add")
@click.argument("name")
@click.option("--scopes", "--scope", required=True, metavar="A,B", help=f"What it may do: {', '.join(SCOPES)}.")
@at_owners_desk
def add(desk: Desk, *, name: str, scopes: str) -> None:
    """Let the program NAME in, and print its token, which is not shown again."""
    made, wanted = new_token(), names(scopes) or ()
    with desk.engine.begin() as conn:
        if not tokens.add(conn, name=name, token_hash=digest(made), scopes=wanted, actor=desk.actor):
            raise Failed(f"there is, or was, a token of the name {name[:100]!r}: the trail would mix the two up")
    shown = facts({"token": made, "name": name, "scopes": " ".join(wanted)})
    desk.answer({"name": name, "scopes": wanted, "token": made}, f"{shown}\nIt is not shown again.")


@command.command("list")
@at_owners_desk
def list_tokens(desk: Desk) -> None:
    """Every token by name, the revoked too; never the token itself."""
    with desk.engine.connect() as conn:
        found = tokens.everything(conn)
    rows = [
        (
            each.name,
            "revoked" if each.revoked_at else "active",
            " ".join(each.scopes),
            each.last_used_at,
            each.created_by,
        )
        for each in found
    ]
    desk.answer(
        [{name: each._mapping[name] for name in FIELDS} for each in found],
        table(("NAME", "STATE", "SCOPES", "LAST USED", "ADDED BY"), rows),
    )


@command.command("revoke")
@click.argument("name")
@yes_option
@at_owners_desk
def revoke(desk: Desk, *, name: str, yes: bool) -> None:
    """Let the program NAME in no more, from its next request on."""
    confirm(f"Revoke {cell(name)}?", yes=yes)
    with desk.engine.begin() as conn:
        changed = tokens.revoke(conn, name=name, actor=desk.actor)
        if not changed and tokens.by_name(conn, name=name) is None:
            raise Failed(f"no token has the name {name[:100]!r}")
    text = f"{cell(name)} is revoked" if changed else f"{cell(name)} was revoked already"
    desk.answer({"name": name, "revoked": True, "changed": changed}, text)
