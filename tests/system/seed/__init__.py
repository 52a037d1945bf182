"""What the approved screenshots show: a busy morning, and a console on which nothing has happened yet."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.system.seed import acts, dead, history, outbox, people, proofs, staff, statistics, tenants, troubles, work


def busy(conn: Connection) -> None:
    """Half past nine: a release broke the invoices, the mail falls behind, a worker is silent, a queue is paused."""
    people.insert_all(conn)
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
