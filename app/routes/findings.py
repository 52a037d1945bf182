"""What is looked for, from when on it is told, and how often that would have been."""

from __future__ import annotations

import math

from starlette.responses import Response

from app.errors import BadInput
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages.attention import KINDS, Seen
from worker.queries.pages.attention.rehearsal import rehearse


def index(call: Call, conn: Connection) -> Response:
    """Every kind of trouble with its limit, or the live region; others can be tried, which changes nothing."""
    seen = Seen(conn, call.figures, call.settings.limits)
    region = "limits" if call.region == "limits" else None
    return render(call, "findings/index.html", block=region, rehearsal=rehearse(seen, _tried(call)))


def _tried(call: Call) -> dict[str, float]:
    asked = {kind.name: call.query.get(kind.name, "").strip() for kind in KINDS if kind.setting}
    return {name: _limit(name, text) for name, text in asked.items() if text}


def _limit(name: str, text: str) -> float:
    try:
        limit = float(text[:40])
    except ValueError:
        limit = math.nan
    if 0 < limit < math.inf:
        return limit
    raise BadInput(f"{name}: must be a number above 0.")
