"""What programs do about groups of dead letters, as people do on the inbox."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.ends import ahead
from app.errors import NotFound
from app.shapes.changes import Changed, Moved
from app.shapes.group_changes import NewMerge, NewNote, NewResolution, NewSnooze, OfGroup, OfOwner
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import grouping, groups
from worker.queries.pages import groups as inbox


@in_transaction
def take(call: ApiCall, conn: Connection) -> Response:
    """Take a group: it is the token's from now on."""
    asked = call.read(OfOwner)
    of, seen_with = _known(call, conn, asked), clean_text(asked.seen_with, field="seen_with", limit=100)
    return Document(
        Changed(changed=groups.take(conn, fingerprint=of, actor=call.actor, seen_with=seen_with, now=call.now))
    )


@in_transaction
def give_back(call: ApiCall, conn: Connection) -> Response:
    """Give a group back, on behalf of whoever has it."""
    asked = call.read(OfOwner)
    of, seen_with = _known(call, conn, asked), clean_text(asked.seen_with, field="seen_with", limit=100)
    return Document(
        Changed(changed=groups.give_back(conn, fingerprint=of, actor=call.actor, seen_with=seen_with, now=call.now))
    )


@in_transaction
def snooze(call: ApiCall, conn: Connection) -> Response:
    """Snooze a group until a time, until too many die, or until the next one does."""
    asked = call.read(NewSnooze)
    of = _known(call, conn, asked)
    how: dict[str, Any] = {
        "until": ahead(asked.until, now=call.now),
        "rate": asked.rate,
        "reason": asked.reason or None,
    }
    done = groups.snooze(conn, fingerprint=of, actor=call.actor, now=call.now, **how)
    return Document(Changed(changed=done))


@in_transaction
def resolve(call: ApiCall, conn: Connection) -> Response:
    """Say that a group is fixed; one more death brings it back by itself."""
    asked = call.read(NewResolution)
    release = clean_text(asked.release, field="release", limit=groups.MAX_RELEASE) if asked.release else None
    if asked.release and not release:
        raise InvalidInput("release", "say which")
    of, why = _known(call, conn, asked), asked.reason or None
    done = groups.resolve(conn, fingerprint=of, actor=call.actor, release=release, reason=why, now=call.now)
    return Document(Changed(changed=done))


@in_transaction
def reopen(call: ApiCall, conn: Connection) -> Response:
    """Have a group ask for a person again, snoozed or resolved."""
    of = _known(call, conn, call.read(OfGroup))
    return Document(Changed(changed=groups.reopen(conn, fingerprint=of, actor=call.actor, now=call.now)))


@in_transaction
def note(call: ApiCall, conn: Connection) -> Response:
    """Write on a group what whoever comes next should know."""
    asked = call.read(NewNote)
    text = clean_text(asked.note.replace("\r\n", "\n"), field="note", limit=groups.MAX_NOTE)
    of = _known(call, conn, asked)
    return Document(Changed(changed=groups.write_note(conn, fingerprint=of, actor=call.actor, note=text, now=call.now)))


@in_transaction
def merge(call: ApiCall, conn: Connection) -> Response:
    """Put a group, and all that will die of it, together with another one."""
    asked = call.read(NewMerge)
    of, into = _known(call, conn, asked), _found(call, conn, "into", asked.into)
    return _moved(grouping.merge(conn, fingerprint=of, into=into, actor=call.actor, now=call.now))


@in_transaction
def part(call: ApiCall, conn: Connection) -> Response:
    """Take a group out again of the one that it joined."""
    of = clean_text(call.read(OfGroup).group, field="group", limit=300)
    return _moved(grouping.part(conn, fingerprint=of, actor=call.actor, now=call.now))


@in_transaction
def split(call: ApiCall, conn: Connection) -> Response:
    """Make a group of each message of a group."""
    of = _known(call, conn, call.read(OfGroup))
    return _moved(grouping.split(conn, fingerprint=of, actor=call.actor, now=call.now))


@in_transaction
def rejoin(call: ApiCall, conn: Connection) -> Response:
    """Make a group one again after a split."""
    of = clean_text(call.read(OfGroup).group, field="group", limit=300)
    return _moved(grouping.rejoin(conn, fingerprint=of, actor=call.actor, now=call.now))


def _known(call: ApiCall, conn: Connection, asked: OfGroup) -> str:
    return _found(call, conn, "group", asked.group)


def _found(call: ApiCall, conn: Connection, field: str, given: str) -> str:
    """The fingerprint, where a dead letter has it."""
    fingerprint = clean_text(given, field=field, limit=300)
    if inbox.one(conn, fingerprint=fingerprint, now=call.now) is None:
        raise NotFound(f"{field}: no dead letter is in it.")
    return fingerprint


def _moved(moved: int | None) -> Response:
    return Document(Moved(changed=moved is not None, moved=moved or 0))
