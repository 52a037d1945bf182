"""What needs a person, in the very sentences of the Overview, for whoever reads them without a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from worker.queries.pages.attention import Item, Level


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is the matter and why, how urgent it is, for how many things it stands, and the page that leads on."""

    kind: str
    level: Level
    things: int
    what: str
    why: str
    page: str


def told(templates: Environment, items: Iterable[Item], *, now: datetime) -> list[Sentence]:
    """A sentence for each."""
    return [_Reader(templates).read(item, now) for item in items]


class _Reader:
    """Stands where the page's macros stand: listens to the one that draws a sentence, and passes on the others."""

    def __init__(self, templates: Environment) -> None:
        self._templates = templates
        self._ui: Any = templates.globals["ui"]
        self._said: tuple[str, str, str] = ("", "", "")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ui, name)

    def attention(self, *said: str) -> str:
        """Keep what the page would show."""
        _, what, why, href, _ = said
        self._said = (_text(what), _text(why), href)
        return ""

    def read(self, item: Item, now: datetime) -> Sentence:
        """The sentence of one item, as somebody reads it who may only look."""
        context: dict[str, Any] = {"item": item, "facts": item.facts, "now": now, "may_act": False, "ui": self}
        words = self._templates.get_template("queues/words.html")
        context["words"] = words.make_module({"ui": self._ui})
        self._templates.get_template(f"overview/attention/{item.kind}.html").render(context)
        return Sentence(item.kind, item.level, item.things, *self._said)


def _text(said: str) -> str:
    return said.striptags() if isinstance(said, Markup) else said


def lines(sentences: Iterable[Sentence]) -> Iterator[tuple[str, str]]:
    """How urgent, and the whole sentence."""
    for each in sentences:
        yield each.level, f"{each.what}: {each.why}" if each.why else each.what
