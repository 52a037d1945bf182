"""JSON lines: one object a line, its keys the columns; a line need not have all of them."""

from __future__ import annotations

import json
from typing import Any

from app.ingest.places import refused
from app.ingest.table import Table


class _Repeated(Exception):
    pass


def read_json_lines(text: str) -> Table:
    """The table; InvalidInput names the line, and where it can the column, of what cannot be taken."""
    table = Table("jsonl")
    known: set[str] = set()
    # Not splitlines(): a text in JSON may hold other line ends than this one as they are
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        record = _record(written, line)
        for name in record:
            if name not in known:
                table.add_column(name, line=line, place=len(known) + 1)
                known.add(name)
        table.add_row(record, line=line)
    return table


def _record(written: str, line: int) -> dict[str, Any]:
    try:
        record = json.loads(written, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise refused(f"is not JSON at character {error.colno}: {error.msg}", line=line) from None
    except _Repeated as error:
        raise refused("is in the object twice", line=line, column=str(error)) from None
    except (ValueError, RecursionError):
        raise refused("has a number too long, or is nested too deep, to be read", line=line) from None
    if not isinstance(record, dict):
        raise refused("is not a JSON object", line=line)
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name, value in pairs:
        if name in record:
            raise _Repeated(name)
        record[name] = value
    return record
