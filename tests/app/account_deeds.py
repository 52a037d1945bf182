"""What an admin does about accounts, in three ways."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.app.deeds import Deed, Make, Subject
from worker.queries import second_factors
from worker.queries.audit import SYSTEM


def account(**columns: Any) -> Make:
    """Somebody who may come in."""
    return lambda conn, name: Subject(str(factories.operator(conn, name, **columns)), name)


def with_a_second_factor(conn: Connection, name: str) -> Subject:
    """Somebody who signs in with a code, too."""
    made = account()(conn, name)
    second_factors.add(conn, operator_id=made.uuid, secret="sealed", step=1, keep_session="", actor=SYSTEM)
    return made


def nobody(conn: Connection, name: str) -> Subject:
    """A name that nobody has."""
    return Subject(name, name)


def of_account(noun: str) -> str:
    """Where page and API have it."""
    return f"/operators/{{id}}/{noun}"


VIEWER, EMAIL = {"role": "viewer"}, {"email": "{name}@example.org"}
INVITED = account(invited_at=factories.NOON)

ACCOUNTS = {
    "invite": Deed(
        nobody,
        "/operators",
        {"name": "{name}", "email": "", **VIEWER},
        {"name": "{name}", **VIEWER},
        "operators invite {name} --role viewer",
    ),
    "invite-again": Deed(INVITED, of_account("invitations"), {}, None, "operators invite-again {name}"),
    "new-password": Deed(account(), of_account("password-resets"), {}, None, "operators reset-password {name}"),
    "role": Deed(account(), of_account("role"), VIEWER, VIEWER, "operators role {name} viewer"),
    "address": Deed(account(), of_account("address"), EMAIL, EMAIL, "operators address {name} {name}@example.org"),
    "sign-out": Deed(account(), of_account("sign-out"), {}, None, "operators sign-out {name}"),
    "disable": Deed(account(), of_account("disable"), {}, None, "operators disable {name} --yes"),
    "enable": Deed(account(disabled_at=factories.NOON), of_account("enable"), {}, None, "operators enable {name}"),
    "second-factor": Deed(
        with_a_second_factor, of_account("second-factor-resets"), {}, None, "operators reset-second-factor {name} --yes"
    ),
}
