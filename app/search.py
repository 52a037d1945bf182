"""What a search box says: named terms (`queue:mail error:"not found"`) and free words; and the address it leads to."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from urllib.parse import urlencode

from app.errors import BadInput
from worker.queries.pages import filters

MAX_LENGTH = 500
TERMS = frozenset({*filters.NAMES, *filters.ALIASES, "id"}) - {"sort"}
"""The names that a term about jobs may have, beside the paths of payloads."""
_TERM = re.compile(r'(?:(?P<name>[a-z]{1,20}(?:\.[^\s:"]{1,500})?):)?(?P<value>"[^"]*"?|\S*)')
_ALIKE = 0.75
"""How like a name a word has to be, to be a slip of the pen."""

Pairs = list[tuple[str, str]]


def terms(text: str, *, names: Collection[str], prefix: str = "") -> tuple[Pairs, list[str]]:
    """The terms with one of the names, or one that begins with `prefix`, and the other words as they stand.

    Quotes keep words together; BadInput repeats a term whose name is a slip of the pen, or that has no value.
    """
    if len(text) > MAX_LENGTH:
        raise BadInput(f"q: is longer than {MAX_LENGTH} characters.")
    named, words = [], []
    for found in _TERM.finditer(text):
        name, value = found["name"], found["value"].strip('"').strip()
        if name and (name in names or (prefix and name.startswith(prefix))):
            named.append((name, _given(name, value)))
        elif word := found[0].strip('"').strip():
            _refuse_slip(name, names)
            words.append(word)
    return named, words


def _given(name: str, value: str) -> str:
    if value:
        return value
    raise BadInput(f"{name}: say what to look for, as in {name}:something.")


def _refuse_slip(name: str | None, names: Collection[str]) -> None:
    if name and (alike := difflib.get_close_matches(name, sorted(names), n=1, cutoff=_ALIKE)):
        raise BadInput(f"{name}: is nothing that jobs are searched by. Did you mean {alike[0]}:?")


def address(path: str, *pairs: Iterable[tuple[str, str | None]]) -> str:
    """The path with these fields behind it; those without a value are left out."""
    query = urlencode([(name, value) for part in pairs for name, value in part if value])
    return f"{path}?{query}" if query else path
