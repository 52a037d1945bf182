"""A group of dead letters as plain text, for an incident channel or a ticket."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from app.search import address
from app.text import duration
from worker.guidance import Guidance
from worker.queries.pages.dead_letters import Traits
from worker.queries.pages.groups import Group
from worker.queries.pages.releases import Release

NAMED = 5


def told(
    group: Group, traits: Traits, *, release: Release | None, guidance: Guidance, base_url: str, now: datetime
) -> str:
    """What somebody needs who has only this text before them."""
    lines = [
        f"{group.error_type or 'No error kept'}: {group.error_summary or ''}".rstrip(": "),
        f"{_number(group)} of {group.handler_key} on {_names(traits.queues.most_common())}{_tenants(traits)}",
        f"first {_clock(group.first_at)}, last {_clock(group.last_at)}{_began(group, release)}",
        standing(group),
        _labelled("Ran on", [name for name, _ in traits.releases.most_common(NAMED) if name]),
        f"Owner: {guidance.owner}" if guidance.owner else "",
        f"Runbook: {guidance.runbook}" if guidance.runbook else "",
        f"Note: {group.note}" if group.note else "",
        base_url.rstrip("/") + address("/dead-letters", [("group", group.fingerprint)]),
        f"as of {_clock(now)}",
    ]
    return "\n".join(line for line in lines if line)


def standing(group: Group) -> str:
    """Its state in a sentence."""
    since = f" since {_clock(group.state_at)}" if group.state_at else ""
    has_it = f"; {group.assignee} has it" if group.assignee else ""
    if group.state == "snoozed":
        return f"Snoozed by {group.state_by}{_sleeps(group)}{has_it}"
    if group.state == "resolved":
        return f"Resolved by {group.state_by}{f' in release {group.resolved_in}' if group.resolved_in else since}"
    if group.state == "returned":
        return f"Came back{f' after it was resolved in {group.resolved_in}' if group.resolved_in else ''}{has_it}"
    return f"{group.assignee} has it" if group.assignee else "Nobody has it"


def _sleeps(group: Group) -> str:
    if group.snoozed_until:
        return f" until {_clock(group.snoozed_until)}"
    return f" until more than {group.snooze_rate} die in an hour" if group.snooze_rate else " until it happens again"


def _number(group: Group) -> str:
    return f"{group.jobs:,}{' or more' if group.capped else ''} dead letter{'' if group.jobs == 1 else 's'}"


def _tenants(traits: Traits) -> str:
    known = [(name, jobs) for name, jobs in traits.tenants.most_common() if name]
    if not known:
        return ""
    named = ", ".join(f"{name} {jobs:,}" for name, jobs in known[:NAMED])
    rest = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return f", {len(known)} tenant{'' if len(known) == 1 else 's'} ({named}{rest})"


def _began(group: Group, release: Release | None) -> str:
    if release is None:
        return ""
    return f"; began {duration((group.first_at - release.at).total_seconds())} after release {release.name}"


def _labelled(label: str, names: Sequence[str]) -> str:
    return f"{label}: {', '.join(names)}" if names else ""


def _names(counted: Sequence[tuple[str, int]]) -> str:
    return ", ".join(name for name, _ in counted)


def _clock(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
