"""An axis of elapsed time on which long stretches without work are folded to a narrow strip."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

LONG = 5
"""A stretch without work is folded when it is so many times the longest work."""

_WIDE = 1 / 6  # of what is drawn to scale: room for the length of what is folded
_TICKS, _CROWD = 8, 10
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30)
_MINUTES = (1, 2, 5, 10, 15, 30)
_HOURS = (1, 2, 3, 6, 12)
_NICE = (*_STEPS, *(60 * each for each in _MINUTES), *(3600 * each for each in _HOURS))
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Fold:
    """A stretch that is drawn narrower than it is, in seconds since the start."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the axis: its place, its time since the start, and since the fold before it if there is one."""

    at: float
    seconds: float
    since_fold: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """So many seconds from the start; places on it are seconds too, but where it is folded."""

    length: float
    folds: tuple[Fold, ...] = ()
    _width: float = field(init=False)

    def __post_init__(self) -> None:
        to_scale = self.length - sum(fold.seconds for fold in self.folds)
        object.__setattr__(self, "_width", max(to_scale, 0.001) * _WIDE)

    @property
    def span(self) -> float:
        """The place of its end."""
        return self.at(self.length)

    def at(self, seconds: float) -> float:
        """The place of a time; within a fold, in proportion."""
        place = seconds
        for fold in self.folds:
            inside = min(max(seconds - fold.start, 0), fold.seconds)
            place -= inside - inside / fold.seconds * self._width
        return place

    def scale(self) -> list[tuple[float, float]]:
        """Places with their times, from one end to the other; between them both grow evenly."""
        times = [0.0, *(edge for fold in self.folds for edge in (fold.start, fold.end)), self.length]
        return [(self.at(seconds), seconds) for seconds in times]

    def ticks(self) -> list[Tick]:
        """Even steps on each piece between the folds, each piece counted from its own start; none that crowd."""
        return list(self._apart(self._even()))

    def _apart(self, ticks: Iterable[Tick]) -> Iterator[Tick]:
        room, last = self.span / _CROWD, -math.inf
        for tick in ticks:
            if tick.at - last >= room:
                last = tick.at
                yield tick

    def _even(self) -> Iterator[Tick]:
        step = _step((self.length - sum(fold.seconds for fold in self.folds)) / _TICKS)
        starts = [0.0, *(fold.end for fold in self.folds)]
        ends = [*(fold.start for fold in self.folds), self.length]
        for start, end in zip(starts, ends, strict=True):
            yield from self._piece(start, end, step)

    def _piece(self, start: float, end: float, step: float) -> Iterator[Tick]:
        for number in range(int((end - start) / step + 1e-9) + 1):
            since = number * step
            yield Tick(self.at(start + since), start + since, since if start and number else None)


def folded(busy: Iterable[tuple[float, float]], length: float, *, longest: float) -> Axis:
    """The axis with every stretch folded that lies between the busy ones and is LONG times the longest work."""
    return Axis(length, tuple(Fold(*gap) for gap in _idle(sorted(busy), length) if gap[1] - gap[0] > LONG * longest))


def _idle(busy: Sequence[tuple[float, float]], length: float) -> Iterator[tuple[float, float]]:
    reached = 0.0
    for start, end in busy:
        if start > reached:
            yield reached, start
        reached = max(reached, end)
    if length > reached:
        yield reached, length


def _step(least: float) -> float:
    """The least even step that is no smaller; whole days beyond the last."""
    return next((each for each in _NICE if each >= least), -(-least // _DAY) * _DAY)
