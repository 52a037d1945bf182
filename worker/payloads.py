"""The door for JSON: what is stored can be read back, by PostgreSQL and by Python (A-32 to A-36)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from worker.errors import InvalidInput

MAX_BYTES = 1_048_576
MAX_DEPTH = 64


def to_text(value: Any, *, field: str = "payload") -> str:
    """The JSON text of a value; InvalidInput names the path of what cannot be stored."""
    for path, problem in _problems(value, field):
        raise InvalidInput(path, problem)
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError):
        raise InvalidInput(field, "is not JSON") from None
    if len(text.encode()) > MAX_BYTES:
        raise InvalidInput(field, f"is larger than {MAX_BYTES:,} bytes")
    return text


def clean_text(value: str, *, field: str, limit: int) -> str:
    """A stripped line of text from a person or a producer; InvalidInput when the database could not keep it."""
    problem = _text_problem(value) or (f"is longer than {limit} characters" if len(value) > limit else None)
    if problem:
        raise InvalidInput(field, problem)
    return value.strip()


def _problems(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        yield path[:200], f"is nested deeper than {MAX_DEPTH} levels"
    elif isinstance(value, dict):
        for key, item in value.items():
            if problem := _text_problem(key) if isinstance(key, str) else "is not text":
                yield path, f"has a key that {problem}"
            else:
                yield from _problems(item, f"{path}.{key}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _problems(item, f"{path}[{index}]", depth + 1)
    elif problem := _leaf_problem(value):
        yield path, problem


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
