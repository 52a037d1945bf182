"""What is looked for from a shell, as on the page: how bad each trouble is, and how often its limit was reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import table
from worker.queries.pages import figures
from worker.queries.pages.attention import KINDS, Seen
from worker.queries.pages.attention.rehearsal import Line, rehearse

TRIABLE = [kind.name for kind in KINDS if kind.setting]
LIMIT = click.FloatRange(min=0, min_open=True)


@click.command("findings")
@click.option(
    "--try", "tried", type=(click.Choice(TRIABLE), LIMIT), multiple=True, metavar="FINDING LIMIT", help="Another limit."
)
@at_desk
def command(desk: Desk, *, tried: Sequence[tuple[str, float]]) -> None:
    """Show each kind of trouble: how bad it is now, from when on it is told, and how often that was in seven days."""
    with desk.engine.connect() as conn:
        found = rehearse(Seen(conn, figures.sample(conn), desk.settings.limits), dict(tried))
    rows = [
        (
            each.kind.name,
            "told" if each.told else "",
            round(each.worst, 2),
            each.limit,
            each.kind.unit,
            each.fired,
            each.would,
        )
        for each in found.lines
    ]
    desk.answer(
        {"watched_seconds": found.watched.total_seconds(), "findings": [_document(each) for each in found.lines]},
        table(("FINDING", "NOW", "WORST", "LIMIT", "UNIT", "FIRED", "WOULD"), rows),
    )


def _document(line: Line) -> dict[str, Any]:
    kind = line.kind
    known = {"finding": kind.name, "title": kind.title, "unit": kind.unit, "setting": kind.setting}
    told = {"worst": line.worst, "limit": line.limit, "told": line.told, "fired": line.fired}
    return known | told | {"tried": line.tried, "would": line.would}
