"""The table of promises is whole: each row has a test or a reason, and each test a row."""

from pathlib import Path

from tests.conformance import facts
from tests.conformance.rationale import AWAITED, RATIONALE
from tests.conformance.table import README, held, markdown

ROOT = Path(__file__).resolve().parents[2]


def test_every_row_has_a_test_or_a_reason_and_every_test_a_row() -> None:
    known = set(facts.read())
    tested = {each.row for each in held()}
    assert (tested | RATIONALE.keys() | AWAITED.keys()) - known == set()
    assert sorted(known - tested - RATIONALE.keys() - AWAITED.keys()) == []


def test_a_row_with_a_test_is_no_mere_reason() -> None:
    assert {each.row for each in held()} & RATIONALE.keys() == set()


def test_every_reason_stands_where_it_says() -> None:
    missing = [row for row, why in RATIONALE.items() if _flat(why.sentence) not in _flat((ROOT / why.file).read_text())]
    assert missing == []


def test_the_table_is_current() -> None:
    assert README.read_text() == markdown(), "run `python -m tests.conformance`"


def _flat(text: str) -> str:
    return " ".join(text.split())
