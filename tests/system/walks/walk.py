"""What a walk is: what somebody does step by step, each with a picture of what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

from tests.system.scenes import Scene


@dataclass(frozen=True)
class Step:
    """What is done, and in a sentence what is to be seen then."""

    name: str
    says: str
    go: Callable[[Page, Scene], None]


@dataclass(frozen=True)
class Walk:
    """Steps from a page on, on a copy of a scene that is theirs."""

    title: str
    path: str
    steps: tuple[Step, ...]
    scene: str = "busy"
    complains: str = "nothing"
    settings: dict[str, Any] = field(default_factory=dict)
