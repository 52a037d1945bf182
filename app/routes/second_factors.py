"""The operator's own second factor: set up, given new recovery codes, and taken off again."""

from __future__ import annotations

from starlette.responses import Response

from app import own_password, refusals
from app.console import console_of
from app.second_factor import check, enrolment, sealing
from app.second_factor.enrolment import Offer
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.errors import EnvelopeError
from worker.queries import recovery_codes, second_factors
from worker.queries.operators import Operator

PAGE = "/account/second-factor"
NEEDED = "Your role needs a second factor here."


def show(call: Call, conn: Connection) -> Response:
    """Whether there is one, how many recovery codes are left, and what can be done about either."""
    return _page(call, conn)


def new(call: Call, conn: Connection) -> Response:
    """A code to scan, and a field for the first code that comes of it."""
    operator = _who(call)
    if sealing.readiness(console_of(call.request)):
        return _page(call, conn)
    if second_factors.find(conn, operator_id=operator.id):
        return see_other(PAGE)
    try:
        return _form(call, conn, enrolment.offer(call, operator, _occasion(call)))
    except EnvelopeError as error:
        return _page(call, conn, problem=_sentence(error), status=503)


def create(call: Call, conn: Connection) -> Response:
    """Keep it, and show the recovery codes this once; the operator's other browsers have to sign in anew."""
    operator = _who(call)
    if sealing.readiness(console_of(call.request)):
        return _page(call, conn, status=409)
    try:
        if objection := own_password.objection(call, conn, action="second-factor"):
            again = enrolment.offer(call, operator, _occasion(call), enrolment.brought(call, _occasion(call)))
            return _form(call, conn, again, current_problem=objection)
        made = enrolment.confirm(call, conn, operator, _occasion(call))
    except EnvelopeError as error:
        return _page(call, conn, problem=_sentence(error), status=503)
    if made.again:
        return _form(call, conn, made.again, problem=made.problem)
    if not made.codes:
        return see_other(PAGE)
    return render(call, "second_factors/codes.html", codes=made.codes, first=True)


def renew(call: Call, conn: Connection) -> Response:
    """New recovery codes, shown this once."""
    operator = _who(call)
    if refused := _unproven(call, conn, "recovery-codes"):
        return refused
    codes = enrolment.new_codes(conn, operator.id)
    second_factors.note_new_codes(conn, actor=call.actor, now=call.now)
    return render(call, "second_factors/codes.html", codes=codes, first=False)


def delete(call: Call, conn: Connection) -> Response:
    """Take it off, unless the role needs one."""
    operator, needed_from = _who(call), call.settings.require_second_factor
    if needed_from and operator.may(needed_from):
        return _page(call, conn, problem=NEEDED, status=409)
    if refused := _unproven(call, conn, "second-factor-off"):
        return refused
    second_factors.remove(
        conn, operator_id=operator.id, name=operator.name, action="second-factor-off", actor=call.actor, now=call.now
    )
    return see_other(PAGE)


def _unproven(call: Call, conn: Connection, action: str) -> Response | None:
    """The page with what speaks against it, unless the form's code shows that the second factor is there."""
    operator = _who(call)
    if check.too_many(call, conn, operator):
        refusals.note(conn, call.actor, action=action, target=operator.name, reason=check.TOO_MANY, now=call.now)
        return _page(call, conn, problem=check.TOO_MANY, status=429)
    try:
        way = check.use(call, conn, operator, str(call.form.get("code", "")))
    except EnvelopeError:
        return _page(call, conn, problem=check.CLOSED, status=503)
    if way:
        return None
    refusals.note(conn, call.actor, action=action, target=operator.name, reason=check.WRONG, now=call.now)
    return _page(call, conn, problem=check.WRONG, status=422)


def _page(call: Call, conn: Connection, *, problem: str | None = None, status: int = 200) -> Response:
    operator = _who(call)
    return render(
        call,
        "second_factors/show.html",
        status=status,
        factor=second_factors.find(conn, operator_id=operator.id),
        left=recovery_codes.left(conn, operator_id=operator.id),
        missing=sealing.readiness(console_of(call.request)),
        problem=problem,
    )


def _form(
    call: Call, conn: Connection, offer: Offer, *, problem: str | None = None, current_problem: str | None = None
) -> Response:
    return render(
        call,
        "second_factors/new.html",
        status=422 if problem or current_problem else 200,
        offer=offer,
        ask_current=own_password.asked_for(call, conn) is not None,
        problem=problem,
        current_problem=current_problem,
    )


def _occasion(call: Call) -> str:
    """This session: what its page offered, no other can confirm."""
    return str(call.request.state.visit.token_hash)


def _who(call: Call) -> Operator:
    assert call.operator
    return call.operator


def _sentence(error: EnvelopeError) -> str:
    return f"Nothing can be sealed now: {error}."
