"""What a search box says, and the address it leads to."""

from __future__ import annotations

import pytest

from app.errors import BadInput
from app.search import Pairs, address, terms

NAMES = ("queue", "error", "type")


@pytest.mark.parametrize(
    ("text", "named", "words"),
    [
        ("", [], []),
        ("queue:mail", [("queue", "mail")], []),
        ('error:"not found" x', [("error", "not found")], ["x"]),
        ("TypeError: no:thing", [], ["TypeError:", "no:thing"]),
        ('"two words" none:', [], ["two words", "none:"]),
        ('"quue:mail"', [], ["quue:mail"]),
        ('error:"never closed', [("error", "never closed")], []),
        ("crm.example:443 type:a:b", [("type", "a:b")], ["crm.example:443"]),
    ],
)
def test_terms_with_a_known_name_are_told_from_words(text: str, named: Pairs, words: list[str]) -> None:
    assert terms(text, names=NAMES) == (named, words)


def test_the_names_of_a_family_are_known_by_how_they_begin() -> None:
    found = terms('payload.order.id:7 payload.a:"b c" payload:x', names=NAMES, prefix="payload.")
    assert found == ([("payload.order.id", "7"), ("payload.a", "b c")], ["payload:x"])


@pytest.mark.parametrize(("text", "word"), [("quue:mail", "quue: .* mean queue:"), ("x queue:", "queue: say what")])
def test_a_term_that_cannot_be_meant_is_refused_by_its_word(text: str, word: str) -> None:
    with pytest.raises(BadInput, match=word):
        terms(text, names=NAMES)


def test_more_than_a_search_box_holds_is_refused() -> None:
    with pytest.raises(BadInput, match="q: "):
        terms("x" * 501, names=NAMES)


def test_an_address_leaves_out_what_is_empty_and_escapes_what_is_not() -> None:
    assert address("/jobs", [("queue", None), ("type", "")]) == "/jobs"
    assert address("/jobs", [("error", "a&b=ü")], [("before", "x")]) == "/jobs?error=a%26b%3D%C3%BC&before=x"
