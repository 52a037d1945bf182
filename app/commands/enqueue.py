"""Put one job in from a shell."""

from __future__ import annotations

from typing import Any

import click

from app.commands.desk import Desk, at_desk, traceparent_option
from app.commands.output import facts
from app.commands.values import payload as as_payload
from app.commands.values import queue as as_queue
from app.commands.values import span, tenant_of
from worker.queries import audit, jobs
from worker.queries.jobs import NewJob


@click.command("enqueue")
@click.argument("job_type", metavar="TYPE")
@click.option(
    "--payload",
    type=as_payload,
    metavar="JSON|@FILE|-",
    default="{}",
    show_default=True,
    help="What the handler gets.",
)
@click.option("--tenant", help="Whose work it is: an id or a slug.")
@click.option("--key", "idempotency_key", help="Idempotency key: a repeat returns the first job.")
@click.option("--queue", type=as_queue, metavar="QUEUE", help="Where it waits, if not where its type says.")
@click.option(
    "--delay", "delay_seconds", type=span, metavar="SPAN", default="0", help="How long it waits: 90, 15m, 2h."
)
@click.option("--max-attempts", type=int, help="How often it is tried, if not as its type says.")
@traceparent_option
@click.option("--retry-terminal", is_flag=True, help="With --key: a failed or cancelled job runs again.")
@at_desk
def command(desk: Desk, *, job_type: str, tenant: str | None, retry_terminal: bool, **options: Any) -> None:
    """Put one job in; its type has to be registered by a module that WATCHFLOOR_HANDLERS names."""
    with desk.engine.begin() as conn:
        new = NewJob(job_type, tenant_id=tenant_of(conn, tenant), source="cli", **options)
        made = jobs.enqueue(conn, desk.registry.job_types, new, retry_terminal=retry_terminal)
        if made.created:
            audit.record(
                conn, actor=desk.actor, action="enqueue", target=job_type, tenant_id=new.tenant_id, job_ids=[made.id]
            )
    note = None if made.created else "the key is that of an earlier job"
    desk.answer(made, facts({"job": made.id, "status": made.status, "note": note}))
