"""Each case has a test or a reason, and each test that names one names one that is there."""

from tests.conformance import cases
from tests.conformance.rationale import AWAITED_OF_CASES

LISTED = [*range(1, 29), *range(32, 38), *range(43, 63)]


def test_the_list_is_whole() -> None:
    assert [case.id for case in cases.read()] == [f"A-{number:02}" for number in LISTED]


def test_every_case_has_a_test_or_a_reason() -> None:
    held = cases.tests().keys() | AWAITED_OF_CASES.keys()
    assert [case.id for case in cases.read() if case.id not in held] == []


def test_every_reason_is_of_a_case() -> None:
    assert AWAITED_OF_CASES.keys() <= {case.id for case in cases.read()}
