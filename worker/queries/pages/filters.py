"""What the list of jobs is narrowed to, as an address says it: read, checked, and written back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta

from worker.errors import InvalidInput
from worker.model import Status, parse_status
from worker.payloads import clean_text
from worker.queries.pages.states import State

MAX_WORDS = 20
LENGTHS = {"type": 200, "queue": 100, "tenant": 63, "worker": 100, "event": 36, "key": 255, "group": 300, "error": 500}
_WORD = re.compile(r'"([^"]+)"?|([^\s"]+)')
_AGO = re.compile(r"(\d{1,4})([mhd])", re.ASCII)
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

    def pairs(self) -> list[tuple[str, str]]:
        """Each filter as a field of an address."""
        error = " ".join(f'"{word}"' if " " in word else word for word in self.error) or None
        named = [(field.name, getattr(self, field.name)) for field in fields(self) if field.name != "error"]
        return [(name, str(value)) for name, value in (*named, ("error", error)) if value is not None]


NAMES = frozenset(field.name for field in fields(Filters))
ALIASES = {"handler": "type", "state": "status", "act": "action"}


def parse(pairs: Iterable[tuple[str, str]], *, now: datetime) -> Filters:
    """The filters among the fields of an address, the last of a name counting; InvalidInput names the field."""
    given: dict[str, str] = {}
    words: list[str] = []
    for said, text in pairs:
        name = ALIASES.get(said, said)
        if name not in NAMES or not (value := clean_text(text, field=name, limit=LENGTHS.get(name, 40))):
            continue
        if name == "error":
            words += [(phrase or word).strip() for phrase, word in _WORD.findall(value)]
        else:
            given[name] = value
    if len(words) > MAX_WORDS:
        raise InvalidInput("error", f"has more than {MAX_WORDS} words")
    for name in given.keys() & {"since", "until"}:
        instant(given[name], field=name, now=now)
    status, action = _status(given, words), _number(given.pop("action", None))
    return Filters(**{**given, "status": status}, action=action, error=tuple(filter(None, words)))


def _status(given: dict[str, str], words: list[str]) -> str | None:
    """A status of either vocabulary; a filter that only dead letters or running jobs can pass brings its own."""
    word = given.get("status")
    if "group" in given:
        return Status.FAILED
    if "worker" in given:
        return Status.RUNNING
    if word is None:
        return Status.FAILED if words else None
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
