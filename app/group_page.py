"""What the page tells of one group beside its jobs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from app import group_text
from app.asked import Asked
from worker.database import Connection
from worker.failures import parts
from worker.queries.group_states import PATIENCE, GroupState
from worker.queries.pages import dead_letters, releases
from worker.queries.pages import group as one_group
from worker.queries.pages.groups import Group
from worker.queries.pages.releases import Release

EXPLAINS = timedelta(hours=1)
"""How long before an error began a release may have come that explains it."""


def depth(call: Asked, conn: Connection, group: Group) -> dict[str, Any]:
    """What its jobs have in common, how they are grouped, what was declared and done, and the same as text."""
    fingerprint = group.fingerprint
    traits = dead_letters.traits(conn, fingerprint=fingerprint, tenant_id=call.lens_id)
    release = explanation(conn, group)
    guidance = call.registry.guidance_of(handler_key=group.handler_key, job_type=group.job_type)
    return {
        "traits": traits,
        "trace": dead_letters.trace(conn, fingerprint=fingerprint, tenant_id=call.lens_id),
        "release": release,
        "guidance": guidance,
        "waits_until": _waits_until(group),
        "parts": parts(group.error_summary or ""),
        "messages": one_group.messages(conn, fingerprint=fingerprint, tenant_id=call.lens_id),
        "rules": one_group.related(conn, fingerprint=fingerprint),
        "acts_on": one_group.acts(conn, fingerprint=fingerprint),
        "text": group_text.told(
            group, traits, release=release, guidance=guidance, base_url=call.base_url, now=call.now
        ),
    }


def _waits_until(group: Group) -> datetime | None:
    """Until when a release is waited for in which the group was resolved."""
    if group.state != GroupState.RESOLVED or not group.resolved_in or group.state_at is None:
        return None
    return group.state_at + PATIENCE


def explanation(conn: Connection, group: Group) -> Release | None:
    """The release that came shortly before the error did, if one did."""
    known = releases.between(conn, since=group.first_at - EXPLAINS, until=group.first_at)
    return releases.before(known, group.first_at, within=EXPLAINS)
