"""Jobs as a file: rows as they are read, a batch in memory at a time, in a form that no spreadsheet runs (A-77)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from worker.database import Engine, Row, read_only
from worker.queries.pages import jobs
from worker.queries.pages.filters import Filters

Write = Callable[[Sequence[Row]], str]

COLUMNS = (*(column.name for column in jobs.EXPORTED), "tenant")
_RUN = frozenset("=+-@＝＋－＠'")


def batches(engine: Engine, wanted: Filters, *, tenant_id: UUID | None, now: datetime, write: Write) -> Iterator[str]:
    """All jobs of the list in its order; between two batches neither a transaction nor a connection is held."""
    before: str | None = None
    while True:
        with read_only(engine).begin() as conn:
            page = jobs.batch(conn, wanted, tenant_id=tenant_id, before=before, now=now)
        if page.rows:
            yield write(page.rows)
        if page.older is None:
            return
        before = page.older


def csv_head() -> str:
    """The names of the columns, as the first line."""
    return _csv([COLUMNS])


def csv_lines(rows: Sequence[Row]) -> str:
    """Quoted cells (RFC 4180)."""
    return _csv([cell(row._mapping[name]) for name in COLUMNS] for row in rows)


def json_lines(rows: Sequence[Row]) -> str:
    """An object a line, its members named as the columns."""
    found = ({name: row._mapping[name] for name in COLUMNS} for row in rows)
    return "".join(f"{json.dumps(each, ensure_ascii=False, default=_plain)}\n" for each in found)


def cell(value: Any) -> str:
    """The text of a cell; what a spreadsheet would run has a ' before it, and so has what begins with one."""
    text = "" if value is None else str(_plain(value))
    return f"'{text}" if text.lstrip()[:1] in _RUN and text.strip() else text


def _csv(lines: Any) -> str:
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows(lines)
    return file.getvalue()


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value if isinstance(value, str | int) else str(value)
