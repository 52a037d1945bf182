"""Jobs: find them, hand them over as a file, look at one; run it again, now, elsewhere or a copy of it; cancel."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import click

from app import export, payload_edit
from app.commands import job_sheet
from app.commands.actions import press
from app.commands.choosing import How, Wanted, act_options, jobs_chosen
from app.commands.desk import Desk, at_desk, needed_reason, reason_option
from app.commands.job_lists import Asked, narrowed
from app.commands.output import table
from app.commands.refusals import Failed, Refused
from app.commands.values import payload as as_payload
from app.commands.values import queue as as_queue
from app.kinds import CANCEL, REASSIGN, REPLAY, RUN
from worker.queries import cancellations, copies, reveals
from worker.queries.copies import Original
from worker.queries.pages import job as pages
from worker.queries.pages import jobs, readiness
from worker.queries.pages.states import State


@click.group("jobs")
def command() -> None:
    """Find jobs, export them, look at one, run a copy, replay, cancel, run now, reassign."""


@command.command("list")
@narrowed
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_jobs(desk: Desk, *, asked: Asked, cursor: str | None) -> None:
    """One page of jobs, the newest first; TERMs are those of the search box, as in queue:mail or 'age:>2h'."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        wanted, tenant_id = asked.read(desk, conn, now)
        page = jobs.read(conn, wanted, tenant_id=tenant_id, before=cursor, now=now)
    text = table(job_sheet.HEADINGS, (job_sheet.line(row, now) for row in page.rows))
    stopped = f"looked at {page.looked_at:,} jobs; " if page.looked_at else ""
    more = f"\n{stopped}more: --cursor {page.older}" if page.older else ""
    desk.answer({"jobs": [dict(row._mapping) for row in page.rows], "cursor": page.older}, text + more)


@command.command("export")
@narrowed
@click.option("--format", "form", type=click.Choice(["csv", "jsonl"]), default="csv", show_default=True)
@at_desk
def export_jobs(desk: Desk, *, asked: Asked, form: str) -> None:
    """Every job that matches, as it is read; a CSV cell that a spreadsheet would run begins with an apostrophe."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        wanted, tenant_id = asked.read(desk, conn, now)
    write = export.csv_lines if form == "csv" else export.json_lines
    if form == "csv":
        click.echo(export.csv_head(), nl=False)
    for piece in export.batches(desk.engine, wanted, tenant_id=tenant_id, now=now, write=write):
        click.echo(piece, nl=False)


@command.command("show")
@click.argument("job_id", type=click.UUID, metavar="ID")
@click.option("--reveal", is_flag=True, help="Also what its handler closes to the eye; needs --reason.")
@reason_option
@at_desk
def show(desk: Desk, *, job_id: UUID, reveal: bool, reason: str | None) -> None:
    """One job: its error, payload, attempts, and what operators did to it."""
    if reveal and reason is None:
        raise Refused("--reveal needs --reason WHY")
    with desk.engine.begin() as conn:
        found = job_sheet.read(conn, job_id, desk.registry, desk.settings, revealed=reveal)
        if found is None:
            raise Failed(f"there is no job {job_id}; it may have been pruned")
        if reveal:
            tenant_id = found["tenant_id"]
            reveals.record(conn, job_id=job_id, tenant_id=tenant_id, actor=desk.actor, reason=reason)
    desk.answer(found, job_sheet.text(found))


@command.command("copy")
@click.argument("job_id", type=click.UUID, metavar="ID")
@click.option("--payload", type=as_payload, metavar="JSON|@FILE|-", required=True, help="What the copy gets.")
@click.option("--queue", type=as_queue, help="Another queue than the original's.")
@click.option("--cancel", is_flag=True, help="Give the original up, if it is a dead letter.")
@needed_reason
@at_desk
def copy(desk: Desk, *, job_id: UUID, payload: Any, queue: str | None, cancel: bool, reason: str) -> None:
    """Put the job in again with another payload, where `[redacted]` is as it was; each is linked to the other."""
    with desk.engine.begin() as conn:
        found = pages.read(conn, job_id=job_id)
        if found is None:
            raise Failed(f"there is no job {job_id}; it may have been pruned")
        if why := copies.refusal(found):
            raise Failed(why)
        closed = desk.registry.redaction(job_type=found.job_type, subscriber_id=found.subscriber_id)
        edited = payload_edit.completed(payload, pages.payload(conn, job_id=job_id) or "null", closed)
        whose: dict[str, Any] = {"actor": desk.actor, "reason": reason}
        to_queue, job_types = queue or found.queue, desk.registry.job_types
        made = copies.make(conn, job_types, Original.of(found), payload=edited, queue=to_queue, **whose)
        if cancel and found.state == State.DEAD:
            cancellations.cancel(conn, job_ids=[job_id], **whose)
    desk.answer({"id": made, "copy_of": job_id}, str(made))


@command.command("replay")
@jobs_chosen
@act_options
@at_desk
def replay(desk: Desk, *, wanted: Wanted, how: How) -> None:
    """Run failed jobs again, each with a new budget of attempts: by ID, or all that TERMs find."""
    press(desk, REPLAY, wanted, how)


@command.command("cancel")
@jobs_chosen
@act_options
@at_desk
def cancel(desk: Desk, *, wanted: Wanted, how: How) -> None:
    """Cancel jobs that wait or failed; ask those that run to stop. It needs --reason."""
    press(desk, CANCEL, wanted, how, ask=True)


@command.command("run")
@jobs_chosen
@act_options
@at_desk
def run(desk: Desk, *, wanted: Wanted, how: How) -> None:
    """Make jobs due that wait for their time, or for their next try."""
    press(desk, RUN, wanted, how)


@command.command("reassign")
@jobs_chosen
@click.option("--to", type=as_queue, metavar="QUEUE", required=True, help="The queue they wait in from now on.")
@act_options
@at_desk
def reassign(desk: Desk, *, wanted: Wanted, how: How) -> None:
    """Have jobs that wait do so in another queue."""
    press(desk, REASSIGN, wanted, how)
