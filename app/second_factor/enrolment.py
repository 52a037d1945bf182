"""Setting a second factor up: a secret is shown, and kept once a code proves that an authenticator has it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from uuid import UUID

from app import sessions
from app.console import console_of
from app.second_factor import recovery, sealing, totp
from app.second_factor.qr import Picture, drawn
from app.web import Call
from worker.database import Connection
from worker.errors import NotOpened
from worker.queries import recovery_codes, second_factors
from worker.queries.operators import Operator

STALE = "This page is out of date. Here is a new code to scan."
WRONG = "That is not the code of the moment. Check that the phone's clock is right, and type the next one."


@dataclass(frozen=True, slots=True)
class Offer:
    """A secret as the page has it: to scan, to type, and sealed for the way back."""

    picture: Picture
    typed: str
    sealed: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What came of a code: the recovery codes, shown this once, or the problem; neither when there is one already."""

    codes: list[str]
    problem: str | None = None
    again: Offer | None = None


def offer(call: Call, operator: Operator, occasion: str, secret: bytes | None = None) -> Offer:
    """A secret to set up, a new one unless one is being tried again; only a page of this occasion can confirm it."""
    secret = secret or totp.new_secret()
    letters = base64.b32encode(secret).decode()
    return Offer(
        drawn(totp.address(secret, operator.name, call.settings.environment)),
        " ".join(letters[start : start + 4] for start in range(0, len(letters), 4)),
        sealing.lent(console_of(call.request), occasion, secret),
    )


def brought(call: Call, occasion: str) -> bytes | None:
    """The secret that the form brings back; None when it comes from another occasion."""
    try:
        return sealing.returned(console_of(call.request), occasion, str(call.form.get("sealed", "")))
    except NotOpened:
        return None


def confirm(call: Call, conn: Connection, operator: Operator, occasion: str) -> Confirmed:
    """Keep the secret that the form brings back, if its code shows that the authenticator has it."""
    console, secret = console_of(call.request), brought(call, occasion)
    if secret is None:
        return Confirmed([], STALE, offer(call, operator, occasion))
    step = totp.step_of(secret, str(call.form.get("code", "")), call.now)
    if step is None:
        return Confirmed([], WRONG, offer(call, operator, occasion, secret))
    added = second_factors.add(
        conn,
        operator_id=operator.id,
        secret=sealing.kept(console, operator, secret),
        step=step,
        keep_session=occasion,
        actor=sessions.actor(call.request, operator),
        now=call.now,
    )
    if not added:
        return Confirmed([])
    return Confirmed(new_codes(conn, operator.id))


def new_codes(conn: Connection, operator_id: UUID) -> list[str]:
    """Recovery codes to keep; those of before count no more."""
    codes = recovery.new_codes()
    hashes = [recovery.digest(operator_id, code) for code in codes]
    recovery_codes.replace(conn, operator_id=operator_id, hashes=hashes)
    return codes
