"""A dataset's insights, one after another, so that whoever computes them can stop in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from worker.insights.cells import Field
from worker.insights.correlations import correlation_facts
from worker.insights.fields import field_facts


class Insight(NamedTuple):
    """One thing found out: about a field, or (without one) about how the fields go together."""

    kind: str
    field: str | None
    facts: dict[str, Any]


def insights_of(fields: Sequence[Field]) -> Iterator[Insight]:
    """What is found out about each field, and at the end their correlations."""
    for field in fields:
        yield Insight("field", field.name, field_facts(field))
    yield Insight("correlations", None, correlation_facts(fields))
