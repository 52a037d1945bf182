"""Operators: who may come in, what each may do, and letting somebody new in."""

from __future__ import annotations

from starlette.responses import Response

from app.accounts.invitations import invite
from app.accounts.names import email_address, operator_name
from app.accounts.pages import account, handed, mailroom
from app.answers import go_back, is_over
from app.search import address
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries.operators import ROLES, Role
from worker.queries.pages import operators

LIST = "/operators"
FIELDS = ("name", "email", "role")
TAKEN = "Somebody has this name, or this address, already."


def index(call: Call, conn: Connection) -> Response:
    """Everybody by name, or the list's live region."""
    before, after = call.query.get("before"), call.query.get("after")
    page = operators.page(conn, before=before, after=after, now=call.now)
    return render(
        call,
        "operators/index.html",
        block="operators" if call.region == "operators" else None,
        people=page.rows,
        earlier=page.newer and address(LIST, [("after", page.newer)]),
        later=page.older and address(LIST, [("before", page.older)]),
    )


def show(call: Call, conn: Connection) -> Response:
    """One account: what is known of it, where it is signed in, and what can be done about it."""
    return account(call, conn, call.uuid("operator"))


def new(call: Call, conn: Connection) -> Response:
    """The form that lets somebody in."""
    return _form(call)


def create(call: Call, conn: Connection) -> Response:
    """Add the account, and send its link by mail, or show it."""
    given = {name: str(call.form.get(name, "")) for name in FIELDS}
    try:
        name, role = operator_name(given["name"]), _role(given["role"])
        email = email_address(given["email"]) if given["email"].strip() else None
    except InvalidInput as refusal:
        return _form(call, given, {refusal.field: refusal.problem})
    made = invite(conn, mailroom(call), name=name, email=email, role=role, actor=call.actor, now=call.now)
    if made is None:
        return _form(call, given, {"name": TAKEN})
    return handed(call, made, name=name, back=LIST) if made.link else go_back(call, LIST)


def _role(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise InvalidInput("role", "choose one of these")


def _form(call: Call, given: dict[str, str] | None = None, problems: dict[str, str] | None = None) -> Response:
    return render(
        call,
        "operators/new.html",
        block="sheet" if call.htmx else None,
        status=422 if problems else 200,
        given=given or {"name": "", "email": "", "role": "operator"},
        problems=dict.fromkeys(FIELDS) | (problems or {}),
        mail_problem=mailroom(call).problem,
        over_list=is_over(call, LIST),
    )
