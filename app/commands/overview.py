"""What needs a person, from a shell, in the words of the page."""

from __future__ import annotations

import click

from app import sentences
from app.commands import lens
from app.commands.desk import Desk, at_desk
from app.commands.output import counted, facts, table
from app.templating import environment
from worker.queries.pages import attention
from worker.queries.pages.attention import Seen
from worker.queries.pages.figures import Figures


@click.command("overview")
@lens.tenant_option
@at_desk
def command(desk: Desk, *, tenant: str | None) -> None:
    """Tell what needs a person now, the most urgent first, and how everything is doing."""
    with desk.engine.connect() as conn:
        seen = lens.sample(conn, tenant)
        items = attention.read(Seen(conn, seen, desk.settings.limits))
    told = sentences.told(environment(str), items, now=seen.at)
    people = attention.people(items)
    known = _figures(seen)
    lines = [_title(people), *([table(("HOW", "WHAT"), sentences.lines(told))] if told else []), "", facts(known)]
    desk.answer({"people": people, "attention": told, "figures": known}, "\n".join(lines))


def _title(people: int) -> str:
    if not people:
        return "nothing needs a person"
    return f"{counted(people, 'thing needs', 'things need')} a person"


def _figures(seen: Figures) -> dict[str, object]:
    return {
        "ready": seen.ready,
        "running": seen.running,
        "dead": seen.dead,
        "arrived": round(seen.arrived, 1),
        "finished": round(seen.finished, 1),
        "workers": len(seen.live),
        "paused": sorted(seen.paused),
    }
