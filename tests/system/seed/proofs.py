"""How people prove who they are on the calm console: dana with an authenticator, too, and ten codes on paper."""

from __future__ import annotations

import base64
from datetime import timedelta

from sqlalchemy import Connection, insert, select, update

from app.passwords import Passwords
from tests.post import KEY
from tests.system.seed.clock import NOW
from worker.envelope.fernet import LocalEnvelope
from worker.queries import recovery_codes
from worker.queries.schema import operators, second_factors

PASSWORD = "a few words in a row"
SECRET = b"12345678901234567890"
TYPED = base64.b32encode(SECRET).decode()


def insert_all(conn: Connection) -> None:
    """As if she had set them up last month."""
    dana = conn.execute(select(operators.c.id).where(operators.c.name == "dana")).scalar_one()
    hashed = Passwords(memory_kib=64, iterations=1, lanes=1).hash(PASSWORD)
    conn.execute(update(operators).values(password=hashed))
    sealed = LocalEnvelope([KEY]).seal(SECRET, bound_to=f"second factor of {dana}")
    row = {"operator_id": dana, "secret": sealed, "last_step": 0, "created_at": NOW - timedelta(days=30)}
    conn.execute(insert(second_factors), row)
    recovery_codes.replace(conn, operator_id=dana, hashes=[f"of paper {number}" for number in range(10)])
