"""Have a tenant provisioned, wait for it, and tell how far it is."""

from __future__ import annotations

from time import sleep

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import facts
from app.commands.refusals import Failed
from worker.failures import last_line
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries import provision_acts, provisioning, tenants
from worker.queries.provisioning import ProvisionStatus

LOOK_EVERY_SECONDS = 0.5
OVER = (Status.SUCCEEDED, Status.FAILED, Status.CANCELLED)


@click.command("provision")
@click.argument("slug")
@click.option("--again", is_flag=True, help="Go on where it failed or was cancelled.")
@click.option("--wait", is_flag=True, help="Until it is over; exits with 1 unless it succeeded.")
@at_desk
def provision(desk: Desk, *, slug: str, again: bool, wait: bool) -> None:
    """Have the tenant SLUG provisioned; asking twice is asking once."""
    known = _status(desk, slug)
    with desk.engine.begin() as conn:
        job_types = desk.registry.job_types
        provision_acts.provision(conn, job_types, tenant_id=known.tenant_id, actor=desk.actor, again=again)
    known = _until_over(desk, slug) if wait else _status(desk, slug)
    if wait and known.status != Status.SUCCEEDED:
        hint = "" if again else f": `watchfloor tenants provision {slug} --again` goes on there"
        raise Failed(f"provisioning {slug} {_end(known)}{hint}")
    _answer(desk, slug, known)


@click.command("status")
@click.argument("slug")
@at_desk
def status(desk: Desk, *, slug: str) -> None:
    """How far the provisioning of SLUG is."""
    _answer(desk, slug, _status(desk, slug))


def _status(desk: Desk, slug: str) -> ProvisionStatus:
    with desk.engine.connect() as conn:
        tenant_id = tenants.id_of(conn, slug=slug)
        known = provisioning.status(conn, tenant_id=tenant_id) if tenant_id else None
    if known is None:
        raise Failed(f"no tenant has the slug {slug[:100]!r}")
    return known


def _until_over(desk: Desk, slug: str) -> ProvisionStatus:
    """Look again and again, and name each step as it is done on standard error."""
    told = 0
    while True:
        known = _status(desk, slug)
        for step in known.steps_completed[told:]:
            click.echo(f"{step} done", err=True)
        told = len(known.steps_completed)
        if known.status in OVER:
            return known
        sleep(LOOK_EVERY_SECONDS)


def _end(known: ProvisionStatus) -> str:
    why = f": {last_line(known.error_detail)}" if known.error_detail else ""
    return f"{known.status} at step {_step(known)}{why}"


def _step(known: ProvisionStatus) -> str | None:
    """The step it is at."""
    return next((step for step in STEPS if step not in known.steps_completed), None)


def _answer(desk: Desk, slug: str, known: ProvisionStatus) -> None:
    told = {
        "tenant": slug,
        "provisioning": known.status.replace("_", " "),
        "steps": f"{len(known.steps_completed)} of {len(STEPS)} done",
        "at step": _step(known) if known.job_id else None,
        "tries": f"{known.attempts} of {known.max_attempts}" if known.job_id else None,
        "next try": known.next_attempt_at if known.attempts else None,
        "asked": known.requested_at,
        "ended": known.finished_at,
        "error": known.error_detail and last_line(known.error_detail),
        "job": known.job_id,
    }
    desk.answer(known, facts(told))
