"""The addresses of the list of jobs: what a search leads to, its states to choose from, its filters to take away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import parse_qsl
from uuid import UUID

from app.asked import Asked
from app.errors import BadInput
from app.search import TERMS, address, terms
from app.web import Call
from worker.database import Connection, Row
from worker.model import Status
from worker.queries import tenants
from worker.queries.pages import filters, lookup, sorts
from worker.queries.pages.audit import AuditFilters
from worker.queries.pages.figures import count_text
from worker.queries.pages.filters import Filters
from worker.queries.pages.states import State

IMPLY_STATE = frozenset({"status", "group", "worker", "error", "sort"})

SPANS = ("1h", "24h", "7d", "30d")

Segment = tuple[str | None, str, str, str | None]


def wanted(call: Call) -> Filters:
    """What the address asks for; of whom, in a lens, goes without saying."""
    return shown(call, filters.parse(call.query.multi_items(), now=call.now))


def shown(call: Asked, asked: Filters) -> Filters:
    """The filters as addresses in this lens have them; BadInput where they ask for what is closed or another's."""
    return replace(allowed(call, asked), tenant=whose(call, asked.tenant))


def whose(call: Asked, slug: str | None) -> str | None:
    """The tenant as an address names it: not at all in its own lens; BadInput in the lens of another."""
    if call.lens and slug not in (None, call.lens.slug):
        raise BadInput(f"tenant: this is the lens of {call.lens.slug}; leave it to look at {slug}.")
    return None if call.lens else slug


def narrowed(call: Asked, asked: Filters) -> Filters:
    """The same as they are read, and as others are told of them: a lens is one more filter."""
    return replace(asked, tenant=call.lens.slug) if call.lens else asked


def tenant(call: Asked, conn: Connection, asked: Filters | AuditFilters) -> UUID | None:
    """The id of the tenant whose rows are asked for; None where that is everybody, or nobody of that name."""
    if call.lens:
        return call.lens.id
    return tenants.id_of(conn, slug=asked.tenant) if asked.tenant else None


def allowed(call: Asked, asked: Filters) -> Filters:
    """The filters, where none of them would find out what is closed to the eye; BadInput otherwise."""
    for path, _ in asked.payload:
        if call.registry.closes(path.split("."), handler_key=asked.type):
            raise BadInput(f"payload.{path}: is closed to the eye, so jobs are not searched by it.")
    return asked


def here(call: Call, wanted: Filters, **cursor: str | None) -> str:
    """The address of a list; at the place where this request looks unless another is given."""
    looked = {name: call.query[name] for name in ("before", "after") if call.query.get(name)}
    return address("/jobs", wanted.pairs(), (cursor or looked).items())


def searched(call: Call, conn: Connection) -> str:
    """Where the search box leads: to a job's own page for its id, else to the list with what was asked added."""
    known = wanted(call).pairs()
    named, words = terms(call.query["q"], names=TERMS, prefix=filters.PAYLOAD)
    found = [("job", _id(value)) for name, value in named if name == "id"]
    if not found and len(words) == 1 and (one := _named(call, conn, words[0])):
        found, words = [one], []
    if found and found[0][0] == "job":
        return f"/jobs/{found[0][1]}"
    errors = [*(value for name, value in named if name == "error"), *words]
    asked = [*known, *(term for term in named if term[0] != "error"), *found]
    asked += [("error", f'"{phrase}"') for phrase in errors]
    return address("/jobs", shown(call, filters.parse(asked, now=call.now)).pairs())


def _named(call: Call, conn: Connection, word: str) -> tuple[str, str] | None:
    """The filter that a word stands for; in a lens it names no other tenant."""
    found = lookup.look(conn, word=word) or _at_hand(call, word)
    is_another = call.lens and found and found[0] == "tenant" and found[1] != call.lens.slug
    return None if is_another else found


def _id(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise BadInput(f"id: {text[:60]} is not the id of a job, which has 32 digits of 0-9 a-f.") from None


def _at_hand(call: Call, word: str) -> tuple[str, str] | None:
    """The filter of a word that is a queue or a handler with work now or in the last hour."""
    known = [(each.queue, each.handler_key) for each in call.figures.backlog]
    known += [(each.queue, each.handler_key) for each in call.figures.hour.flows]
    if any(word == queue for queue, _ in known):
        return "queue", word
    return ("type", word) if any(word == handler for _, handler in known) else None


def segments(call: Call, wanted: Filters) -> list[Segment]:
    """The states to choose from; how many there are is known of all jobs only."""
    others = [(name, value) for name, value in wanted.pairs() if name not in IMPLY_STATE]
    figures = call.figures
    states = (
        (None, "All", None),
        (State.READY, "Ready", figures.ready),
        (State.SCHEDULED, "Scheduled", figures.depths.scheduled),
        (Status.RUNNING, "Running", figures.running),
        (Status.SUCCEEDED, "Succeeded", None),
        (Status.FAILED, "Dead letters", figures.dead),
        (Status.CANCELLED, "Cancelled", None),
    )
    return [
        (key, label, address("/jobs", others, [("status", key)]), None if others else count_text(number))
        for key, label, number in states
    ]


def elsewhere(call: Call, views: Iterable[Row]) -> set[UUID]:
    """The saved lists of other tenants than the lens shows."""
    asked = {view.id: dict(parse_qsl(view.query)).get("tenant") for view in views}
    return {view for view, slug in asked.items() if call.lens and slug not in (None, call.lens.slug)}


def chips(wanted: Filters) -> list[tuple[str, str, str]]:
    """Each filter but the state, with the address of the list without it."""
    pairs = wanted.pairs()
    return [
        (name, value, address("/jobs", [pair for pair in pairs if pair != (name, value)]))
        for name, value in pairs
        if name not in ("status", "sort")
    ]


def orders(call: Call, wanted: Filters) -> list[tuple[str, str, bool]]:
    """The orders that this list can be read in: name, address, and whether it is."""
    others = [pair for pair in wanted.pairs() if pair[0] != "sort"]
    known = sorts.of(wanted.status, of_tenant=narrowed(call, wanted).tenant is not None)
    now = wanted.sort or known[0]
    return [
        (word, address("/jobs", others, [("sort", word if word != known[0] else None)]), word == now) for word in known
    ]


def exported(wanted: Filters, ending: str) -> str:
    """The address of all that matches as a file."""
    return address(f"/jobs.{ending}", wanted.pairs())


def spans(wanted: Filters) -> dict[str, str]:
    """The address of the list for each span of creation, and for any time."""
    others = [(name, value) for name, value in wanted.pairs() if name not in ("since", "until")]
    return {span: address("/jobs", others, [("since", span)]) for span in (*SPANS, "")}
