"""Groups of dead letters: whose they are, how long they sleep, where they are fixed, and what belongs to them."""

from __future__ import annotations

from datetime import timedelta

import click

from app import group_text
from app.commands.desk import Desk, at_desk, reason_option
from app.commands.output import counted
from app.commands.refusals import Failed, Refused
from app.commands.values import span
from app.group_page import explanation
from app.text import duration
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import grouping, groups
from worker.queries.group_states import MAX_RATE
from worker.queries.pages import dead_letters, readiness
from worker.queries.pages import groups as inbox
from worker.queries.pages.groups import Group

group_argument = click.argument("group", metavar="GROUP")


@click.command("show")
@group_argument
@at_desk
def show(desk: Desk, *, group: str) -> None:
    """What GROUP is, as a text for an incident channel."""
    with desk.engine.connect() as conn:
        now = readiness.clock(conn)
        found = _found(conn, group)
        traits = dead_letters.traits(conn, fingerprint=group)
        release = explanation(conn, found)
    guidance = desk.registry.guidance_of(handler_key=found.handler_key, job_type=found.job_type)
    base_url = desk.settings.url or ""
    text = group_text.told(found, traits, release=release, guidance=guidance, base_url=base_url, now=now)
    desk.answer({"group": group, "state": found.state, "jobs": found.jobs, "text": text}, text)


@click.command("take")
@group_argument
@click.option("--from", "seen_with", metavar="NAME", help="Who has it now, if anybody has.")
@at_desk
def take(desk: Desk, *, group: str, seen_with: str | None) -> None:
    """Say that you see to GROUP."""
    with desk.engine.begin() as conn:
        _found(conn, group)
        if not groups.take(conn, fingerprint=group, actor=desk.actor, seen_with=seen_with):
            raise Failed(f"{_found(conn, group).assignee or 'nobody'} has it: say so with --from")
    desk.answer({"group": group, "assignee": desk.actor.name}, f"{desk.actor.name} has it")


@click.command("give-back")
@group_argument
@at_desk
def give_back(desk: Desk, *, group: str) -> None:
    """Say that nobody sees to GROUP any more."""
    with desk.engine.begin() as conn:
        had = _found(conn, group).assignee
        done = bool(had) and groups.give_back(conn, fingerprint=group, actor=desk.actor, seen_with=had or "")
    desk.answer({"group": group, "changed": done}, "nobody has it now" if done else "nobody had it")


@click.command("snooze")
@group_argument
@click.option("--for", "snooze_seconds", type=span, metavar="SPAN", help="Until so long from now: 15m, 4h, 1d, ...")
@click.option("--rate", type=click.IntRange(1, MAX_RATE), metavar="N", help="Until more than N die within an hour.")
@click.option("--next", "until_next", is_flag=True, help="Until the next one dies.")
@reason_option
@at_desk
def snooze(
    desk: Desk, *, group: str, snooze_seconds: float | None, rate: int | None, until_next: bool, reason: str | None
) -> None:
    """Leave GROUP out of what asks for a person, for a while."""
    if [snooze_seconds is not None, rate is not None, until_next].count(True) != 1:
        raise Refused("say one of --for, --rate and --next")
    with desk.engine.begin() as conn:
        _found(conn, group)
        until = readiness.clock(conn) + timedelta(seconds=snooze_seconds) if snooze_seconds else None
        groups.snooze(conn, fingerprint=group, actor=desk.actor, until=until, rate=rate, reason=reason)
    ends = f"for {duration(snooze_seconds)}" if snooze_seconds else _until(rate)
    desk.answer({"group": group, "state": "snoozed", "until": until, "rate": rate}, f"snoozed {ends}")


