"""The jobs that an operator chose to act on: ticked one by one, or all that a list showed of one state."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from starlette.datastructures import FormData, QueryParams

from app import job_list
from app.answers import is_over
from app.errors import BadInput
from app.search import Pairs
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import tenants
from worker.queries.bulk_acts.acts import AT_MOST
from worker.queries.pages import filters, selection
from worker.queries.pages.filters import Filters
from worker.queries.pages.selection import Chosen

TICKED_AT_MOST = 1_000
MAX_REASON = 500
_BACK = re.compile(
    r"/(?:(?:jobs|dead-letters|queues|job-types|acts)(?:/[A-Za-z0-9._~:%-]{1,300})?)?(?:\?[!-~]{0,1800})?"
)
_REGIONS = {"/jobs": "rows", "/dead-letters": "letters"}
_JOB = re.compile(r"/jobs/[0-9a-f-]{36}")


@dataclass(frozen=True, slots=True)
class Choice:
    """Jobs by id, or every job that passes `kind` and was there by the time the page was drawn (A-53).

    Of jobs by id, `drawn_at` is when the form was drawn that told of them.

    With `since`, only those that came after an earlier act, and with `beside` none that was of it.
    """

    back: str
    job_ids: tuple[UUID, ...] = ()
    kind: Filters | None = None
    drawn_at: datetime | None = None
    since: datetime | None = None
    beside: UUID | None = None

    @property
    def fields(self) -> Pairs:
        """What the form has to carry on to its action."""
        chosen = [("job", str(each)) for each in self.job_ids]
        chosen += [("before", self.drawn_at.isoformat())] if self.drawn_at and not self.kind else []
        if self.kind and self.drawn_at:
            chosen = [*self.kind.pairs(), ("all", "1"), ("before", self.drawn_at.isoformat())]
            chosen += [("came_after", self.since.isoformat())] if self.since else []
            chosen += [("beside", str(self.beside))] if self.beside else []
        return [*chosen, ("back", self.back)]


def read(call: Call, fields: QueryParams | FormData, *, of: Collection[str]) -> Choice:
    """The choice in a form, where lists may be chosen whole in these states; BadInput names what cannot be read."""
    ticked = [_uuid(str(value)) for value in fields.getlist("job")]
    if len(ticked) > TICKED_AT_MOST:
        raise BadInput(f"job: more than {TICKED_AT_MOST:,} at once.")
    if ticked and not fields.get("all"):
        return Choice(back(fields), job_ids=tuple(dict.fromkeys(ticked)), drawn_at=_drawn_at(call, fields))
    if not (fields.get("all") or fields.get("group")):
        raise BadInput("job: choose at least one.")
    drawn_at = filters.instant(str(fields.get("before", "")), field="before", now=call.now)
    kind = job_list.narrowed(call, job_list.shown(call, filters.parse(_texts(fields), now=drawn_at)))
    if kind.status not in of:
        raise BadInput(f"status: all of a list can be chosen where it is {' or '.join(sorted(of))}.")
    came_after = str(fields.get("came_after", ""))
    since = filters.instant(came_after, field="came_after", now=call.now) if came_after else None
    beside = _uuid(given, field="beside") if (given := str(fields.get("beside", ""))) else None
    return Choice(back(fields), kind=kind, drawn_at=drawn_at, since=since, beside=beside)


def one(call: Call) -> Choice:
    """The job of the address."""
    return Choice(back(call.form), job_ids=(call.uuid("job"),), drawn_at=_drawn_at(call, call.form))


def found(call: Call, conn: Connection, choice: Choice) -> Chosen:
    """The statement that finds the jobs, as many as one act takes; in a lens, none but its tenant's."""
    if choice.kind is None or choice.drawn_at is None:
        return selection.by_id(choice.job_ids, tenant_id=call.lens_id)
    asked: dict[str, Any] = {"tenant_id": tenant(conn, choice.kind), "before": choice.drawn_at, "since": choice.since}
    asked["beside"] = choice.beside
    return selection.matching(choice.kind, **asked, limit=AT_MOST, now=call.now)


def region(choice: Choice) -> str | None:
    """The part of the page under the dialog that shows these jobs; None where that page is loaded anew."""
    path = urlsplit(choice.back).path
    return "job" if _JOB.fullmatch(path) else _REGIONS.get(path)


def target(call: Call, choice: Choice) -> str:
    """What the answer to the form replaces."""
    under = region(choice)
    return f"#{under}" if under and is_over(call, urlsplit(choice.back).path) else "#main"


def back(fields: QueryParams | FormData) -> str:
    """The page to return to; only those that show jobs are followed (A-72)."""
    address = str(fields.get("back", "/jobs"))
    if not _BACK.fullmatch(address):
        raise BadInput("back: is not a page that shows jobs.")
    return address


def shown(call: Call) -> int:
    """How many jobs the form spoke of."""
    text = str(call.form.get("shown", ""))
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def reason(call: Call, *, required: bool) -> str | None:
    """Why it is done, as the form says; InvalidInput when it says nothing and must, or more than is kept."""
    text = clean_text(str(call.form.get("reason", "")), field="reason", limit=MAX_REASON)
    if required and not text:
        raise InvalidInput("reason", "say why: others will want to know")
    return text or None


def sentence(refusal: InvalidInput) -> str:
    """A refusal as it stands under its field."""
    return f"{refusal.problem[:1].upper()}{refusal.problem[1:]}."


def tenant(conn: Connection, kind: Filters) -> UUID | None:
    """The id of the tenant that the filters name; BadInput when there is none of that name."""
    if kind.tenant is None:
        return None
    if (known := tenants.id_of(conn, slug=kind.tenant)) is None:
        raise BadInput("tenant: there is none of that name.")
    return known


def _drawn_at(call: Call, fields: QueryParams | FormData) -> datetime | None:
    """When the form was drawn, where it says so."""
    given = str(fields.get("before", ""))
    return filters.instant(given, field="before", now=call.now) if given else None


def _texts(fields: QueryParams | FormData) -> Pairs:
    return [(name, str(value)) for name, value in fields.multi_items()]


def _uuid(text: str, *, field: str = "job") -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise BadInput(f"{field}: is not an id.") from None
