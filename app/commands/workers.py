"""Workers: who lives, what each can run, and asking one to stop."""

from __future__ import annotations

from dataclasses import fields

import click

from app.commands.desk import Desk, at_desk, confirm, reason_option, yes_option
from app.commands.output import table
from app.commands.refusals import Failed
from app.text import age
from worker.queries import workers
from worker.queries.pages import figures
from worker.queries.pages.fleet import Worker


@click.group("workers")
def command() -> None:
    """See the worker processes; drain one."""


@command.command("list")
@at_desk
def list_workers(desk: Desk) -> None:
    """Every worker that has not stopped, by name."""
    with desk.engine.connect() as conn:
        sample = figures.sample(conn)
    headings = ("INSTANCE", "COMPONENT", "STATE", "BUSY", "SLOTS", "BEAT", "UP", "QUEUES", "JOB TYPES")
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
        )
        for each in sample.workers
    ]
    desk.answer([_document(each) for each in sample.workers], table(headings, rows))


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


def _document(worker: Worker) -> dict[str, object]:
    kept = {each.name: getattr(worker, each.name) for each in fields(worker) if each.name != "held"}
    return {**kept, "busy": worker.busy}
