"""What the list of jobs is narrowed to, as an address says it: read, checked, and written back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta

from worker.errors import InvalidInput
from worker.model import Status, parse_status
from worker.payloads import clean_text
from worker.queries.pages import sorts
from worker.queries.pages.states import State

MAX_WORDS = 20
MAX_NAMES = 10
"""Names in one path of a payload."""
MAX_VALUE = 200
PAYLOAD = "payload."
LENGTHS = {"type": 200, "queue": 100, "tenant": 63, "worker": 100, "event": 36, "key": 255, "group": 300, "error": 500}
_WORD = re.compile(r'"([^"]+)"?|([^\s"]+)')
_AGO = re.compile(r"(\d{1,4})([mhd])", re.ASCII)
_AGE = re.compile(r"([<>])\s*(\d{1,4}[mhd])", re.ASCII)
_NAME = re.compile(r"[^\s\".\\]{1,100}")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Filters:
    """One list of jobs; `type` is a handler or a job type, `action` the number of an audit row."""

    status: str | None = None
    type: str | None = None
    queue: str | None = None
    tenant: str | None = None
    worker: str | None = None
    event: str | None = None
    key: str | None = None
    group: str | None = None
    action: int | None = None
    error: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    payload: tuple[tuple[str, str], ...] = ()
    sort: str | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Each filter as a field of an address."""
        error = " ".join(f'"{word}"' if " " in word else word for word in self.error) or None
        inside = [(f"{PAYLOAD}{path}", value) for path, value in self.payload]
        named = [(name, getattr(self, name)) for name in _PLAIN]
        return [(name, str(value)) for name, value in (*named, ("error", error), *inside) if value is not None]


_PLAIN = tuple(field.name for field in fields(Filters) if field.name not in ("error", "payload"))
NAMES = frozenset({*_PLAIN, "error", "age"})
ALIASES = {"handler": "type", "state": "status", "act": "action"}


def parse(pairs: Iterable[tuple[str, str]], *, now: datetime) -> Filters:
    """The filters among the fields of an address, the last of a name counting; InvalidInput names the field."""
    given: dict[str, str] = {}
    words: list[str] = []
    inside: dict[str, str] = {}
    for said, text in pairs:
        name = ALIASES.get(said, said)
        if name.startswith(PAYLOAD):
            inside |= _inside(name.removeprefix(PAYLOAD), text)
        elif name in NAMES and (value := clean_text(text, field=name, limit=LENGTHS.get(name, 40))):
            if name == "error":
                words += [(phrase or word).strip() for phrase, word in _WORD.findall(value)]
            else:
                given |= _age(value) if name == "age" else {name: value}
    if len(words) > MAX_WORDS:
        raise InvalidInput("error", f"has more than {MAX_WORDS} words")
    for name in given.keys() & {"since", "until"}:
        instant(given[name], field=name, now=now)
    status, action = _status(given, words), _number(given.pop("action", None))
    known = given | {"status": status, "sort": sorts.chosen(given.get("sort"), status=status)}
    return Filters(**known, action=action, error=tuple(filter(None, words)), payload=tuple(inside.items()))


def _inside(path: str, text: str) -> dict[str, str]:
    """What a payload must have at a path of names and places in lists, as in `order.items.0.sku`."""
    value = clean_text(text, field=f"{PAYLOAD}{path[:100]}", limit=MAX_VALUE)
    names = path.split(".")
    if len(names) > MAX_NAMES or not all(_NAME.fullmatch(name) for name in names):
        raise InvalidInput("payload", f"is searched by up to {MAX_NAMES} names with dots, as in payload.order.id")
    return {clean_text(path, field="payload", limit=MAX_NAMES * 101): value} if value else {}


def _age(text: str) -> dict[str, str]:
    """The bound of creation that an age means: older than (`>2h`) or younger than (`<2h`)."""
    if not (found := _AGE.fullmatch(text)):
        raise InvalidInput("age", "is compared as in >2h or <30m")
    return {"until" if found[1] == ">" else "since": found[2]}


def _status(given: dict[str, str], words: list[str]) -> str | None:
    """A status of either vocabulary; a filter that only dead letters or running jobs can pass brings its own."""
    word = given.get("status")
    if "group" in given:
        return Status.FAILED
    if "worker" in given:
        if word is not None and _parsed(word) != Status.RUNNING:
            raise InvalidInput("worker", f"finds what a worker holds now, which is running and not {word}")
        return Status.RUNNING
    if word is None:
        return Status.FAILED if words else None
    return _parsed(word)


def _parsed(word: str) -> str:
    if word in (State.READY, State.SCHEDULED, State.RETRYING):
        return word
    try:
        return Status.FAILED if word == State.DEAD else parse_status(word)
    except ValueError as problem:
        raise InvalidInput("status", str(problem).removeprefix("status ")) from None


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    raise InvalidInput("action", "is not the number of an audit row")


def instant(text: str, *, field: str, now: datetime) -> datetime:
    """A time: so long ago, as in `90m`, `24h` or `7d`, or a date, with or without a time of day and a zone (UTC)."""
    try:
        if ago := _AGO.fullmatch(text):
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(field, "is neither a date, a time, nor so long ago as in 24h") from None
