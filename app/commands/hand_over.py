"""What was done in a shift, from a shell, as the page tells it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import click

from app import deeds, hand_over_text
from app.commands import lens
from app.commands.desk import Desk, at_desk
from app.commands.refusals import Refused
from app.commands.values import instant, span, tenant_of
from worker.queries.pages import hand_over, readiness
from worker.queries.pages.hand_over import HandOver


@click.command("hand-over")
@click.option("--since", default="8h", show_default=True, metavar="WHEN", help="A span such as 12h, or a time.")
@click.option("--until", type=instant, metavar="TIME", help="When the shift ended; now, if not said.")
@lens.tenant_option
@at_desk
def command(desk: Desk, *, since: str, until: datetime | None, tenant: str | None) -> None:
    """Tell what was done in a shift, by whom, and what is open still, as text for a channel."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        begun, ended = _begun(since, now), min(until or now, now)
        if begun >= ended:
            raise Refused("--since must be before the end of the shift, and in the past")
        seen, tenant_id = lens.sample(conn, tenant), tenant_of(conn, tenant)
        shift = hand_over.read(conn, seen, since=begun, until=ended, tenant_id=tenant_id, now=now)
    base_url = lens.base_url(desk, tenant)
    desk.answer(_document(shift), hand_over_text.told(shift, base_url=base_url, whose=tenant))


def _begun(since: str, now: datetime) -> datetime:
    try:
        return now - timedelta(seconds=span(since))
    except click.BadParameter:
        return instant(since)


def _document(shift: HandOver) -> dict[str, Any]:
    return {
        "since": shift.since,
        "until": shift.until,
        "dead_letters": shift.dead,
        "new_groups": [each.fingerprint for each in shift.new_groups],
        "people": deeds.people(shift),
        "acts": [{**_plain(each), "said": hand_over_text.act(each)} for each in shift.acts],
        "done": {title: [asdict(each) for each in found] for title, found in deeds.lines(shift).items()},
        "releases": shift.releases,
        "open": {
            "groups": [
                {"fingerprint": each.fingerprint, "state": each.state, "assignee": each.assignee, "jobs": each.jobs}
                for each in shift.open_groups
            ],
            "waking": [{"fingerprint": each.fingerprint, "at": each.snoozed_until} for each in shift.waking],
            "paused": [{**each.of._asdict(), "waiting": each.waiting} for each in shift.paused],
            "draining": [each.instance_id for each in shift.draining],
            "acts": [each.id for each in shift.open_acts],
        },
    }


def _plain(act: Any) -> dict[str, Any]:
    names = ("id", "action", "actor", "state", "chosen_at", "chosen", "done", "skipped", "failed", "undone", "reason")
    return {name: getattr(act, name) for name in names}
