"""The album shows every approved picture, and no other."""

from __future__ import annotations

import pytest

from tests.system import album
from tests.system.screenshots import APPROVED


def test_the_album_names_every_page_and_step(request: pytest.FixtureRequest) -> None:
    """Written anew with `--approve`."""
    if request.config.getoption("--approve", default=False):
        album.PAGE.write_text(album.text())
    assert album.PAGE.read_text() == album.text()


def test_no_picture_is_missing_and_none_is_left_over() -> None:
    assert {path.name for path in APPROVED.glob("*.png")} == album.files()


def test_no_two_have_one_name() -> None:
    assert sorted(set(album.names())) == sorted(album.names())


def test_each_has_a_sentence() -> None:
    assert [
        sentence for sentences in album.said().values() for sentence in sentences.values() if sentence[-1] != "."
    ] == []
