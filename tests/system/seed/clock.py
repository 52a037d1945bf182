"""The time at which the scene stands, and ids that are the same in every run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

NOW = datetime(2026, 11, 29, 9, 31, 46, tzinfo=UTC)


def ago(**parts: float) -> datetime:
    """So long before now: `ago(minutes=6, seconds=12)`."""
    return NOW - timedelta(**parts)


def at(clock: str) -> datetime:
    """Today at a time of day: `at("09:14:07")`."""
    hour, minute, second = (int(part) for part in clock.split(":"))
    return NOW.replace(hour=hour, minute=minute, second=second)


def identity(kind: str, number: int = 0, created_at: datetime = NOW) -> UUID:
    """The id of the nth thing of a kind: a UUIDv7 of its time."""
    noise = Random(f"{kind} {number}").getrandbits(74)
    value = int(created_at.timestamp() * 1000) << 80 | 0x7 << 76 | (noise >> 62) << 64 | 0b10 << 62
    return UUID(int=value | noise & ((1 << 62) - 1))
