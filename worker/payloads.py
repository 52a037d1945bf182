"""The door for JSON: what is stored can be read back, by PostgreSQL and by Python (A-32 to A-36)."""

from __future__ import annotations

import json
import math
from typing import Any

from worker.errors import InvalidInput

MAX_BYTES = 1_048_576
MAX_DEPTH = 64

_BEYOND = math.inf
_WORD = 1 << 63
"""A whole number up to this, and any float, takes at most as many bytes as `_NUMBER`."""
_NUMBER = 24

dumps = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
"""The JSON text of a value that passed `check`."""


def check(value: Any, *, field: str = "payload") -> float:
    """An upper bound of the bytes of the value's JSON text; InvalidInput names the path of what cannot be stored."""
    bound = _bound_of_pairs(value, 0) if type(value) is dict else _bound(value)
    return bound if bound <= MAX_BYTES else _measured(value, field)


def to_text(value: Any, *, field: str = "payload") -> str:
    """The JSON text of a value; InvalidInput names the path of what cannot be stored."""
    check(value, field=field)
    return dumps(value)


def clean_text(value: object, *, field: str, limit: int) -> str:
    """A stripped line of text from a person or a producer; InvalidInput when the database could not keep it."""
    if not isinstance(value, str):
        raise InvalidInput(field, "is not text")
    problem = _text_problem(value) or (f"is longer than {limit} characters" if len(value) > limit else None)
    if problem:
        raise InvalidInput(field, problem)
    return value.strip()


def _bound(value: Any, depth: int = 0) -> float:
    """At most so many bytes, when nothing in the value is odd; what is odd, or may be, is beyond every limit."""
    kind = type(value)
    if kind is str:
        return 6 * len(value) + 2 if value.isascii() and "\0" not in value else _BEYOND
    if kind is int or kind is bool:
        return _NUMBER if -_WORD < value < _WORD else _BEYOND
    if kind is float:
        return _NUMBER if math.isfinite(value) else _BEYOND
    if kind is dict and depth < MAX_DEPTH:
        return _bound_of_pairs(value, depth)
    if kind is list and depth < MAX_DEPTH:
        return sum([_bound(item, depth + 1) + 1 for item in value], 2.0)
    return _NUMBER if value is None else _BEYOND


def _bound_of_pairs(value: dict[Any, Any], depth: int) -> float:
    """The one loop that every payload goes through, so texts and numbers are looked at in place."""
    bound = 2.0
    for key, item in value.items():
        if type(key) is not str or not key.isascii() or "\0" in key:
            return _BEYOND
        kind = type(item)
        if kind is str:
            if not item.isascii() or "\0" in item:
                return _BEYOND
            bound += 6 * (len(key) + len(item)) + 6
        elif kind is int and -_WORD < item < _WORD:
            bound += 6 * len(key) + _NUMBER + 4
        else:
            bound += 6 * len(key) + _bound(item, depth + 1) + 4
    return bound


def _measured(value: Any, field: str) -> int:
    """The bytes of the text itself, each part looked at."""
    if found := _problem(value, field):
        raise InvalidInput(*found)
    try:
        text = dumps(value)
    except (TypeError, ValueError):
        raise InvalidInput(field, "is not JSON") from None
    if (size := len(text.encode())) > MAX_BYTES:
        raise InvalidInput(field, f"is larger than {MAX_BYTES:,} bytes")
    return size


def _problem(value: Any, path: str, depth: int = 0) -> tuple[str, str] | None:
    """Where the first thing is that cannot be stored, and what is wrong with it."""
    if depth > MAX_DEPTH:
        return path[:200], f"is nested deeper than {MAX_DEPTH} levels"
    if isinstance(value, dict):
        for key in value:
            if problem := _text_problem(key) if isinstance(key, str) else "is not text":
                return path, f"has a key that {problem}"
        inside = ((f"{path}.{key}", item) for key, item in value.items())
    elif isinstance(value, list | tuple):
        inside = ((f"{path}[{index}]", item) for index, item in enumerate(value))
    else:
        problem = _leaf_problem(value)
        return (path, problem) if problem else None
    return next((found for name, item in inside if (found := _problem(item, name, depth + 1))), None)


def _leaf_problem(value: Any) -> str | None:
    if isinstance(value, str):
        return _text_problem(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    return None


def _text_problem(value: str) -> str | None:
    if "\0" in value:
        return "contains a NUL character"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "contains a lone surrogate"
    return None
