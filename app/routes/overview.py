"""The Overview: what needs a person now, then how everything is doing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from app.errors import BadInput
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages import attention, loads, overview, provisioning
from worker.queries.pages.overview import SPANS


def index(call: Call, conn: Connection) -> Response:
    """The page, or the one region that asks; each reads only what it shows."""
    region = call.region if call.region in REGIONS else None
    wanted = [REGIONS[region]] if region else REGIONS.values()
    context: dict[str, Any] = {}
    for read in wanted:
        context |= read(call, conn)
    return render(call, "overview/index.html", block=region, figures=call.figures, **context)


def _attention(call: Call, conn: Connection) -> dict[str, Any]:
    limit = timedelta(seconds=call.settings.max_runtime_seconds)
    items = attention.read(conn, call.figures, max_runtime=limit)
    return {"attention": items, "people": attention.people(items)}


def _tiles(call: Call, conn: Connection) -> dict[str, Any]:
    return {}


def _course(call: Call, conn: Connection) -> dict[str, Any]:
    span = SPANS.get(call.query.get("span", "1h"))
    if span is None:
        raise BadInput(f"span: must be one of {', '.join(SPANS)}.")
    spans = [(each.key, each.label, "/" if each.key == "1h" else f"/?span={each.key}") for each in SPANS.values()]
    return {"course": overview.course(conn, call.figures, span), "spans": spans}


def _busiest(call: Call, conn: Connection) -> dict[str, Any]:
    return {"loads": loads.by_queue(call.figures), "slices": call.figures.hour.slices}


def _pulses(call: Call, conn: Connection) -> dict[str, Any]:
    return {"pulses": overview.pulses(conn, call.figures)}


def _provisioning(call: Call, conn: Connection) -> dict[str, Any]:
    shown, total = provisioning.in_flight(conn)
    return {"provisioning": shown, "provisioning_total": total}


REGIONS: dict[str, Callable[[Call, Connection], dict[str, Any]]] = {
    "attention": _attention,
    "tiles": _tiles,
    "course": _course,
    "busiest": _busiest,
    "pulses": _pulses,
    "provisioning": _provisioning,
}
