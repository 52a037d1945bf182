"""A shift as plain text, for the channel in which one hands over to the next."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from app import deeds, group_text
from app.deeds import Line, number
from app.search import address
from worker.database import Row
from worker.queries.pages.groups import Group
from worker.queries.pages.hand_over import HandOver, Paused

NAMED = 10
"""Lines of one part; the page has the others."""
DID = {"replay": "Replayed", "cancel": "Cancelled", "run": "Made due", "reassign": "Reassigned"}


def told(shift: HandOver, *, base_url: str, whose: str | None = None) -> str:
    """What somebody needs who has only this text before them; its last line leads to the page."""
    parts = [
        ("Still open", _open(shift)),
        ("People", [f"{name}: {said}" for name, said in deeds.people(shift).items()]),
        ("Acts on jobs", [act(each) for each in shift.acts]),
        *((title, [_line(each) for each in found]) for title, found in deeds.lines(shift).items()),
        ("Releases", [f"{each.name} at {_clock(each.at)}" for each in shift.releases]),
    ]
    of = f" of {whose}" if whose else ""
    blocks = [f"Hand-over{of}, {_clock(shift.since)} to {_clock(shift.until)}", died(shift)]
    blocks += ["\n".join([f"{title}:", *_few(found)]) for title, found in parts if found]
    return "\n".join([*blocks, base_url.rstrip("/") + link(shift)])


def link(shift: HandOver) -> str:
    """The address of this shift, which shows it whenever it is opened."""
    over = shift.until + timedelta(microseconds=999_999)  # so that whole seconds leave nothing out
    return address("/hand-over", [("since", _iso(shift.since)), ("until", _iso(over))])


def died(shift: HandOver) -> str:
    """How many jobs died in the shift and lie there still."""
    more = " or more" if shift.dead_capped else ""
    new = number(len(shift.new_groups), "new error", "new errors")
    return f"{shift.dead:,}{more} dead letter{'' if shift.dead == 1 else 's'} since, {new}"


def act(of: Row) -> str:
    """One act on jobs, and what came of it."""
    reached = of.done + of.undone
    jobs = f"{reached:,} of {number(of.chosen, 'job', 'jobs')}"
    came = [f"{count:,} {words}" for count, words in _outcomes(of) if count]
    return f"{DID[of.action]} {jobs} ({of.actor}, {of.state}){': ' if came else ''}{', '.join(came)}{_why(of.reason)}"


def _outcomes(of: Row) -> list[tuple[int, str]]:
    return [
        (of.passed, "passed"),
        (of.same_error, "with the same error"),
        (of.new_error, "with a new error"),
        (of.skipped, "skipped"),
        (of.failed, "refused by the database"),
        (of.undone, "undone"),
    ]


def _open(shift: HandOver) -> list[str]:
    return [
        *(f"{_named(each)}: {group_text.standing(each)}" for each in shift.open_groups),
        *(f"{_named(each)}: wakes at {_clock(each.snoozed_until)}" for each in shift.waking if each.snoozed_until),
        *(_paused(each) for each in shift.paused),
        *(f"Act not over: {act(each)}" for each in shift.open_acts),
        *(f"Worker {each.name} drains" for each in shift.draining),
    ]


def _paused(pause: Paused) -> str:
    of = pause.of
    until = f"until {_clock(of.paused_until)}" if of.paused_until else "until somebody resumes it"
    return f"Queue {of.queue} is paused by {of.paused_by} {until}: {of.reason}; {pause.waiting:,} waiting"


def _named(group: Group) -> str:
    title = f"{group.error_type or 'No error kept'}: {group.error_summary or ''}".rstrip(": ")
    return f"{title} ({group.jobs:,}{' or more' if group.capped else ''})"


def _line(line: Line) -> str:
    return f"{_clock(line.at)} {line.actor} {line.did} {line.name}{_why(line.remark)}"


def _why(reason: str | None) -> str:
    return f" – {reason}" if reason else ""


def _few(found: list[str]) -> Iterable[str]:
    yield from (f"- {' '.join(each.split())}" for each in found[:NAMED])
    if len(found) > NAMED:
        yield f"- and {len(found) - NAMED:,} more"


def _clock(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _iso(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
