"""What a search box says: named terms (`queue:mail error:"not found"`) and free words; and the address it leads to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import urlencode

from app.errors import BadInput

MAX_LENGTH = 500
_TERM = re.compile(r'(?:(?P<name>[a-z]{1,20}):)?(?P<value>"[^"]*"?|\S+)')

Pairs = list[tuple[str, str]]


def terms(text: str, *, names: Collection[str]) -> tuple[Pairs, list[str]]:
    """The terms with one of the names, and the other words as they stand; quotes keep words together."""
    if len(text) > MAX_LENGTH:
        raise BadInput(f"q: is longer than {MAX_LENGTH} characters.")
    named, words = [], []
    for found in _TERM.finditer(text):
        value = found["value"].strip('"').strip()
        if found["name"] in names and value:
            named.append((found["name"], value))
        elif word := found[0].strip('"').strip():
            words.append(word)
    return named, words


def address(path: str, *pairs: Iterable[tuple[str, str | None]]) -> str:
    """The path with these fields behind it; those without a value are left out."""
    query = urlencode([(name, value) for part in pairs for name, value in part if value])
    return f"{path}?{query}" if query else path
