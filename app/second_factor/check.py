"""Checking a second factor: each code counts once, and only so many may be tried."""

from __future__ import annotations

from typing import Literal

from app.console import console_of
from app.second_factor import recovery, sealing, totp
from app.web import Call
from worker.database import Connection
from worker.queries import rates, recovery_codes, second_factors
from worker.queries.operators import Operator

TRIES = 10
WRONG = "That code does not count: it is wrong, its time is over, or it was used before."
TOO_MANY = "Too many codes were tried. Wait a quarter of an hour, or ask an admin to reset your second factor."
CLOSED = "Codes of the authenticator cannot be checked now. A recovery code can."

Way = Literal["authenticator", "recovery code"]


def too_many(call: Call, conn: Connection, operator: Operator) -> bool:
    """Count a try; whether it is beyond what one operator has within a quarter of an hour."""
    return rates.count(conn, key=_key(operator), now=call.now) > TRIES


def use(call: Call, conn: Connection, operator: Operator, code: str) -> Way | None:
    """Use the code up; None when it does not count, EnvelopeError when that cannot be said now."""
    way = _used(call, conn, operator, code)
    if way:
        rates.forget(conn, key=_key(operator), now=call.now)
    return way


def _used(call: Call, conn: Connection, operator: Operator, code: str) -> Way | None:
    if len(code) > 100:
        return None
    hashed = recovery.digest(operator.id, code)
    if recovery_codes.use(conn, operator_id=operator.id, code_hash=hashed, now=call.now):
        return "recovery code"
    factor = second_factors.find(conn, operator_id=operator.id)
    if factor is None or not totp.is_code(code):
        return None
    step = totp.step_of(sealing.opened(console_of(call.request), operator, factor.secret), code, call.now)
    if step is None or not second_factors.use_step(conn, operator_id=operator.id, step=step):
        return None
    return "authenticator"


def _key(operator: Operator) -> str:
    return f"second factor of {operator.id}"
