"""A payload to be edited: what is closed stands as a mark, and is put back where the mark was left."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from app.payload_parts import Part, pieces
from worker.errors import InvalidInput
from worker.redaction import Redaction

MARKS = ("[redacted]", "[sealed, ")


def text_of(parts: Iterable[Part]) -> str:
    """The payload as text to edit."""
    return "".join(f'"[{text}]"' if closed else text for text, closed in pieces(parts))


def parsed(text: str) -> Any:
    """What the text says; InvalidInput where a handler would be given something else."""
    try:
        return json.loads(text, parse_float=_exact, parse_constant=_refused, object_pairs_hook=_object)
    except InvalidInput:
        raise
    except json.JSONDecodeError as problem:
        raise InvalidInput(
            "payload", f"is not JSON: {problem.msg} in line {problem.lineno}, column {problem.colno}"
        ) from None
    except (ValueError, RecursionError):
        raise InvalidInput("payload", "holds a number or a nesting that no worker can read") from None


def completed(edited: Any, stored: str, closed: Redaction) -> Any:
    """The edited payload, with what is closed to the eye as the original has it."""
    try:
        text = json.dumps(edited)
        return restored(edited, json.loads(stored), closed) if any(mark in text for mark in MARKS) else edited
    except RecursionError:
        raise InvalidInput("payload", "holds a nesting that no worker can read") from None


def restored(edited: Any, original: Any, closed: Redaction, path: tuple[str, ...] = ()) -> Any:
    """The edited payload with the original's own values where a mark of what is closed was left standing."""
    if isinstance(edited, str) and edited.startswith(MARKS) and (closed.covers(path) or path[-1:] == ("ciphertext",)):
        if original is None:
            raise InvalidInput(
                "payload", f"has {edited} at {'.'.join(path)}, where nothing was: say what belongs there"
            )
        return original
    if isinstance(edited, dict):
        known = original if isinstance(original, dict) else {}
        return {name: restored(value, known.get(name), closed, (*path, name)) for name, value in edited.items()}
    if isinstance(edited, list):
        found = original if isinstance(original, list) and len(original) == len(edited) else [None] * len(edited)
        each = zip(edited, found, strict=True)
        return [restored(value, there, closed, (*path, str(place))) for place, (value, there) in enumerate(each)]
    return edited


def _exact(text: str) -> float:
    number = float(text)
    if Decimal(repr(number)) != Decimal(text):
        raise InvalidInput("payload", f"has the number {text[:40]}, which would be kept as {number!r}")
    return number


def _refused(word: str) -> Any:
    raise InvalidInput("payload", f"has {word}, which is no number of JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput("payload", f"has the key {twice[:60]!r} twice")
    return found
