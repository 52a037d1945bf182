"""The overview, for programs that watch with others."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.findings import Finding, Overview
from worker.database import Connection
from worker.queries.pages import attention
from worker.queries.pages.attention import KINDS, Seen

PLAIN = (
    "at", "ready", "ready_since", "running", "dead", "arrived", "finished", "failed", "attempts", "busy", "slots",
    "tenants",
)  # fmt: skip
TITLES = {kind.name: kind.title for kind in KINDS}


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read what needs a person now, the worst first, and how everything is doing."""
    figures = call.figures
    items = attention.read(Seen(conn, figures, call.settings.limits))
    return Document(
        Overview(
            **{name: getattr(figures, name) for name in PLAIN},
            findings=[
                Finding(kind=each.kind, title=_title(each.kind), level=each.level, things=each.things) for each in items
            ],
            people=attention.people(items),
            scheduled=figures.depths.scheduled,
            workers_live=len(figures.live),
            workers_silent=len(figures.silent),
            unserved=[each.job_type for each in figures.unserved],
            paused=sorted(figures.paused),
        )
    )


def _title(kind: str) -> str:
    """What the kind is called; of what was left out of a kind, too."""
    return TITLES.get(kind.removeprefix("more_"), kind)
