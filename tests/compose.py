"""`compose.yaml` as data; an engine to run it is not needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "compose.yaml"


@cache
def document() -> dict[str, Any]:
    """The file, its anchors resolved."""
    loaded: dict[str, Any] = yaml.safe_load(FILE.read_text())
    return loaded


def services() -> dict[str, dict[str, Any]]:
    """Every service by name."""
    found: dict[str, dict[str, Any]] = document()["services"]
    return found


def waits(name: str) -> dict[str, str]:
    """What the service waits for, and until it is how."""
    return {other: each["condition"] for other, each in services()[name].get("depends_on", {}).items()}
