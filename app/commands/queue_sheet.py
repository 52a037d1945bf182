"""One queue, or one job type, on a terminal: how it stands, why what is there waits, its last hour, day or week."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from app import courses
from app.commands.output import facts, table
from app.courses import Course
from app.text import age, duration
from worker.database import Connection, Row
from worker.queries.pages import queue
from worker.queries.pages.courses import Slot, Span
from worker.queries.pages.figures import Figures
from worker.queries.pages.loads import Load
from worker.queries.pages.queue import Standing
from worker.queries.pages.samples import Depth
from worker.queries.pages.waits import Cause, Wait

REASONS = {
    Cause.UNSERVED: "no live worker runs them",
    Cause.ELSEWHERE: "the workers that run them take nothing from this queue",
    Cause.DRAINING: "the workers that take them drain",
    Cause.PAUSED: "the queue is paused",
    Cause.IDLE: "slots are free, yet nothing is taken",
    Cause.BUSY: "every slot is busy",
    Cause.BEHIND: "older ones go first",
    Cause.TURN: "they are taken soon",
    Cause.SCHEDULE: "their time has not come",
}


def read(conn: Connection, seen: Figures, name: str, span: Span) -> dict[str, Any]:
    """Everything about the queue as one document; of a tenant's part of it where the figures are the tenant's."""
    course = courses.read(conn, span, queue=name, tenant_id=seen.tenant_id, now=seen.at)
    pause = seen.paused.get(name)
    known = {"queue": name, "at": seen.at, "pause": _pause(pause) if pause else None}
    return known | _standing(queue.of_queue(conn, seen, name), "handler") | _course(course, span)


def read_type(conn: Connection, seen: Figures, name: str, span: Span) -> dict[str, Any]:
    """Everything about the job type or subscriber, in the same way."""
    course = courses.read(conn, span, handler=name, tenant_id=seen.tenant_id, now=seen.at)
    standing = _standing(queue.of_handler(conn, seen, name), "queue")
    return {"handler": name, "at": seen.at, "pause": None} | standing | _course(course, span)


def _standing(standing: Standing, part: str) -> dict[str, Any]:
    return {
        "state": standing.load.pace if standing.load else None,
        f"{part}s": [{part: load.name, **_part(load)} for load in standing.parts],
        "waits": [_wait(wait) for wait in standing.waits],
    }


def _course(course: Course, span: Span) -> dict[str, Any]:
    slots = [_slot(slot, depth) for slot, depth in zip(course.slots, course.depths, strict=True)]
    return {"span": span.key, "course": slots, "total": _total(course)}


def text(document: dict[str, Any]) -> str:
    """The same for a person, without the single bars of the course."""
    return "\n\n".join(_parts(document))


def _parts(known: dict[str, Any]) -> Iterator[str]:
    pause, at = known["pause"] or {}, known["at"]
    whole, part = ("queue", "handler") if "queue" in known else ("handler", "queue")
    total = {name.replace("_", " "): value for name, value in known["total"].items()}
    yield facts({whole: known[whole], "state": known["state"] or "nothing known", **pause})
    if known[f"{part}s"]:
        headings = (part.upper(), "READY", "OLDEST", "LATER", "RUNNING", "DEAD", "IN/MIN", "OUT/MIN", "SERVED BY")
        yield table(headings, [(each[part], *_line(each, at)) for each in known[f"{part}s"]])
    if known["waits"]:
        lines = [(each["jobs"], each["handler"], REASONS[each["cause"]]) for each in known["waits"]]
        yield table(("JOBS", "HANDLER", "WAIT BECAUSE"), lines)
    yield facts({"last": known["span"], **total})


def _line(part: dict[str, Any], at: datetime) -> tuple[object, ...]:
    counts = [part[name] for name in ("scheduled", "running", "dead")]
    rates = [round(part[name], 1) for name in ("arrived", "finished")]
    return part["ready"], age(part["oldest"], at), *counts, *rates, part["served_by"]


def _pause(row: Row) -> dict[str, Any]:
    return {name: row._mapping[name] for name in ("paused_by", "paused_at", "paused_until", "reason")}


def _part(load: Load) -> dict[str, Any]:
    names = ("ready", "scheduled", "retrying", "running", "dead", "arrived", "finished", "clears_in")
    known = {name: getattr(load, name) for name in names}
    served_by = sorted({worker.component for worker in load.takers})
    return {"state": load.pace, "oldest": load.since, **known, "served_by": served_by}


def _wait(wait: Wait) -> dict[str, Any]:
    workers = [worker.instance_id for worker in wait.workers]
    about = {"cause": wait.cause, "handler": wait.of.handler_key, "job_type": wait.of.job_type, "jobs": wait.jobs}
    return {**about, "since": wait.since, "workers": workers, "slots": wait.slots, "free": wait.free}


def _slot(slot: Slot, depth: Depth | None) -> dict[str, Any]:
    return {
        "at": slot.at,
        "completed": slot.completed,
        "failed": slot.failed,
        "died": slot.died,
        "run_seconds": [slot.run_seconds(0.5), slot.run_seconds(0.95)],
        "wait_seconds": [slot.wait_seconds(0.5), slot.wait_seconds(0.95)],
        "ready": depth and depth.ready,
        "oldest_seconds": depth and depth.oldest_seconds,
    }


def _total(course: Course) -> dict[str, Any]:
    worst = {"longest_run_p95": course.longest_run, "longest_wait_p95": course.longest_wait}
    spans = {name: seconds if seconds is None else duration(seconds) for name, seconds in worst.items()}
    return {"completed": course.completed, "failed": course.failed, "deepest": course.deepest, **spans}
