"""What was wrong during the week before."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection, insert

from tests.system.seed.clock import NOW
from worker.queries.schema import finding_minutes, sample_minutes

NIGHTLY = (
    ("behind", 30, 25, 610),
    ("late", 400, 9, 0.14),
    ("still", 700, 4, 140),
    ("silent", 702, 2, 9),
    ("dead", 820, 40, 3),
)
"""Each night: what was wrong, from which minute, for how many, and how badly."""


def insert_all(conn: Connection) -> None:
    """Samples up to the day before."""
    first = NOW.replace(second=0) - timedelta(days=6, hours=20)
    minutes = [first + timedelta(minutes=place) for place in range(5 * 1440 + 700)]
    quiet = dict.fromkeys(("ready", "oldest_seconds", "scheduled", "running", "dead"), 0)
    conn.execute(insert(sample_minutes), [{"minute": minute} | quiet for minute in minutes])
    found = [
        {"kind": kind, "minute": minutes[night * 1440 + start + place], "value": value}
        for night in range(5)
        for kind, start, length, value in NIGHTLY
        for place in range(length)
    ]
    conn.execute(insert(finding_minutes), found)
