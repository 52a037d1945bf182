"""What came of an act, carried in the address that leads back and told there once, script or no script."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from starlette.responses import Response

from app import choice
from app.answers import is_over
from app.choice import Choice
from app.search import Pairs, address
from app.templating import see_other
from app.web import Call
from worker.database import Connection, Row
from worker.queries.bulk_acts import acts, undo
from worker.queries.bulk_acts.acts import UNDER_WAY
from worker.queries.pages import acts as pages
from worker.queries.pages import audit
from worker.queries.pages.acts import Reach

JUST_NOW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Said:
    """An act of this operator a moment ago, who had been there first where it skipped some, and how to take it back."""

    act: Row
    first: Row | None
    back: str

    @property
    def skipped(self) -> int:
        """How many of those that he was shown are as they were."""
        return int(self.act.skipped + self.act.missed)

    @property
    def undo(self) -> str | None:
        """Where to undo it, while that is offered."""
        return f"/acts/{self.act.id}/undos" if undo.is_offered(self.act) else None


def go_back(call: Call, chosen: Choice, act: Row) -> Response:
    """To the page that the act came from, where that tells of it; else, or where more is to come, to the act's own."""
    if act.state in UNDER_WAY or choice.region(chosen) is None:
        return _anew(call, f"/acts/{act.id}")
    url = told(chosen.back, act)
    return see_other(url) if is_over(call, urlsplit(url).path) else _anew(call, url)


def told(back: str, act: Row) -> str:
    """The address of a page that tells what came of the act."""
    return _here(back, [("done", str(act.id))])


def said(call: Call, conn: Connection) -> Said | None:
    """What the address tells, while it is news and to whom it concerns."""
    act = _act(call, conn, call.query.get("done", ""))
    if act is None or call.operator is None or call.operator.name not in (act.actor, act.ended_by):
        return None
    if call.now - max(act.chosen_at, act.ended_at or act.chosen_at) > JUST_NOW:
        return None
    return of(call, conn, act)


def of(call: Call, conn: Connection, act: Row) -> Said:
    """The same of an act that is at hand."""
    skipped = pages.skipped(conn, act_id=act.id) if act.skipped else []
    first = audit.latest(conn, job_ids=skipped) if skipped else None
    here = f"{call.request.url.path}?{call.request.url.query}"
    return Said(act, first, choice.back(call.form) if call.form else _here(here, []))


def reach(call: Call, conn: Connection, act: Row) -> Reach:
    """How far its jobs are those of the lens; outside of any, all are."""
    return pages.reach(conn, act, tenant_id=call.lens.id, slug=call.lens.slug) if call.lens else Reach.OWN


def _here(page: str, told: Pairs) -> str:
    """The address of a page as its reader has it, without what it told before."""
    parts = urlsplit(page)
    return address(parts.path, [pair for pair in parse_qsl(parts.query) if pair[0] != "done"], told)


def _act(call: Call, conn: Connection, text: str) -> Row | None:
    """The act in an address; whatever else stands there says nothing, and in a lens what is not its tenant's alone."""
    try:
        act = acts.get(conn, act_id=UUID(text), now=call.now)
    except ValueError:
        return None
    return act if act and reach(call, conn, act) is Reach.OWN else None


def _anew(call: Call, url: str) -> Response:
    return Response(headers={"HX-Redirect": url}) if call.htmx else see_other(url)
