"""What is done before a deployment opens on one machine, and what is said once it has."""

from __future__ import annotations

from app.commands.databases import Database
from app.commands.desk import os_actor
from app.commands.links import admin_link
from app.commands.output import document
from app.commands.refusals import by_the_owner
from worker import migrate
from worker.database import Engine, Passwords
from worker.provisioning import fleet


@by_the_owner()
def prepare(owner: Engine, passwords: Passwords) -> str | None:
    """Bring the database, and each tenant's tables, to this program's revision; the path of a sign-in link, if any."""
    migrate.upgrade(owner, passwords=passwords)
    fleet.upgrade(owner)
    with owner.begin() as conn:
        return admin_link(conn, os_actor())


def greeting(opened: str, url: str, path: str | None, found: Database, *, as_json: bool) -> str:
    """Where it is, how to sign in, where its data lies and what stops it."""
    link = path and url + path
    if as_json:
        return document({"url": url, "sign_in": link, "data": found.place})
    lines = [opened]
    lines += [f"Sign in once by  {link}" if link else "Sign in with a link from `watchfloor operators link NAME`"]
    lines += [f"Its data lies in {found.place}"] if found.place else []
    return "\n".join([*lines, "Ctrl-C stops it"])
