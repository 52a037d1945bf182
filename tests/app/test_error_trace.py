"""A stored error as it is read: the frame to look at first is the last that is no library's."""

from __future__ import annotations

import json

import pytest

from app import error_trace
from worker.failures import describe

DETAIL = """app/billing/invoice.py:12 in render
    return load(name)
app/billing/templates.py:7 in load
    return client.get(url)
site-packages/httpx/_client.py:1054 in get
    return self.request("GET", url)
python3.11/ssl.py:9 in wrap
ConnectTimeout: did not answer"""


def test_the_last_frame_of_the_handlers_own_code_is_the_useful_one() -> None:
    pieces = error_trace.of(DETAIL)
    assert [piece.kind for piece in pieces] == ["own", "useful", "library", "library", "said"]
    assert pieces[1].text == "app/billing/templates.py:7 in load\n    return client.get(url)"
    assert "\n".join(piece.text for piece in pieces) == DETAIL


def test_an_error_without_a_trace_says_what_it_says() -> None:
    assert [(piece.kind, piece.text) for piece in error_trace.of("Boom: no\n")] == [("said", "Boom: no")]


def test_a_trace_that_was_cut_loses_nothing_more() -> None:
    pieces = error_trace.of("    half a line\na.py:3 in f\nBoom")
    assert [piece.kind for piece in pieces] == ["library", "useful", "said"]


def test_what_a_library_raises_is_told_from_the_code_that_called_it() -> None:
    def handler() -> None:
        json.loads("{")

    with pytest.raises(ValueError, match="Expecting") as raised:
        handler()
    pieces = error_trace.of(describe(raised.value, handler_key="x").detail)
    useful = next(piece for piece in pieces if piece.kind == "useful")
    assert 'json.loads("{")' in useful.text
    assert any(piece.kind == "library" and "json/decoder.py" in piece.text for piece in pieces)
