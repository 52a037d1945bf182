"""Let a group of dead letters be: until a time, until too many die, or until the next one does."""

from __future__ import annotations

from datetime import datetime, timedelta

from starlette.responses import Response

from app import group_acts
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import groups
from worker.queries.group_states import MAX_RATE

SPANS = {
    "1h": ("1 hour", timedelta(hours=1)),
    "4h": ("4 hours", timedelta(hours=4)),
    "8h": ("8 hours", timedelta(hours=8)),
    "24h": ("24 hours", timedelta(hours=24)),
    "7d": ("7 days", timedelta(days=7)),
}
WAYS = ("time", "rate", "next")


def new(call: Call, conn: Connection) -> Response:
    """The form."""
    return _form(call)


def create(call: Call, conn: Connection) -> Response:
    """Snooze it; what is snoozed already sleeps from now on as it says here."""
    try:
        until, rate = _until(call), _rate(call)
        group = group_acts.chosen(call)
        why = group_acts.reason(call)
        groups.snooze(conn, fingerprint=group, actor=call.actor, until=until, rate=rate, reason=why, now=call.now)
    except InvalidInput as refusal:
        return _form(call, refusal)
    return group_acts.go_back(call)


def _way(call: Call) -> str:
    way = str(call.form.get("way", "time"))
    if way not in WAYS:
        raise InvalidInput("way", "choose one of these")
    return way


def _until(call: Call) -> datetime | None:
    if _way(call) != "time":
        return None
    span = SPANS.get(str(call.form.get("span", "")))
    if span is None:
        raise InvalidInput("span", "choose one of these")
    return call.now + span[1]


def _rate(call: Call) -> int | None:
    way, given = _way(call), str(call.form.get("rate", "")).strip()
    if way != "rate":
        if given:
            raise InvalidInput("rate", "choose to sleep until it happens too often, or leave this empty")
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 4):
        raise InvalidInput("rate", f"must be a number from 1 to {MAX_RATE:,}")
    return int(given)


def _form(call: Call, refusal: InvalidInput | None = None) -> Response:
    return group_acts.form(
        call,
        "dead_letters/snooze.html",
        refusal=refusal,
        spans=[(key, words) for key, (words, _) in SPANS.items()],
        span=str(call.form.get("span", "4h")),
        rate=str(call.form.get("rate", "")),
        way=str(call.form.get("way", "time")),
    )
