"""What a search may go on with: the names it knows, and for each the values there are now."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.search import TERMS
from app.web import Call
from worker.database import Connection
from worker.model import Status
from worker.queries.pages import filters, lookup
from worker.queries.pages.states import State

AT_MOST = 8
_LAST = re.compile(r'(?:[a-z]{1,20}:)?(?:"[^"]*|[^\s"]*)$')
_SPANS = ("30m", "1h", "24h", "7d")
_SAID_OTHERWISE = frozenset({*filters.ALIASES, "group", "action"})
_NAMES = (*sorted(TERMS - _SAID_OTHERWISE), filters.PAYLOAD)


def completions(call: Call, conn: Connection, text: str) -> list[str]:
    """The whole text with its last word completed, in a few ways; none where nothing is known to come next."""
    last = _LAST.search(text)
    begun = last[0] if last else ""
    head = text[: len(text) - len(begun)]
    name, colon, value = begun.partition(":")
    known = _values(call, conn, name, value.strip('"')) if colon else _names(call, begun)
    return [head + each for each in known][:AT_MOST]


def _names(call: Call, begun: str) -> list[str]:
    """The names that begin like that, then what has work now and does."""
    known = [name for name in _NAMES if not (call.lens and name == "tenant")]
    names = [name if name.endswith(".") else f"{name}:" for name in known if name.startswith(begun)]
    if not begun:
        return names
    at_hand = (("queue", _queues(call)), ("type", _types(call)))
    return names + [f"{name}:{each}" for name, known in at_hand for each in sorted(known) if each.startswith(begun)]


def _values(call: Call, conn: Connection, name: str, begun: str) -> list[str]:
    name = filters.ALIASES.get(name, name)
    known: Iterable[str] = ()
    if name == "status":
        known = dict.fromkeys([*Status, State.READY, State.SCHEDULED, State.RETRYING])
    elif name == "age":
        known = [f"{sign}{span}" for span in _SPANS for sign in "<>"]
    elif name in ("since", "until"):
        known = _SPANS
    elif name == "queue":
        known = sorted(_queues(call))
    elif name == "type":
        known = sorted(_types(call))
    elif name == "worker":
        known = sorted({each.component for each in call.figures.workers})
    elif name == "tenant" and begun and not call.lens:
        known = lookup.slugs(conn, begun=begun, limit=AT_MOST)
    return [f"{name}:{each}" for each in known if each.startswith(begun)]


def _queues(call: Call) -> set[str]:
    return {each.queue for each in call.figures.backlog} | {each.queue for each in call.figures.hour.flows}


def _types(call: Call) -> set[str]:
    return {each.handler_key for each in call.figures.backlog} | {each.handler_key for each in call.figures.hour.flows}
