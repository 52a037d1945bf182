"""The list of jobs as a file, every job that matches, streamed as it is read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from starlette.responses import Response, StreamingResponse

from app import export, job_list
from app.console import console_of
from app.web import Call
from worker.database import Connection


def csv(call: Call, conn: Connection) -> Response:
    """For a spreadsheet."""
    return _file(
        call, "csv", "text/csv; charset=utf-8; header=present", _read(call, conn, export.csv_lines, export.csv_head())
    )


def json_lines(call: Call, conn: Connection) -> Response:
    """For a program."""
    return _file(call, "jsonl", "application/jsonl", _read(call, conn, export.json_lines))


def _read(call: Call, conn: Connection, write: export.Write, head: str = "") -> Iterable[str]:
    """The file in pieces; what the address asks for is checked before the first."""
    wanted = job_list.wanted(call)
    tenant_id = job_list.tenant(call, conn, wanted)
    if wanted.tenant and tenant_id is None:
        return [head]
    asked = job_list.narrowed(call, wanted)
    engine = console_of(call.request).engine
    return chain([head], export.batches(engine, asked, tenant_id=tenant_id, now=call.now, write=write))


def _file(call: Call, ending: str, media_type: str, pieces: Iterable[str]) -> Response:
    whose = f"{call.lens.slug}-" if call.lens else ""
    name = f"jobs-{whose}{call.now:%Y%m%dT%H%M%SZ}.{ending}"
    return StreamingResponse(
        pieces, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
