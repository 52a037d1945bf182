"""A dataset's insights, one after another; whoever computes them can stop in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from worker.insights.cells import Field
from worker.insights.correlations import correlation_facts
from worker.insights.fields import field_facts


class Insight(NamedTuple):
    """One thing found out: about a field, or (without one) about how the fields go together."""

    kind: str
    field: str | None
    facts: dict[str, Any]


def _go_on() -> None:
    """Nobody wants it to stop."""


def insights_of(fields: Sequence[Field], *, between: Callable[[], object] = _go_on) -> Iterator[Insight]:
    """What is found out about each field, and at the end their correlations.

    Between two fields, and between two pairs of them, it calls `between`, which may raise.
    """
    for field in fields:
        yield Insight("field", field.name, field_facts(field))
        between()
    yield Insight("correlations", None, correlation_facts(fields, between=between))
