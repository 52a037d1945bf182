"""Charts as the page draws them: a slot of time is one unit wide, a pane a hundred high, whatever their size there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Literal

from worker.queries.pages.courses import Slot
from worker.queries.pages.flow import Minute

Value = float | None

HEIGHT = 100
_LEAST = 1.5  # what is not nothing can be seen
_GAP = 0.12  # on either side of a bar
_COUNTS = (2, 4, 6, 10)
_SECONDS = (0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 1, 2, 4, 10, 20, 30)
_MINUTES = (60, 120, 240, 360, 600, 1200, 1800)
_HOURS = (3600, 7200, 14_400, 28_800, 43_200, 86_400)
_APART = 0.2  # of the width: room for the name of a release


@dataclass(frozen=True, slots=True)
class Shape:
    """Bars, a line or the area under one; the tone says what it stands for."""

    kind: Literal["bars", "line", "area"]
    tone: str
    path: str


@dataclass(frozen=True, slots=True)
class Pane:
    """Shapes on one scale, from nothing to `top`; a hanging one has nothing at its upper edge."""

    top: float
    shapes: tuple[Shape, ...]
    hanging: bool = False


@dataclass(frozen=True, slots=True)
class Marker:
    """A release: the slot it began in, its place from 0 to 1, and whether there is room to write its name."""

    slot: int
    place: float
    name: str
    named: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """Panes one above the other over the same slots."""

    slots: int
    panes: tuple[Pane, ...]
    markers: tuple[Marker, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether there is nothing to be seen."""
        return not any(shape.path for pane in self.panes for shape in pane.shapes)

    def began(self, slot: int) -> list[str]:
        """The releases that began in a slot."""
        return [marker.name for marker in self.markers if marker.slot == slot]


def throughput(slots: Sequence[Slot | Minute], markers: Sequence[Marker] = ()) -> Chart:
    """What completed stands on the line, what failed hangs under it on a scale of its own."""
    completed, failed = [each.completed for each in slots], [each.failed for each in slots]
    panes = [Pane(top := count_top(completed), (Shape("bars", "ok", bars(completed, top)),))]
    if any(failed):
        hung = Shape("bars", "dead", bars(failed, low := count_top(failed), hanging=True))
        panes.append(Pane(low, (hung,), hanging=True))
    return Chart(len(slots), tuple(panes), tuple(markers))


def times(median: Sequence[Value], tail: Sequence[Value], tone: str, markers: Sequence[Marker] = ()) -> Chart:
    """Two lines over one area: how long half of them took at most, and how long all but a few."""
    top = seconds_top([*median, *tail])
    shapes = (
        Shape("area", tone, area(tail, top)),
        Shape("line", f"{tone}-tail", line(tail, top)),
        Shape("line", tone, line(median, top)),
    )
    return Chart(len(tail), (Pane(top, shapes),), tuple(markers))


def depth(numbers: Sequence[Value], tone: str, markers: Sequence[Marker] = ()) -> Chart:
    """How many there were, as an area; a gap where nobody counted."""
    top = count_top(numbers)
    return Chart(
        len(numbers),
        (Pane(top, (Shape("area", tone, area(numbers, top)), Shape("line", tone, line(numbers, top)))),),
        tuple(markers),
    )


def bars(values: Sequence[Value], top: float, *, hanging: bool = False) -> str:
    """A bar in each slot that has a value, up from the lower edge or down from the upper one."""
    edge, way = (0, 1) if hanging else (HEIGHT, -1)
    left, wide = (f"{each:g}" for each in (_GAP, 1 - 2 * _GAP))
    tall = ((slot, way * max(HEIGHT * value / top, _LEAST)) for slot, value in enumerate(values) if value)
    return "".join(f"M{slot}{left[1:]} {edge}v{length:.1f}h{wide}V{edge}Z" for slot, length in tall)


def line(values: Sequence[Value], top: float) -> str:
    """Level over each slot, with steps between them and gaps where nothing is known."""
    return "".join(f"M{_steps(first, run, top)}" for first, run in _runs(values))


def area(values: Sequence[Value], top: float) -> str:
    """What lies under that line."""
    return "".join(f"M{first} {HEIGHT}L{_steps(first, run, top)}V{HEIGHT}Z" for first, run in _runs(values))


def count_top(values: Iterable[Value]) -> int:
    """The least even top of an axis that no number of things exceeds."""
    most, power = max(_known(values), default=0), 1
    while most > _COUNTS[-1] * power:
        power *= 10
    return int(next(step * power for step in _COUNTS if step * power >= most))


def seconds_top(values: Iterable[Value]) -> float:
    """The same for times: a length that is written in few words, and so is its half."""
    most = max(_known(values), default=0)
    top = next((each for each in (*_SECONDS, *_MINUTES, *_HOURS) if each >= most), None)
    return top or count_top([most / _HOURS[-1]]) * _HOURS[-1]


def marked(starts: Sequence[datetime], releases: Iterable[tuple[datetime, str]]) -> list[Marker]:
    """The releases that began in the slots, the newest with their names first, then those that have room."""
    found: list[Marker] = []
    last_named, width = 2.0, starts[1] - starts[0]
    for at, name in sorted(releases, reverse=True):
        slots = (at - starts[0]) / width
        if slots < 0:
            continue
        slot, place = min(int(slots), len(starts) - 1), min(slots / len(starts), 1)
        named = last_named - place >= _APART
        last_named = place if named else last_named
        found.append(Marker(slot, place, name, named))
    return found


def _known(values: Iterable[Value]) -> Iterator[float]:
    return (value for value in values if value is not None)


def _runs(values: Sequence[Value]) -> Iterator[tuple[int, list[float]]]:
    """Stretches of slots with a value, each with the slot it begins at."""
    run: list[float] = []
    for slot, value in enumerate(chain(values, [None])):
        if value is not None:
            run.append(value)
        elif run:
            yield slot - len(run), run
            run = []


def _steps(first: int, values: Sequence[float], top: float) -> str:
    heights = [f"{HEIGHT - HEIGHT * value / top:.1f}" for value in values]
    others = (f"V{height}H{first + place}" for place, height in enumerate(heights[1:], start=2))
    return f"{first} {heights[0]}H{first + 1}{''.join(others)}"
