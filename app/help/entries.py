"""What the help page is made of: sections of entries, each with an address of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from worker.queries.operators import Role


@dataclass(frozen=True, slots=True)
class Entry:
    """One word of the console and what it means; `look` is the state that it is drawn as."""

    name: str
    says: str
    look: str | None = None
    may: Role | None = None
    presses: tuple[str, ...] = ()
    """The addresses that its buttons post to."""
    keys: tuple[str, ...] = ()
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Entries of one kind, by the name that the console has for each; `prefix` begins their addresses."""

    prefix: str
    title: str
    says: str
    entries: dict[str, Entry]

    @property
    def anchors(self) -> dict[str, Entry]:
        """Each entry by its address on the page."""
        return {anchor(self.prefix, key): entry for key, entry in self.entries.items()}


def anchor(prefix: str, key: str) -> str:
    """Where an entry stands: `state-dead`."""
    return f"{prefix}-" + re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")
