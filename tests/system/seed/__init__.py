"""What the approved pictures show: a busy morning, a console on which nothing has happened yet, and more."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, Engine

from tests.system.seed import (
    accounts,
    acts,
    datasets,
    dead,
    history,
    outbox,
    people,
    proofs,
    provisioning,
    staff,
    statistics,
    tenants,
    troubled,
    troubles,
    work,
)


def busy(conn: Connection) -> None:
    """Half past nine: a release broke the invoices, the mail falls behind, a worker is silent, a queue is paused."""
    people.insert_all(conn)
    people.sign_in(conn, "max")
    tenants.insert_all(conn)
    staff.insert_all(conn)
    work.insert_all(conn)
    dead.insert_all(conn)
    outbox.insert_all(conn)
    statistics.insert_all(conn)
    history.insert_all(conn)
    troubles.insert_all(conn)
    people.act(conn)
    acts.insert_all(conn)


def calm(conn: Connection) -> None:
    """A new console: an operator with a second factor, one idle worker, no job yet."""
    people.insert_all(conn)
    proofs.insert_all(conn)
    staff.insert_idle(conn)


FILLS: dict[str, Callable[[Connection], None]] = {
    "busy": busy,
    "calm": calm,
    "troubled": troubled.insert_all,
    "accounts": accounts.insert_all,
    "provisioning": provisioning.insert_all,
}
"""What is on each scene."""


def fill(engine: Engine, scene: str) -> None:
    """Let it be so; what one tenant has in its own place is there beside."""
    with engine.begin() as conn:
        FILLS[scene](conn)
    if scene == "provisioning":
        datasets.furnish(engine)
