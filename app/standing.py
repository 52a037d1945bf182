"""The page of a queue and that of a job type, region by region; each reads only what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote, urlencode

from starlette.responses import Response

from app import courses
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.guidance import UNSAID, Guidance
from worker.payloads import clean_text
from worker.queries.pages import acts as bulk_acts
from worker.queries.pages import audit
from worker.queries.pages.backlog import Backlog
from worker.queries.pages.courses import SPANS
from worker.queries.pages.figures import Figures
from worker.queries.pages.flow import Flow
from worker.queries.pages.queue import Standing

ACTS = ("pause", "pause-end", "resume")
ACTS_SHOWN = 8
PARTS_SHOWN, PART_LENGTH, LABEL_LENGTH = 5, 200, 40


@dataclass(frozen=True, slots=True)
class Subject:
    """What the page is of: its parts are the other of the two."""

    kind: Literal["queue", "handler"]
    name: str

    @property
    def is_queue(self) -> bool:
        """Whether it is a queue, which can be paused."""
        return self.kind == "queue"

    @property
    def address(self) -> str:
        """Where its page is."""
        return f"/{'queues' if self.is_queue else 'job-types'}/{quote(self.name, safe='')}"

    @property
    def query(self) -> str:
        """The part of an address that narrows a list of jobs to its own."""
        return urlencode([(self.kind, self.name)])

    @property
    def parts(self) -> Literal["queue", "handler"]:
        """What its jobs are told apart by."""
        return "handler" if self.is_queue else "queue"


Find = Callable[[Connection, Figures, str], Standing]


def show(call: Call, conn: Connection, subject: Subject, find: Find, *, told: Guidance = UNSAID) -> Response:
    """The whole page, or the region that asks."""
    region = call.region if call.region in ("subject", "parts", "course") else None
    context: dict[str, Any] = {"subject": subject, "figures": call.figures}
    if region != "course":
        context |= _standing(call, conn, subject, find) | {"told": told}
    if region in (None, "course"):
        context |= _course(call, conn, subject)
    return render(call, "queues/show.html", block=region, **context)


def _standing(call: Call, conn: Connection, subject: Subject, find: Find) -> dict[str, Any]:
    found = find(conn, call.figures, subject.name)
    pause = call.figures.paused.get(subject.name) if subject.is_queue else None
    acts = audit.of_target(conn, target=subject.name, actions=ACTS, limit=ACTS_SHOWN) if subject.is_queue else []
    return {"load": found.load, "lines": found.parts, "waits": found.waits, "last_able": found.last_able} | {
        "pause": pause,
        "acts": [(act, _until(act)) for act in acts],
        "moved": _moved(call, conn, subject),
    }


def _moved(call: Call, conn: Connection, subject: Subject) -> list[Row]:
    """The acts of late on what a list of its jobs showed; in a lens, those of the tenant's list."""
    field = "queue" if subject.is_queue else "type"
    tenant = call.lens.slug if call.lens else None
    return bulk_acts.of_list(conn, field=field, value=subject.name, tenant=tenant, limit=ACTS_SHOWN, now=call.now)


def _until(act: Row) -> datetime | None:
    """When the pause of an act was to end by itself."""
    until = act.detail.get("until")
    return datetime.fromisoformat(until) if until else None


def _course(call: Call, conn: Connection, subject: Subject) -> dict[str, Any]:
    part = clean_text(call.query.get("part", ""), field="part", limit=PART_LENGTH) or None
    named = {subject.kind: subject.name, subject.parts: part}
    course = courses.read(conn, courses.span_of(call), **named, tenant_id=call.figures.tenant_id, now=call.now)
    known = _parts(call.figures, subject)
    names = [*known[:PARTS_SHOWN], *([part] if part and part not in known[:PARTS_SHOWN] else [])]
    return {
        "address": subject.address,
        "course": course,
        "choices": [(each, _short(each or "All"), _at(subject, course.span.key, each)) for each in (None, *names)],
        "part": part,
        "spans": SPANS.values(),
        "keep": urlencode({"part": part}) if part else "",
    }


def _short(name: str) -> str:
    return name if len(name) <= LABEL_LENGTH else f"{name[: LABEL_LENGTH - 1]}…"


def _parts(figures: Figures, subject: Subject) -> list[str]:
    """Its handlers or queues by name, those with work and those that moved in the last hour."""
    moved: Iterable[Backlog | Flow] = (*figures.backlog, *figures.hour.flows)
    keys = ((each.queue, each.handler_key) if subject.is_queue else (each.handler_key, each.queue) for each in moved)
    return sorted({part for whole, part in keys if whole == subject.name})


def _at(subject: Subject, span: str, part: str | None = None) -> str:
    """The page over a span, of all or of one part."""
    fields = {"part": part or "", "span": span if span != next(iter(SPANS)) else ""}
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"{subject.address}?{query}" if query else subject.address
