"""What people made of groups."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert

from tests.factories import NOON
from worker.queries.schema import dead_letter_groups


def note(conn: Connection, fingerprint: str, **columns: Any) -> None:
    row = {"fingerprint": fingerprint, "updated_at": NOON, "updated_by": "dana"}
    conn.execute(insert(dead_letter_groups), row | columns)
