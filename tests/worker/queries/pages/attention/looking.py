"""What these tests ask of a database that they filled: what needs a person at noon, and how bad it is."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from tests.factories import NOON
from worker.queries.pages import attention, figures
from worker.queries.pages.attention import Item, Limits, Seen


def seen(conn: Connection, **limits: float) -> Seen:
    return Seen(conn, figures.sample(conn, now=NOON), Limits(**limits))


def items(conn: Connection, **limits: float) -> list[Item]:
    return attention.read(seen(conn, **limits))


def kinds(conn: Connection, **limits: float) -> list[tuple[str, str]]:
    return [(item.kind, item.level) for item in items(conn, **limits)]


def worst(conn: Connection, kind: str) -> float:
    return attention.measure(seen(conn))[kind]


def ago(**amount: float) -> datetime:
    return NOON - timedelta(**amount)
