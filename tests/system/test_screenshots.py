"""The comparison itself: it lets soft edges pass, and nothing that an eye would see."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.system import screenshots


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of its own."""
    monkeypatch.setattr(screenshots, "APPROVED", tmp_path / "approved")
    monkeypatch.setattr(screenshots, "OUTPUT", tmp_path / "output")


def picture(*, button: int = 10, ink: int = 40, height: int = 100) -> bytes:
    """A page with a button at that place, in that ink."""
    image = Image.new("RGB", (200, height), (248, 247, 244))
    ImageDraw.Draw(image).rectangle((button, 20, button + 40, 40), fill=(ink, ink, ink))
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def test_what_was_never_approved_fails_and_is_kept_to_be_looked_at() -> None:
    assert "never approved" in str(screenshots.difference("page", picture()))
    assert (screenshots.OUTPUT / "page.png").exists()


def test_the_same_picture_passes_and_so_does_a_shade() -> None:
    screenshots.approve("page", picture())
    assert screenshots.difference("page", picture()) is None
    assert screenshots.difference("page", picture(ink=60)) is None


@pytest.mark.parametrize("change", [{"button": 12}, {"ink": 80}, {"height": 101}])
def test_what_an_eye_would_see_fails_with_a_picture_of_it(change: dict[str, int]) -> None:
    screenshots.approve("page", picture())
    assert screenshots.difference("page", picture(**change))
    assert (screenshots.OUTPUT / "page.png").exists()
    assert (screenshots.OUTPUT / "page.difference.png").exists() == ("height" not in change)
    assert screenshots.difference("page", picture()) is None
    assert list(screenshots.OUTPUT.iterdir()) == []


def test_approving_again_leaves_the_file_alone_where_nothing_changed() -> None:
    screenshots.approve("page", picture())
    before = (screenshots.APPROVED / "page.png").stat().st_mtime_ns
    screenshots.approve("page", picture(ink=50))
    assert (screenshots.APPROVED / "page.png").stat().st_mtime_ns == before
    screenshots.approve("page", picture(button=60))
    assert screenshots.difference("page", picture(button=60)) is None
