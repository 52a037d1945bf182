"""Workers: who lives, what each can run, and asking one to stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, fields
from uuid import UUID

import click

from app.commands import lens
from app.commands.desk import Desk, at_desk, confirm, reason_option, yes_option
from app.commands.output import table
from app.commands.refusals import Failed
from app.commands.values import tenant_of
from app.commands.worker_sheet import worker_sheet
from app.text import age
from worker.database import Connection
from worker.queries import workers
from worker.queries.pages import attempts, usual, worker
from worker.queries.pages.attempts import AttemptDetail
from worker.queries.pages.fleet import Worker
from worker.queries.pages.usual import Usual
from worker.queries.pages.worker import Process

ENDED = 10


@click.group("workers")
def command() -> None:
    """See the worker processes and one of them; drain one."""


@command.command("list")
@lens.tenant_option
@at_desk
def list_workers(desk: Desk, *, tenant: str | None) -> None:
    """Every worker that has not stopped, by name; with --tenant also how many of its jobs each runs."""
    with desk.engine.connect() as conn:
        sample = lens.sample(conn, tenant)
    held: Counter[str] = Counter()
    for each in sample.held:
        held[each.locked_by] += each.jobs
    theirs = ("OF TENANT",) if tenant else ()
    headings = ("INSTANCE", "COMPONENT", "STATE", "BUSY", "SLOTS", "BEAT", "UP", "QUEUES", "JOB TYPES", *theirs)
    rows = [
        (
            each.instance_id,
            each.name,
            each.state,
            each.busy,
            each.concurrency,
            age(each.heartbeat_at, sample.at),
            age(each.started_at, sample.at),
            "all" if each.queues is None else each.queues,
            each.job_types,
            *([held[each.instance_id]] if tenant else []),
        )
        for each in sample.workers
    ]
    known = [
        {**_document(each), **({"of_tenant": held[each.instance_id]} if tenant else {})} for each in sample.workers
    ]
    desk.answer(known, table(headings, rows))


@command.command("show")
@click.argument("instance")
@lens.tenant_option
@at_desk
def show(desk: Desk, *, instance: str, tenant: str | None) -> None:
    """One worker, dead or alive: what it is, what it runs against what is usual, how its last attempts ended."""
    with desk.engine.connect() as conn:
        tenant_id = tenant_of(conn, tenant)
        process = worker.read(conn, instance_id=instance, tenant_id=tenant_id)
        if process is None:
            raise Failed(f"nothing is known of a worker {instance[:100]}")
        ended = _ended(conn, instance, tenant_id)
        usuals = usual.of_day(conn, handlers={each.handler_key for each in process.holds}, now=process.row.now)
    facts = {**process.row._mapping, "state": process.state, "holds": process.busy}
    document = {**facts, "running": _running(process, usuals), "ended": [asdict(each) for each in ended]}
    desk.answer(document, worker_sheet(process, usuals, ended))


@command.command("drain")
@click.argument("instance")
@reason_option
@yes_option
@at_desk
def drain(desk: Desk, *, instance: str, reason: str | None, yes: bool) -> None:
    """Ask a worker to finish what it has, claim nothing more, and end."""
    confirm(f"Drain {instance}?", yes=yes)
    with desk.engine.begin() as conn:
        asked = workers.request_drain(conn, instance_id=instance, actor=desk.actor, reason=reason)
    if not asked:
        raise Failed(f"no worker {instance[:100]} runs that was not asked already")
    desk.answer({"instance_id": instance, "drain_requested": True}, f"{instance} was asked to drain")


def _ended(conn: Connection, instance: str, tenant_id: UUID | None) -> tuple[AttemptDetail, ...]:
    if tenant_id is None:
        return attempts.of_worker(conn, instance_id=instance, limit=ENDED).attempts
    return attempts.of_worker_and_tenant(conn, instance_id=instance, tenant_id=tenant_id, limit=ENDED)


def _running(process: Process, usuals: Mapping[str, Usual]) -> list[dict[str, object]]:
    """What it runs, each with the median and the tail of the last day's runs where there were enough."""
    found = []
    for row in process.holds:
        known = usuals.get(row.handler_key)
        found.append({**row._mapping, "usual": asdict(known) if known else None})
    return found


def _document(process: Worker) -> dict[str, object]:
    kept = {each.name: getattr(process, each.name) for each in fields(process) if each.name != "held"}
    return {**kept, "busy": process.busy}
