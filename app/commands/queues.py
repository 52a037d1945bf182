"""Queues: what waits where, and who may claim it."""

from __future__ import annotations

from datetime import timedelta

import click

from app.commands import lens, queue_sheet
from app.commands.desk import Desk, at_desk, reason_option
from app.commands.output import table
from app.commands.values import queue as as_queue
from app.commands.values import reason as as_reason
from app.commands.values import span as as_span
from app.text import age, duration
from worker.queries import queues
from worker.queries.pages import loads, readiness
from worker.queries.pages.courses import SPANS
from worker.queries.pages.loads import Load


@click.group("queues")
def command() -> None:
    """See what waits where, and why; pause and resume."""


@command.command("list")
@lens.tenant_option
@at_desk
def list_queues(desk: Desk, *, tenant: str | None) -> None:
    """Every queue with work, the fullest first."""
    with desk.engine.connect() as conn:
        found = loads.by_queue(lens.sample(conn, tenant))
    headings = ("QUEUE", "STATE", "READY", "OLDEST", "LATER", "RUNNING", "DEAD", "IN/MIN", "OUT/MIN", "CLEARS IN")
    rows = [
        (
            load.name,
            load.pace,
            load.ready,
            age(load.since, load.at),
            load.scheduled,
            load.running,
            load.dead,
            round(load.arrived, 1),
            round(load.finished, 1),
            duration(load.clears_in) if load.clears_in and load.ready else None,
        )
        for load in found
    ]
    desk.answer([_document(load) for load in found], table(headings, rows))


@command.command("show")
@click.argument("queue", type=as_queue, metavar="QUEUE")
@click.option("--span", type=click.Choice(list(SPANS)), default="1h", show_default=True, help="How far back.")
@lens.tenant_option
@at_desk
def show(desk: Desk, *, queue: str, span: str, tenant: str | None) -> None:
    """How QUEUE stands, why its jobs wait, and how it went."""
    with desk.engine.connect() as conn:
        known = queue_sheet.read(conn, lens.sample(conn, tenant), queue, SPANS[span])
    desk.answer(known, queue_sheet.text(known))


@command.command("pause")
@click.argument("queue", type=as_queue, metavar="QUEUE")
@click.option(
    "--reason", type=as_reason, metavar="WHY", required=True, help="Why, for the audit trail and for whoever wonders."
)
@click.option("--for", "pause_seconds", type=as_span, metavar="SPAN", help="Resume by itself after 15m, 2h, ...")
@at_desk
def pause(desk: Desk, *, queue: str, reason: str, pause_seconds: float | None) -> None:
    """Let no worker claim from QUEUE; what runs, runs on."""
    with desk.engine.begin() as conn:
        until = readiness.clock(conn) + timedelta(seconds=pause_seconds) if pause_seconds else None
        changed = queues.pause(conn, queue=queue, actor=desk.actor, reason=reason, until=until)
    ends = f" for {duration(pause_seconds)}" if pause_seconds else ""
    text = f"{queue} is paused{ends}" if changed else f"{queue} was paused already"
    desk.answer({"queue": queue, "paused": True, "changed": changed, "until": until if changed else None}, text)


@command.command("pause-end")
@click.argument("queue", type=as_queue, metavar="QUEUE")
@click.option("--for", "seconds", type=as_span, metavar="SPAN", help="Resume by itself after 15m, 2h, ...; else never.")
@reason_option
@at_desk
def change_end(desk: Desk, *, queue: str, seconds: float | None, reason: str | None) -> None:
    """Give the pause of QUEUE another end, counted from now; without one it lasts until somebody resumes."""
    with desk.engine.begin() as conn:
        until = readiness.clock(conn) + timedelta(seconds=seconds) if seconds else None
        changed = queues.change_end(conn, queue=queue, actor=desk.actor, reason=reason, until=until)
    ends = f"ends in {duration(seconds)}" if seconds else "lasts until somebody resumes"
    text = f"the pause of {queue} {ends}" if changed else f"{queue} is not paused"
    desk.answer({"queue": queue, "paused": changed, "changed": changed, "until": until if changed else None}, text)


@command.command("resume")
@click.argument("queue", type=as_queue, metavar="QUEUE")
@reason_option
@at_desk
def resume(desk: Desk, *, queue: str, reason: str | None) -> None:
    """Let workers claim from QUEUE again."""
    with desk.engine.begin() as conn:
        changed = queues.resume(conn, queue=queue, actor=desk.actor, reason=reason)
    text = f"{queue} is claimed from again" if changed else f"{queue} was not paused"
    desk.answer({"queue": queue, "paused": False, "changed": changed}, text)


def _document(load: Load) -> dict[str, object]:
    names = ("ready", "scheduled", "retrying", "running", "dead", "arrived", "finished", "clears_in", "paused")
    return {
        "queue": load.name,
        "state": load.pace,
        "oldest": load.since,
        **{name: getattr(load, name) for name in names},
        "served_by": [worker.instance_id for worker in load.takers],
    }
