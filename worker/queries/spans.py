"""Where a claim looks: ranges of queue names in rotation, cut so that none walks over what it may not take."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from worker.model import DEFAULT_QUEUE

# A name followed by this sorts after the name itself and before any other, "~" after every name.
_JUST_AFTER, _END = " ", "~"


class Mark(NamedTuple):
    """A place in a queue's line, which is ordered by age and then by id."""

    created_at: datetime
    id: UUID


FRONT = Mark(datetime.min.replace(tzinfo=UTC), UUID(int=0))


class Rule(StrEnum):
    """Whose jobs of a span are taken (see `Legacy`)."""

    ANYBODY = "anybody"
    NOT_EXCLUDED = "not excluded"
    ONLY_ADOPTED = "only adopted"


class Legacy(NamedTuple):
    """What an older release left in `default` for subscribers that have a queue of their own now (S2-89 to S2-94).

    A selective worker adopts those of its queues, and one that selects `default` leaves out those of queues it does
    not serve; of two workers with the same registrations, at most one wants a row.
    """

    adopt: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class Span(NamedTuple):
    """Queues from `first` until before `end`, from a place in the line of `first` on."""

    first: str
    end: str
    mark: Mark = FRONT
    rule: Rule = Rule.ANYBODY


def spans(
    allowed: Sequence[str] | None,
    after: str,
    *,
    paused: Collection[str] = (),
    marks: Mapping[str, Mark] | None = None,
    legacy: Legacy | None = None,
) -> list[Span]:
    """Every allowed queue once, in rotation from the one after `after`; what is paused is left out.

    Each span is one index scan that stops at its limit, and begins where the marks say that its queue's line does.
    """
    cuts: dict[str, Mark | None] = {**(marks or {}), **dict.fromkeys(paused)}
    if allowed is not None:
        rules = _rules(allowed, legacy or Legacy())
        turns = sorted(rules.keys() - set(paused), key=lambda name: (name <= after, name))
        return [Span(name, name + _JUST_AFTER, cuts.get(name) or FRONT, rules[name]) for name in turns]
    turn = after + _JUST_AFTER if after else ""
    parts = [(turn, _END), ("", turn)] if turn else [("", _END)]
    return [span for start, end in parts for span in _around(start, end, cuts)]


def _rules(allowed: Sequence[str], legacy: Legacy) -> dict[str, Rule]:
    rules = dict.fromkeys(allowed, Rule.ANYBODY)
    if legacy.exclude and DEFAULT_QUEUE in rules:
        rules[DEFAULT_QUEUE] = Rule.NOT_EXCLUDED
    if legacy.adopt and DEFAULT_QUEUE not in rules:
        rules[DEFAULT_QUEUE] = Rule.ONLY_ADOPTED
    return rules


def _around(start: str, end: str, cuts: Mapping[str, Mark | None]) -> Iterator[Span]:
    for name in sorted(cuts):
        if not start <= name < end:
            continue
        if start < name:
            yield Span(start, name)
        start = name + _JUST_AFTER
        if mark := cuts[name]:
            yield Span(name, start, mark)
    if start < end:
        yield Span(start, end)
