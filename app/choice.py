"""The jobs that an operator chose to act on: ticked one by one, or all that a page showed of a kind of dead letter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from starlette.datastructures import FormData, QueryParams

from app.answers import is_over
from app.errors import BadInput
from app.search import Pairs
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.model import Status
from worker.payloads import clean_text
from worker.queries import tenants
from worker.queries.pages import filters, selection
from worker.queries.pages.filters import Filters

AT_MOST = 1_000
"""Jobs that one press moves: more would hold their rows, and the person, for seconds (A-55)."""
MAX_REASON = 500
_BACK = re.compile(r"/(?:jobs|dead-letters)(?:/[0-9a-f-]{36})?(?:\?[!-~]{0,1800})?")
_REGIONS = {"/jobs": "rows", "/dead-letters": "letters"}


@dataclass(frozen=True, slots=True)
class Choice:
    """Jobs by id, or every dead letter that passes `kind` and had died by the time the page was drawn (A-53)."""

    back: str
    job_ids: tuple[UUID, ...] = ()
    kind: Filters | None = None
    drawn_at: datetime | None = None

    @property
    def fields(self) -> Pairs:
        """What the form has to carry on to its action."""
        chosen = [("job", str(each)) for each in self.job_ids]
        if self.kind and self.drawn_at:
            chosen = [*self.kind.pairs(), ("all", "1"), ("before", self.drawn_at.isoformat())]
        return [*chosen, ("back", self.back)]


def read(call: Call, fields: QueryParams | FormData) -> Choice:
    """The choice in a form; BadInput names the field that cannot be read."""
    ticked = [_uuid(str(value)) for value in fields.getlist("job")]
    if len(ticked) > AT_MOST:
        raise BadInput(f"job: more than {AT_MOST:,} at once.")
    if ticked and not fields.get("all"):
        return Choice(back(fields), job_ids=tuple(dict.fromkeys(ticked)))
    if not (fields.get("all") or fields.get("group")):
        raise BadInput("job: choose at least one.")
    drawn_at = filters.instant(str(fields.get("before", "")), field="before", now=call.now)
    kind = filters.parse(_texts(fields), now=drawn_at)
    if kind.status != Status.FAILED:
        raise BadInput("status: only dead letters can be chosen by what they have in common.")
    return Choice(back(fields), kind=kind, drawn_at=drawn_at)


def target(call: Call, choice: Choice) -> str:
    """What the answer redraws: the part of the page under the dialog that shows these jobs."""
    path = urlsplit(choice.back).path
    return f"#{_REGIONS.get(path, 'job')}" if is_over(call, path) else "#main"


def one(call: Call) -> Choice:
    """The job of the address."""
    return Choice(back(call.form), job_ids=(call.uuid("job"),))


def back(fields: QueryParams | FormData) -> str:
    """The page to return to; only those that show jobs are followed (A-72)."""
    address = str(fields.get("back", "/jobs"))
    if not _BACK.fullmatch(address):
        raise BadInput("back: is not a page that shows jobs.")
    return address


def ids(call: Call, conn: Connection, choice: Choice) -> tuple[Sequence[UUID], int]:
    """The ids, and how many more there are than one press moves."""
    if choice.kind is None or choice.drawn_at is None:
        return choice.job_ids, 0
    at = choice.drawn_at
    asked: dict[str, Any] = {"died_before": at, "tenant_id": _tenant(conn, choice.kind), "now": at}
    found = selection.matching(conn, choice.kind, limit=AT_MOST + 1, **asked)
    more = selection.count(conn, choice.kind, **asked) - AT_MOST if len(found) > AT_MOST else 0
    return found[:AT_MOST], more


def missing(call: Call, *, found: int) -> int:
    """How many of the jobs that the form spoke of are no longer among those found."""
    shown = str(call.form.get("shown", ""))
    return max(int(shown) - found, 0) if shown.isascii() and shown.isdigit() and len(shown) < 8 else 0


def reason(call: Call, *, required: bool) -> str | None:
    """Why it is done, as the form says; InvalidInput when it says nothing and must, or more than is kept."""
    text = clean_text(str(call.form.get("reason", "")), field="reason", limit=MAX_REASON)
    if required and not text:
        raise InvalidInput("reason", "say why: others will want to know")
    return text or None


def sentence(refusal: InvalidInput) -> str:
    """A refusal as it stands under its field."""
    return f"{refusal.problem[:1].upper()}{refusal.problem[1:]}."


def _tenant(conn: Connection, kind: Filters) -> UUID | None:
    if kind.tenant is None:
        return None
    if (found := tenants.id_of(conn, slug=kind.tenant)) is None:
        raise BadInput("tenant: there is none of that name.")
    return found


def _texts(fields: QueryParams | FormData) -> Pairs:
    return [(name, str(value)) for name, value in fields.multi_items()]


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise BadInput("job: is not the id of a job.") from None
