"""Publish one event from a shell."""

from __future__ import annotations

from typing import Any

import click

from app.commands.desk import Desk, at_desk, traceparent_option
from app.commands.output import facts
from app.commands.values import payload as as_payload
from app.commands.values import tenant_of
from worker.model import Event, new_id
from worker.queries import audit, outbox


@click.command("publish")
@click.argument("event_type", metavar="EVENT")
@click.option(
    "--payload",
    type=as_payload,
    metavar="JSON|@FILE|-",
    default="{}",
    show_default=True,
    help="Ids of what happened, no more.",
)
@click.option("--tenant", help="Where it happened: an id or a slug.")
@click.option("--event-id", help="A repeat of the same id is not published again.")
@traceparent_option
@at_desk
def command(desk: Desk, *, event_type: str, tenant: str | None, event_id: str | None, **options: Any) -> None:
    """Publish one event; the relay makes a job of it for each subscriber."""
    with desk.engine.begin() as conn:
        of_tenant = tenant_of(conn, tenant)
        event_id = event_id or str(new_id())
        event = Event(event_type, source="cli", event_id=event_id, tenant_id=of_tenant, **options)
        published = outbox.publish(conn, event) is not None
        if published:
            audit.record(
                conn,
                actor=desk.actor,
                action="publish",
                target=event_type,
                tenant_id=of_tenant,
                detail={"event_id": event.event_id},
            )
    note = None if published else "an event of this id was published before"
    desk.answer(
        {"event_id": event.event_id, "event_type": event_type, "published": published},
        facts({"event": event.event_id, "type": event_type, "note": note}),
    )
