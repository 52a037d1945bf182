"""Groups of dead letters, as programs read them; their jobs are found by `group` among all jobs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.group_page import depth
from app.shapes.groups import Group, Inbox, InboxWanted, Trait, Traits, WholeGroup
from worker.database import Connection
from worker.payloads import clean_text
from worker.queries.pages import dead_letters, groups
from worker.queries.pages.filters import LENGTHS

TOLD = ("trace", "release", "guidance", "messages", "rules", "text")


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the groups of dead letters that grew last, the newest first."""
    asked, me = call.wanted(InboxWanted), call.actor.name
    found = groups.read(conn, view=asked.view, me=me, now=call.now)
    tally = groups.tally_of(conn, me=me, now=call.now)
    counts = {view: tally[view] for view in groups.VIEWS}
    return Document(Inbox(groups=[Group.model_validate(each) for each in found], tally=counts))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one group: what its dead letters share, what explains it, what was done to it."""
    name = clean_text(call.path("group"), field="group", limit=LENGTHS["group"])
    group = groups.one(conn, fingerprint=name, now=call.now)
    if group is None:
        raise NotFound("No dead letter has that error any more.")
    known = depth(call, conn, group)
    facts: dict[str, Any] = {
        name: known[name] for name in ("trace", "release", "guidance", "messages", "rules", "text")
    }
    facts |= {"traits": _traits(known["traits"]), "acts": known["acts_on"]}
    facts |= Group.model_validate(group).model_dump()
    return Document(WholeGroup.model_validate(facts))


def _traits(found: dead_letters.Traits) -> Traits:
    return Traits(
        tenants=_counted(found.tenants),
        workers=_counted(found.workers),
        releases=_counted(found.releases),
        queues=_counted(found.queues),
        replayed=found.replayed,
        read=found.read,
    )


def _counted(found: Counter[Any]) -> list[Trait]:
    return [Trait(name=name, jobs=jobs) for name, jobs in found.most_common()]
