"""What is looked for, as programs read it."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.findings import FindingKind, FindingsWanted, Rehearsal
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries.pages.attention import KINDS, Seen
from worker.queries.pages.attention.rehearsal import Line, rehearse


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List every kind of trouble with its limit, and how often it would have been told; another can be tried."""
    seen = Seen(conn, call.figures, call.settings.limits)
    found = rehearse(seen, _tried(call.wanted(FindingsWanted)))
    lines = [_kind(line) for line in found.lines]
    return Document(Rehearsal(kinds=lines, watched_seconds=found.watched.total_seconds()))


def _tried(asked: FindingsWanted) -> dict[str, float]:
    if asked.kind is None or asked.limit is None:
        return {}
    if asked.kind not in {kind.name for kind in KINDS if kind.setting}:
        raise InvalidInput("kind", "is no kind of trouble whose limit can be set")
    return {asked.kind: asked.limit}


def _kind(line: Line) -> FindingKind:
    of_kind = {name: getattr(line.kind, name) for name in ("name", "title", "unit", "setting")}
    of_line = {name: getattr(line, name) for name in ("limit", "worst", "told", "fired", "tried", "would")}
    return FindingKind(**of_kind, **of_line)
