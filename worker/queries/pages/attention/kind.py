"""What a kind of trouble is: how it is found, how bad it is at worst, and from when on it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from worker.queries.pages.attention.seen import Limits, Seen

Level = Literal["urgent", "warn", "info"]
LEVELS = ("urgent", "warn", "info")


class Unit(StrEnum):
    """What the badness of a kind is measured in."""

    SECONDS = "seconds"
    NUMBER = "number"
    SHARE = "share"
    TIMES = "times"
    BEATS = "beats"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to look at; `kind` chooses the sentence, `facts` are what it tells, `things` how many it stands for."""

    kind: str
    level: Level
    facts: Any
    things: int = 1


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of trouble; `worst` knows no limit, so that any limit can be tried on what it said in the past."""

    name: str
    title: str
    unit: Unit
    limit: str | float
    find: Callable[[Seen], Iterable[Item]]
    worst: Callable[[Seen], float]
    whole: bool = False
    """Whether it is trouble of the system as a whole, and no tenant's in particular."""

    @property
    def setting(self) -> str | None:
        """The setting that is its limit; None where the limit is no matter of taste."""
        return self.limit if isinstance(self.limit, str) else None

    def limit_in(self, limits: Limits) -> float:
        """From how much on it is told."""
        return float(getattr(limits, self.limit)) if isinstance(self.limit, str) else self.limit
