"""What the queue promises, row by row: S1, the platform's job queue; S2, durable jobs of events."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = {"s1.txt": "S1: the platform's job queue", "s2.txt": "S2: durable jobs of events"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One row: its id, the promise in short, and the part and section that it belongs to."""

    id: str
    promise: str
    part: str
    section: str


def read() -> dict[str, Fact]:
    """Every row by its id, in order."""
    facts: dict[str, Fact] = {}
    for name, part in SOURCES.items():
        section = ""
        for line in (HERE / name).read_text().splitlines():
            key, words = line.split(" ", 1)
            if key == "#":
                section = words
            else:
                assert key not in facts, f"{key} is there twice"
                facts[key] = Fact(key, words, part, section)
    return facts
