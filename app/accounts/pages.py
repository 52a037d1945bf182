"""What the pages about accounts share: this console's mailroom, one account, and a link that is shown once."""

from __future__ import annotations

from uuid import UUID

from starlette.responses import Response

from app.accounts.mailroom import Handed, Mailroom
from app.asked import Asked
from app.console import console_of
from app.deeds import DEEDS
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.queries import browsers
from worker.queries import operators as stored
from worker.queries.operators import ROLES, Operator
from worker.queries.pages import audit, letters, operators

DONE_SHOWN = 10
_ON_ACCOUNTS = [name for name, deed in DEEDS.items() if deed.part == "accounts" and not name.startswith("token")]


def mailroom(call: Asked) -> Mailroom:
    """Where this console's mail leaves."""
    console = console_of(call.request)
    return Mailroom(console.settings, console.deployment, console.registry.job_types)


def account(call: Call, conn: Connection, operator_id: UUID, *, problem: str | None = None) -> Response:
    """One account, or its region: what is known of it, where it is signed in, and what can be done about it."""
    found = operators.one(conn, operator_id=operator_id, now=call.now)
    if found is None:
        raise NotFound
    return render(
        call,
        "operators/show.html",
        block="account" if call.region == "account" else None,
        status=422 if problem else 200,
        who=found,
        roles=ROLES,
        sessions=browsers.of_operator(conn, operator_id=found.id, now=call.now),
        done=_done(conn, found.name),
        letter=letters.latest(conn, operator_id=found.id),
        mail_problem=mailroom(call).problem,
        problem=problem,
    )


def _done(conn: Connection, name: str) -> list[tuple[Row, str]]:
    """The newest acts on the account, each with its words."""
    acts = audit.of_target(conn, target=name, actions=_ON_ACCOUNTS, limit=DONE_SHOWN)
    return [(act, DEEDS[act.action].did) for act in acts]


def known(call: Asked, conn: Connection) -> Row:
    """The operator that the address names."""
    found = stored.by_id(conn, operator_id=call.uuid("operator"))
    if found is None:
        raise NotFound
    return found


def address(operator_id: UUID) -> str:
    """Where the account's page is."""
    return f"/operators/{operator_id}"


def handed(call: Call, made: Handed, *, name: str, back: str) -> Response:
    """The link, to be handed over by whoever reads this, and why it was not mailed."""
    over = {"HX-Retarget": "#main", "HX-Reswap": "innerHTML"} if call.htmx else {}
    block = "main" if call.htmx else None
    return render(
        call,
        "operators/handed.html",
        block=block,
        headers=over,
        made=made,
        name=name,
        back=back,
        is_local=call.settings.url is None,
    )


def who(call: Call) -> Operator:
    """Whoever is signed in."""
    assert call.operator
    return call.operator
