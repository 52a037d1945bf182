"""What a browser calls itself, in words that its owner knows it by."""

from __future__ import annotations

# The first that is named counts: most name those that they descend from, too
_FAMILIES = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"), ("AppleWebKit/", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
    ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip
_LONGEST = 60


def browser_name(agent: str | None) -> str:
    """`Firefox on Linux`, or the beginning of what it says where that is none of the usual ones."""
    known = agent or ""
    family = next((name for mark, name in _FAMILIES if mark in known), None)
    system = next((name for mark, name in _SYSTEMS if mark in known), None)
    if family is None:
        return known[:_LONGEST] or "Not said"
    return f"{family} on {system}" if system else family
