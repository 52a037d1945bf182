"""Jobs: find them, look at one, run a failed one again, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import click

from app.commands import actions, job_sheet
from app.commands.desk import Desk, at_desk, confirm, reason_option, yes_option
from app.commands.output import table
from app.commands.refusals import Failed
from app.commands.values import tenant_of
from worker.queries.pages import filters, jobs, readiness, selection

ids_argument = click.argument("ids", type=click.UUID, nargs=-1, required=True, metavar="ID...")


@click.group("jobs")
def command() -> None:
    """Find jobs, look at one, replay, cancel."""


@command.command("list")
@click.option("--status", help="queued, ready, scheduled, retrying, running, succeeded, failed or cancelled.")
@click.option("--type", "job_type", help="A job type or a subscriber.")
@click.option("--queue")
@click.option("--tenant", help="A slug.")
@click.option("--worker", help="An instance or a component: what it holds.")
@click.option("--event", help="An event id: its jobs.")
@click.option("--key", help="An idempotency key.")
@click.option("--group", help="A fingerprint of dead letters.")
@click.option("--error", multiple=True, help="A word in the error; may be repeated.")
@click.option("--since", help="Put in since: 90m, 24h, 7d, or a time.")
@click.option("--until", help="Put in before.")
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_jobs(desk: Desk, *, job_type: str | None, error: tuple[str, ...], cursor: str | None, **asked: str) -> None:
    """One page of jobs, the newest first."""
    pairs = [(name, value) for name, value in {**asked, "type": job_type}.items() if value]
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        wanted = filters.parse([*pairs, *(("error", word) for word in error)], now=now)
        page = jobs.read(conn, wanted, tenant_id=tenant_of(conn, wanted.tenant), before=cursor, now=now)
    text = table(
        ("ID", "STATE", "HANDLER", "QUEUE", "TENANT", "TRIES", "AGE", "ERROR"),
        (job_sheet.line(row, now) for row in page.rows),
    )
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    desk.answer({"jobs": [dict(row._mapping) for row in page.rows], "cursor": page.older}, text + more)


@command.command("show")
@click.argument("job_id", type=click.UUID, metavar="ID")
@at_desk
def show(desk: Desk, *, job_id: UUID) -> None:
    """One job: its error, payload, attempts, and what operators did to it."""
    with desk.engine.connect() as conn:
        found = job_sheet.read(conn, job_id)
    if found is None:
        raise Failed(f"there is no job {job_id}; it may have been pruned")
    desk.answer(found, job_sheet.text(found))


@command.command("replay")
@ids_argument
@actions.pace_options
@reason_option
@at_desk
def replay(desk: Desk, *, ids: Sequence[UUID], reason: str | None, **pace: Any) -> None:
    """Run failed jobs again, each with a new budget of attempts."""
    actions.replay(desk, selection.by_id(ids), reason=reason, **pace)


@command.command("cancel")
@ids_argument
@reason_option
@yes_option
@at_desk
def cancel(desk: Desk, *, ids: Sequence[UUID], reason: str | None, yes: bool) -> None:
    """Cancel jobs that wait or failed; ask those that run to stop."""
    confirm(f"Cancel {len(ids)} jobs?" if len(ids) > 1 else f"Cancel {ids[0]}?", yes=yes)
    actions.cancel(desk, selection.by_id(ids), reason=reason)
