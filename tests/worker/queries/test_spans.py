"""Spans: where a claim looks, and in what order."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.model import new_id
from worker.queries.spans import FRONT, Legacy, Mark, Rule, Span, spans

MARK = Mark(datetime(2026, 11, 29, tzinfo=UTC), new_id())
NAMES = st.sampled_from(["a", "a.b", "ab", "b", "c-1", "c.1", "default", "z9"])


def places(name: str, found: list[Span]) -> list[int]:
    """Which of the spans have this queue."""
    return [place for place, span in enumerate(found) if span.first <= name < span.end]


def test_every_queue_is_one_span_until_there_is_a_turn() -> None:
    assert spans(None, "") == [Span("", "~")]


def test_s2_34_to_36_the_queue_after_the_last_one_goes_first() -> None:
    assert spans(None, "b") == [Span("b ", "~"), Span("", "b ")]
    assert [span.first for span in spans(["c", "a", "b"], "a")] == ["b", "c", "a"]


@given(queue=NAMES, after=st.just("") | NAMES, paused=st.sets(NAMES), marked=st.sets(NAMES))
def test_each_open_queue_is_in_one_span_and_a_paused_one_in_none(
    queue: str, after: str, paused: set[str], marked: set[str]
) -> None:
    found = spans(None, after, paused=paused, marks=dict.fromkeys(marked, MARK))
    assert len(places(queue, found)) == (queue not in paused)
    if queue not in paused:
        assert found[places(queue, found)[0]].mark == (MARK if queue in marked else FRONT)


@given(one=NAMES, other=NAMES, after=NAMES, marked=st.sets(NAMES))
def test_however_the_names_are_cut_they_stay_in_rotation(one: str, other: str, after: str, marked: set[str]) -> None:
    found = spans(None, after, marks=dict.fromkeys(marked, MARK))
    first, second = sorted((one, other), key=lambda name: (name <= after, name))
    assert places(first, found) <= places(second, found)


@given(allowed=st.lists(NAMES, min_size=1, unique=True), after=NAMES, paused=st.sets(NAMES))
def test_s2_30_an_allowlist_is_looked_through_and_nothing_else(
    allowed: list[str], after: str, paused: set[str]
) -> None:
    found = spans(allowed, after, paused=paused)
    assert [span.first for span in found] == sorted(set(allowed) - paused, key=lambda name: (name <= after, name))
    assert all(span.end == f"{span.first} " for span in found)


@pytest.mark.parametrize(
    ("allowed", "rule"), [(["default"], Rule.NOT_EXCLUDED), (["crm"], Rule.ONLY_ADOPTED), (None, Rule.ANYBODY)]
)
def test_the_rules_of_default_are_its_own(allowed: list[str] | None, rule: Rule) -> None:
    found = spans(allowed, "", legacy=Legacy(adopt=("crm.sync",), exclude=("mail.thanks",)))
    assert [span.rule for span in found if span.first <= "default" < span.end] == [rule]