@click.command("resolve")
@group_argument
@click.option("--release", metavar="NAME", help="Where it is fixed: what older workers still do does not count.")
@reason_option
@at_desk
def resolve(desk: Desk, *, group: str, release: str | None, reason: str | None) -> None:
    """Say that GROUP is fixed; if it is not, it comes back by itself."""
    if release is not None and not 1 <= len(release.strip()) <= groups.MAX_RELEASE:
        raise Refused(f"--release must have 1 to {groups.MAX_RELEASE} characters")
    with desk.engine.begin() as conn:
        _found(conn, group)
        groups.resolve(conn, fingerprint=group, actor=desk.actor, release=release and release.strip(), reason=reason)
    desk.answer({"group": group, "state": "resolved", "release": release}, "resolved")


@click.command("reopen")
@group_argument
@at_desk
def reopen(desk: Desk, *, group: str) -> None:
    """Have GROUP ask for a person again, snoozed or resolved."""
    with desk.engine.begin() as conn:
        done = groups.reopen(conn, fingerprint=group, actor=desk.actor)
    desk.answer({"group": group, "changed": done}, "open again" if done else "it was neither snoozed nor resolved")


@click.command("note")
@group_argument
@click.argument("text")
@at_desk
def note(desk: Desk, *, group: str, text: str) -> None:
    """Write on GROUP what whoever comes next should know; an empty TEXT wipes it away."""
    if len(text) > groups.MAX_NOTE:
        raise Refused(f"a note has at most {groups.MAX_NOTE:,} characters")
    with desk.engine.begin() as conn:
        _found(conn, group)
        groups.write_note(conn, fingerprint=group, actor=desk.actor, note=text.strip())
    desk.answer({"group": group, "note": text.strip() or None}, "noted" if text.strip() else "wiped away")


@click.command("merge")
@group_argument
@click.argument("into", metavar="INTO")
@at_desk
def merge(desk: Desk, *, group: str, into: str) -> None:
    """Put GROUP, and all that will die of it, together with INTO."""
    with desk.engine.begin() as conn:
        _found(conn, group)
        _found(conn, into)
        try:
            moved = grouping.merge(conn, fingerprint=group, into=into, actor=desk.actor)
        except InvalidInput as refusal:
            raise Refused(f"{refusal.field} {refusal.problem}") from None
    desk.answer({"group": group, "into": into, "moved": moved}, f"{counted(moved, 'dead letter')} moved")


@click.command("part")
@group_argument
@at_desk
def part(desk: Desk, *, group: str) -> None:
    """Take GROUP out again of the one that it joined."""
    with desk.engine.begin() as conn:
        moved = grouping.part(conn, fingerprint=group, actor=desk.actor)
    _say_moved(desk, group, moved, "it had joined none")


@click.command("split")
@group_argument
@at_desk
def split(desk: Desk, *, group: str) -> None:
    """Make a group of each message of GROUP."""
    with desk.engine.begin() as conn:
        _found(conn, group)
        moved = grouping.split(conn, fingerprint=group, actor=desk.actor)
    _say_moved(desk, group, moved, "its messages are apart already, or it has joined another group")


@click.command("rejoin")
@group_argument
@at_desk
def rejoin(desk: Desk, *, group: str) -> None:
    """Make GROUP one again after a split."""
    with desk.engine.begin() as conn:
        moved = grouping.rejoin(conn, fingerprint=group, actor=desk.actor)
    _say_moved(desk, group, moved, "it was not split")


COMMANDS = (show, take, give_back, snooze, resolve, reopen, note, merge, part, split, rejoin)


def _found(conn: Connection, fingerprint: str) -> Group:
    group = inbox.one(conn, fingerprint=fingerprint)
    if group is None:
        raise Failed(f"no dead letter is in the group {fingerprint[:100]!r}")
    return group


def _until(rate: int | None) -> str:
    return f"until more than {rate} die within an hour" if rate else "until the next one dies"


def _say_moved(desk: Desk, group: str, moved: int | None, otherwise: str) -> None:
    text = otherwise if moved is None else f"{counted(moved, 'dead letter')} moved"
    desk.answer({"group": group, "changed": moved is not None, "moved": moved or 0}, text)
