"""The hand-over: what was done in a shift, and what it leaves to the next one."""

from __future__ import annotations

from datetime import datetime

from starlette.responses import Response

from app import deeds, hand_over_text
from app.errors import BadInput
from app.search import address
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages import filters, hand_over

SHIFTS = ("8h", "12h", "24h")
TRAIL = "audit"
"""Where it stands in the rail."""


def index(call: Call, conn: Connection) -> Response:
    """One shift: the last hours, or from one time to another; or its live region."""
    since, until = _span(call)
    shift = hand_over.read(conn, call.figures, tenant_id=call.lens_id, since=since, until=until, now=call.now)
    asked, ended = call.query.get("since") or SHIFTS[0], call.query.get("until")
    return render(
        call,
        "hand_over/index.html",
        page=TRAIL,
        block="shift" if call.region == "shift" else None,
        shift=shift,
        lines=deeds.lines(shift),
        people=deeds.people(shift),
        text=hand_over_text.told(shift, base_url=call.base_url, whose=call.lens.slug if call.lens else None),
        kept=hand_over_text.link(shift),
        shifts=[(each, f"Last {each[:-1]} h", address("/hand-over", [("since", each)])) for each in SHIFTS],
        chosen=asked if not ended else None,
        typed="" if asked in SHIFTS and not ended else f"{since:%Y-%m-%dT%H:%MZ}",
        url=address("/hand-over", [("since", asked), ("until", ended)]),
    )


def _span(call: Call) -> tuple[datetime, datetime]:
    since = filters.instant(call.query.get("since") or SHIFTS[0], field="since", now=call.now)
    ended = call.query.get("until")
    until = filters.instant(ended, field="until", now=call.now) if ended else call.now
    if since >= min(until, call.now):
        raise BadInput("since: must be before the end of the shift, and in the past.")
    return since, min(until, call.now)
