"""The trace context as it is stored: what W3C calls one, and nothing else."""

import pytest

from tests.telling import ASKED, SPAN, TRACE
from worker.tracing.context import parts, trace_id, valid

BROKEN = {
    "nothing": "",
    "cut": ASKED[:-1],
    "longer": f"{ASKED}-more",
    "no trace": f"00-{'0' * 32}-{SPAN}-01",
    "no span": f"00-{TRACE}-{'0' * 16}-01",
    "a version that is none": f"ff{ASKED[2:]}",
    "capitals": ASKED.upper(),
    "a second line": f"{ASKED}\n",
    "no text": 7,
}


def test_a_trace_context_is_kept_as_it_is() -> None:
    assert valid(ASKED) == ASKED
    assert parts(ASKED) == (TRACE, SPAN, "01")
    assert trace_id(ASKED) == TRACE


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_anything_else_counts_as_none(broken: object) -> None:
    assert valid(broken) is None


def test_where_there_is_none_there_is_no_trace() -> None:
    assert trace_id(None) is None
