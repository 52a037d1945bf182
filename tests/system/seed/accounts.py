"""Accounts of every kind: dana is an admin here, one never came, one is no longer let in, one has a long name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, update

from app import sessions
from tests import factories
from tests.system.seed import people, staff
from tests.system.seed.clock import NOW, ago, identity
from worker.model import Status
from worker.queries import links
from worker.queries import sessions as stored
from worker.queries.schema import operators, second_factors

INVITATION = "the-token-of-robins-invitation"
LEE, ROBIN = identity("operator", 1, ago(days=90)), identity("operator", 5, ago(days=1))
LONG = "Wilhelmina Featherstonehaugh-Cholmondeley of the night shift in Christchurch"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
SEALED = {"schema": "watchfloor.email.v1", "ciphertext": "c2VhbGVk"}
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"


def insert_all(conn: Connection) -> None:
    """Those of the busy morning, and three more; two of them are signed in twice."""
    people.insert_all(conn)
    staff.insert_idle(conn)
    for name in ("dana", "lee", "max"):
        known: dict[str, Any] = {"email": f"{name}@shop.example", "password": "known"}
        conn.execute(update(operators).where(operators.c.name == name).values(**known))
    conn.execute(update(operators).where(operators.c.name == "dana").values(role="admin"))
    conn.execute(update(operators).where(operators.c.name == "max").values(disabled_at=ago(days=3)))
    factories.operator(conn, LONG, "viewer", id=identity("operator", 4, ago(days=40)), last_seen_at=ago(days=33))
    waiting = {"email": "robin.of-the-second-site@shop.example", "invited_at": ago(hours=20)}
    factories.operator(conn, "robin", "operator", id=ROBIN, created_at=ago(days=1), **waiting)
    conn.execute(
        insert(second_factors), {"operator_id": LEE, "secret": "-", "last_step": 0, "created_at": ago(days=30)}
    )
    _browser(conn, "lee's desk", LEE, "10.4.7.30", FIREFOX, ago(minutes=8))
    _browser(conn, "lee's phone", LEE, "198.51.100.17", SAFARI, ago(minutes=50))
    _browser(conn, "dana's phone", identity("operator", 0, ago(days=90)), "198.51.100.20", SAFARI, ago(minutes=31))
    hashed = sessions.digest(INVITATION)
    links.issue(conn, operator_id=ROBIN, token_hash=hashed, purpose="invitation", lifetime_seconds=3600, now=NOW)
    key = f"email:invitation:{hashed[: links.KEY_LENGTH]}"
    ended: dict[str, Any] = {"status": Status.CANCELLED, "created_at": ago(hours=20), "finished_at": ago(hours=19)}
    mail: dict[str, Any] = {"job_type": "send_email", "queue": "mail", "payload": SEALED, "idempotency_key": key}
    factories.job(conn, id=identity("mail", 0, ago(hours=20)), **mail, **ended)


def _browser(conn: Connection, token: str, of: Any, address: str, agent: str, at: datetime) -> None:
    who: dict[str, Any] = {"operator_id": of, "token_hash": sessions.digest(token)}
    lasting: dict[str, Any] = {"idle_seconds": 86_400, "length_seconds": 86_400}
    stored.open_session(conn, **who, address=address, user_agent=agent, **lasting, now=at)
