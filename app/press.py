"""What all acts on jobs have in common: a form that says what would happen, and the press that has it happen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.responses import Response

from app import choice, prospects, said
from app.choice import Choice
from app.errors import BadInput, NotFound
from app.kinds import FAILURES, RATES, Kind
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries.bulk_acts import work
from worker.queries.bulk_acts.acts import AT_MOST, MODES, Action, Mode, Terms
from worker.queries.pages import checkpoints, selection
from worker.settings import queue_name

ASKED = ("reason", "mode", "rate", "stop_after", "to")
RERUN = (Action.REPLAY, Action.RUN)
"""Acts whose forms say what the jobs did already."""


def new(call: Call, conn: Connection, kind: Kind) -> Response:
    """The form: how many, whose, where they go, and what would become of them."""
    chosen = choice.read(call, call.query, of=kind.lists)
    return _form(call, conn, kind, chosen if chosen.kind else replace(chosen, drawn_at=call.now))


def create(call: Call, conn: Connection, kind: Kind) -> Response:
    """Do it to what was chosen; whoever was faster is named, and nothing is done twice (A-52)."""
    return _press(call, conn, kind, choice.read(call, call.form, of=kind.lists))


def create_one(call: Call, conn: Connection, kind: Kind) -> Response:
    """The same to the job of the address."""
    chosen = choice.one(call)
    if not selection.read(conn, choice.found(call, conn, chosen), now=call.now).parts:
        raise NotFound
    return _press(call, conn, kind, chosen)


def _press(call: Call, conn: Connection, kind: Kind, chosen: Choice) -> Response:
    try:
        why = choice.reason(call, required=kind.needs_reason)
        terms = _terms(call, kind, chosen)
    except InvalidInput as refusal:
        return _form(call, conn, kind, chosen, refusal=refusal)
    found, shown = choice.found(call, conn, chosen), choice.shown(call)
    whose: dict[str, Any] = {"actor": call.actor, "reason": why, "now": call.now}
    try:
        with conn.begin_nested():
            act = work.begin(conn, terms=terms, chosen=found.rows, values=found.values, shown=shown, **whose)
    except InvalidInput as refusal:
        return _form(call, conn, kind, chosen, refusal=refusal)
    return said.go_back(call, chosen, act)


def _terms(call: Call, kind: Kind, chosen: Choice) -> Terms:
    """How the form wants it done; InvalidInput names the field."""
    mode = call.form.get("mode", Mode.ALL)
    if mode not in tuple(Mode):
        raise BadInput("mode: choose one of those in the form.")
    paced = mode in (Mode.ONE_FIRST, Mode.RATE)
    return Terms(
        action=kind.action,
        mode=Mode(str(mode)),
        rate=_number(call, "rate", RATES) if mode == Mode.RATE else None,
        stop_after=_number(call, "stop_after", FAILURES) if paced and call.form.get("stop_after") else None,
        to_queue=_queue(call) if kind.action == Action.REASSIGN else None,
        undo_seconds=call.settings.undo_seconds if kind.action == Action.REPLAY else 0,
        filters=chosen.kind.pairs() if chosen.kind else None,
        seen_at=chosen.drawn_at,
    )


def _number(call: Call, name: str, within: range) -> int:
    text = str(call.form.get(name, "")).strip()
    if text.isascii() and text.isdigit() and len(text) < 8 and int(text) in within:
        return int(text)
    raise InvalidInput(name, f"must be a whole number from {within[0]} to {within[-1]:,}")


def _queue(call: Call) -> str:
    try:
        return queue_name(str(call.form.get("to", "")).strip())
    except ValueError as problem:
        raise InvalidInput("to", str(problem)) from None


def _form(call: Call, conn: Connection, kind: Kind, chosen: Choice, *, refusal: InvalidInput | None = None) -> Response:
    found = choice.found(call, conn, chosen)
    everything = selection.read(conn, found, now=call.now)
    moved = everything.within(kind.moves)
    asked = {name: str(call.form.get(name, "")) for name in ASKED}
    return render(
        call,
        kind.template,
        block="sheet" if call.htmx else None,
        status=422 if refusal else 200,
        chosen=chosen,
        target=choice.target(call, chosen),
        everything=everything,
        moved=moved,
        others=everything.without(kind.moves).counts("state"),
        gone=max(len(chosen.job_ids) - everything.jobs, 0),
        capped=everything.jobs >= AT_MOST,
        would=prospects.of(conn, call.whole, call.registry, moved),
        asked=asked,
        ran=checkpoints.read(conn, found, now=call.now) if moved.jobs and kind.action in RERUN else None,
        modes=MODES[kind.action],
        problems=dict.fromkeys((*ASKED, "shown")) | ({refusal.field: choice.sentence(refusal)} if refusal else {}),
        queues=sorted({*call.figures.depths.ready, *(each.queue for each in call.figures.backlog)}),
    )
