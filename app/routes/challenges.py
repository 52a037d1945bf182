"""The second step of signing in: a code, from the authenticator or from the recovery codes."""

from __future__ import annotations

from starlette.responses import Response

from app import sessions
from app.entrance import NOT_NOW, admit, begin, beyond_address, code_form, enrolment_form, refuse, sign_in_form
from app.second_factor import check, enrolment
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import EnvelopeError
from worker.queries import challenges

OVER = "That took too long, or too many codes were tried. Begin again."


def create(call: Call, conn: Connection) -> Response:
    """Sign in whoever was asked for the code, if it counts."""
    token = str(call.form.get("token", ""))
    if (beyond := beyond_address(call, conn)) > 0:
        if beyond == 1:  # the first beyond the limit stands for those that follow
            refuse(call, conn, None, check.TOO_MANY)
        return code_form(call, token, problem=check.TOO_MANY, status=429)
    challenge = challenges.attempt(conn, token_hash=sessions.digest(token), now=call.now)
    if challenge is None:
        refuse(call, conn, None, OVER)
        return sign_in_form(call, "/", problem=OVER, status=422)
    if check.too_many(call, conn, challenge.operator):
        refuse(call, conn, challenge.operator.name, check.TOO_MANY)
        return code_form(call, token, problem=check.TOO_MANY, status=429)
    return _checked(call, conn, token, challenge)


def enrol(call: Call, conn: Connection) -> Response:
    """Sign in whoever had to set a second factor up, and show the recovery codes this once."""
    token = str(call.form.get("token", ""))
    hashed = sessions.digest(token)
    challenge = None if beyond_address(call, conn) > 0 else challenges.attempt(conn, token_hash=hashed, now=call.now)
    if challenge is None:
        refuse(call, conn, None, OVER)
        return sign_in_form(call, "/", problem=OVER, status=422)
    try:
        made = enrolment.confirm(call, conn, challenge.operator, hashed)
    except EnvelopeError as error:
        return sign_in_form(call, "/", problem=f"{NOT_NOW}: {error}.", status=503)
    if made.again:
        refuse(call, conn, challenge.operator.name, made.problem or OVER)
        return enrolment_form(call, token, made.again, problem=made.problem, status=422)
    if not made.codes:  # there is one by now, and whoever is here has not shown it
        refuse(call, conn, challenge.operator.name, OVER)
        return sign_in_form(call, "/", problem=OVER, status=422)
    challenges.close(conn, token_hash=hashed)
    response = render(call, "second_factors/first_codes.html", codes=made.codes, following=challenge.following)
    begin(call, conn, response, challenge.operator, by=challenge.proof, second="authenticator")
    return response


def _checked(call: Call, conn: Connection, token: str, challenge: challenges.Challenge) -> Response:
    operator, code = challenge.operator, str(call.form.get("code", ""))
    try:
        way = check.use(call, conn, operator, code)
    except EnvelopeError:
        return code_form(call, token, problem=check.CLOSED, status=503)
    if way is None:
        refuse(call, conn, operator.name, check.WRONG)
        return code_form(call, token, problem=check.WRONG, status=422)
    challenges.close(conn, token_hash=sessions.digest(token))
    return admit(call, conn, operator, by=challenge.proof, following=challenge.following, second=way)
