"""The Overview: what needs a person now, then how everything is doing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starlette.responses import Response

from app import charts, courses
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages import attention, loads, overview
from worker.queries.pages.attention import Seen
from worker.queries.pages.courses import SPANS


@dataclass(frozen=True)
class Sources:
    """Where the regions read from; what two of them need is read once."""

    call: Call
    conn: Connection

    @cached_property
    def seen(self) -> Seen:
        """What trouble is looked for in."""
        return Seen(self.conn, self.call.figures, self.call.settings.limits)


def index(call: Call, conn: Connection) -> Response:
    """The page, or the one region that asks; each reads only what it shows."""
    region = call.region if call.region in REGIONS else None
    sources = Sources(call, conn)
    context: dict[str, Any] = {"figures": call.figures}
    for read in [REGIONS[region]] if region else REGIONS.values():
        context |= read(sources)
    return render(call, "overview/index.html", block=region, **context)


def _attention(sources: Sources) -> dict[str, Any]:
    items = attention.read(sources.seen)
    return {"attention": items, "people": attention.people(items), "elsewhere": attention.elsewhere(sources.seen)}


def _tiles(sources: Sources) -> dict[str, Any]:
    return {}


def _course(sources: Sources) -> dict[str, Any]:
    span, figures = courses.span_of(sources.call), sources.call.figures
    slots = overview.course(sources.conn, figures, span)
    began = [(each.at, each.name) for each in figures.releases]
    markers = charts.marked([slot.at for slot in slots], began)
    return {"span": span, "spans": SPANS.values(), "slots": slots, "drawn": charts.throughput(slots, markers)}


def _busiest(sources: Sources) -> dict[str, Any]:
    return {"loads": loads.by_queue(sources.call.figures), "slices": sources.call.figures.hour.slices}


def _pulses(sources: Sources) -> dict[str, Any]:
    return {"pulses": overview.watched(sources.conn, sources.call.figures)}


def _provisioning(sources: Sources) -> dict[str, Any]:
    shown, total = sources.seen.in_flight
    return {"provisioning": shown, "provisioning_total": total}


REGIONS: dict[str, Callable[[Sources], dict[str, Any]]] = {
    "attention": _attention,
    "tiles": _tiles,
    "course": _course,
    "busiest": _busiest,
    "pulses": _pulses,
    "provisioning": _provisioning,
}
