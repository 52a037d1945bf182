"""What is looked for from a shell, as on the page: how bad each trouble is, and how often its limit was reached."""

from __future__ import annotations

from typing import Any

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import table
from worker.queries.pages import figures
from worker.queries.pages.attention import Seen
from worker.queries.pages.attention.rehearsal import Line, rehearse


@click.command("findings")
@at_desk
def command(desk: Desk) -> None:
    """Show each kind of trouble: how bad it is now, from when on it is told, and how often that was in seven days."""
    with desk.engine.connect() as conn:
        found = rehearse(Seen(conn, figures.sample(conn), desk.settings.limits), {})
    rows = [
        (each.kind.name, "told" if each.told else "", round(each.worst, 2), each.limit, each.kind.unit, each.fired)
        for each in found.lines
    ]
    desk.answer(
        {"watched_seconds": found.watched.total_seconds(), "findings": [_document(each) for each in found.lines]},
        table(("FINDING", "NOW", "WORST", "LIMIT", "UNIT", "FIRED"), rows),
    )


def _document(line: Line) -> dict[str, Any]:
    kind = line.kind
    known = {"finding": kind.name, "title": kind.title, "unit": kind.unit, "setting": kind.setting}
    return known | {"worst": line.worst, "limit": line.limit, "told": line.told, "fired": line.fired}
