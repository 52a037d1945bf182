"""Tenants: who there is, how far each is set up, step by step, and its open work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from app.errors import BadInput
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.payloads import clean_text
from worker.provisioning.steps import STEPS
from worker.queries.pages import step_tallies, stuck, tenants
from worker.queries.pages.step_tallies import Tally
from worker.queries.pages.tenant_rows import OF_PROVISIONING, STATES
from worker.queries.pages.tenants import Wanted

MAX_SEARCH = 200


def index(call: Call, conn: Connection) -> Response:
    """The list, or its live region; in a lens it is the one tenant's page."""
    if call.lens:
        return see_other(f"/tenants/{call.lens.slug}")
    wanted = _wanted(call)
    watch = stuck.watch(call.figures, after_seconds=call.settings.stuck_after_seconds)
    tallies = step_tallies.read(conn, watch=watch, now=call.now)
    page = tenants.page(conn, wanted, watch=watch, cursor=call.query.get("cursor"), now=call.now)
    return render(
        call,
        "tenants/index.html",
        block="tenants" if call.region == "tenants" else None,
        wanted=wanted,
        kept={name: value for name, value in (("state", wanted.state), ("step", wanted.step)) if value},
        states=_states(wanted, _counts(call, tallies)),
        steps=[(tally, _address(_at(wanted, tally.step))) for tally in tallies],
        anywhere=_address(Wanted(wanted.containing, wanted.state)),
        lines=page.lines,
        usual=page.usual,
        first=_address(wanted) if "cursor" in call.query else None,
        older=_address(wanted, page.older) if page.older else None,
    )


def _wanted(call: Call) -> Wanted:
    state, step = call.query.get("state") or None, call.query.get("step") or None
    if state and state not in STATES:
        raise BadInput(f"state: must be one of {', '.join(STATES)}.")
    if step and step not in STEPS:
        raise BadInput(f"step: must be one of {', '.join(STEPS)}.")
    return Wanted(clean_text(call.query.get("q", ""), field="q", limit=MAX_SEARCH), state, step)


def _counts(call: Call, tallies: Sequence[Tally]) -> dict[str, int]:
    """How many tenants are in each state."""
    found = {state: call.figures.tenants.get(state, 0) for state in STATES}
    found |= {name: sum(getattr(each, name) for each in tallies) for name in ("stopped", "stuck")}
    return {"": sum(call.figures.tenants.values()), **found}


def _states(wanted: Wanted, counts: dict[str, int]) -> list[tuple[str, str, str, int]]:
    """What the list can be narrowed to; a step is kept where tenants in that state can be at one."""

    def address(state: str) -> str:
        kept = wanted.step if not state or state in OF_PROVISIONING else None
        return _address(Wanted(wanted.containing, state or None, kept))

    return [(state, state.capitalize() or "All", address(state), counts[state]) for state in ("", *STATES)]


def _at(wanted: Wanted, step: str) -> Wanted:
    return Wanted(wanted.containing, wanted.state if wanted.state in OF_PROVISIONING else None, step)


def _address(wanted: Wanted, cursor: str | None = None) -> str:
    parts: dict[str, Any] = {"state": wanted.state, "step": wanted.step, "q": wanted.containing, "cursor": cursor}
    query = urlencode({key: value for key, value in parts.items() if value})
    return f"/tenants?{query}" if query else "/tenants"
