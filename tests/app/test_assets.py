"""The static files: one address per version, kept for ever."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.assets import Assets
from worker.resources import folder

MEDIA = ("text/css", "text/javascript", "image/svg+xml", "font/woff2")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small folder of static files."""
    for name, text in {
        "css/order.txt": "b.css\nparts/a.css\n",
        "css/b.css": "b{}",
        "css/parts/a.css": "a{}",
        "css/stray.css": "stray{}",
        "js/x.js": "x()",
        "package.json": "{}",
        "build.py": "",
        ".npmrc": "",
        "vendor/LICENSE": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_stylesheets_are_joined_in_their_order(tree: Path) -> None:
    assets = Assets(tree)
    found = assets.find(assets.version, "app.css")
    assert found
    assert found.content == b"b{}\na{}"


def test_what_only_its_writers_read_of_a_stylesheet_is_not_sent(tree: Path) -> None:
    (tree / "css/reset.css").write_text("/* why:\n   so */\na {\n  color: red; /* loud */\n}\n\nb { margin: 0 }\n")
    (tree / "css/order.txt").write_text("reset.css\n")
    assets = Assets(tree)
    found = assets.find(assets.version, "app.css")
    assert found
    assert found.content == b"\na {\ncolor: red;\n}\nb { margin: 0 }\n"


def test_every_stylesheet_has_its_place_in_the_order() -> None:
    listed = (folder("static") / "css/order.txt").read_text().split()
    present = [
        path.relative_to(folder("static") / "css").as_posix() for path in (folder("static") / "css").rglob("*.css")
    ]
    assert sorted(listed) == sorted(present)


@pytest.mark.parametrize("name", ["css/b.css", "css/order.txt", "package.json", "build.py", ".npmrc", "vendor/LICENSE"])
def test_what_only_the_build_needs_is_not_served(tree: Path, name: str) -> None:
    assets = Assets(tree)
    assert assets.find(assets.version, name) is None


@pytest.mark.parametrize("name", ["css/b.css", "js/x.js"])
def test_the_address_changes_with_any_file(tree: Path, name: str) -> None:
    before = Assets(tree).address("js/x.js")
    (tree / name).write_text("changed")
    assert Assets(tree).address("js/x.js") != before


def test_an_address_for_a_file_that_is_not_there_is_an_error(tree: Path) -> None:
    with pytest.raises(KeyError):
        Assets(tree).address("js/y.js")


def test_every_file_that_a_page_names_is_served_to_be_kept(client: TestClient) -> None:
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get("/sign-in").text)
    assert len(addresses) > 5
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"].split(";")[0] in MEDIA


def test_text_comes_packed_to_whoever_can_read_that(client: TestClient) -> None:
    stylesheet = re.search(r'href="(/static/[^"]+/app.css)"', client.get("/sign-in").text)
    assert stylesheet
    packed, plain = (client.get(stylesheet[1], headers={"Accept-Encoding": way}) for way in ("gzip", "identity"))
    assert (packed.headers["content-encoding"], "content-encoding" in plain.headers) == ("gzip", False)
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3


def test_the_fonts_that_the_stylesheet_names_are_served_beside_it(client: TestClient) -> None:
    stylesheet = re.search(r'href="(/static/[^"]+/)app.css"', client.get("/sign-in").text)
    assert stylesheet
    fonts = re.findall(r'url\("([^"]+)"\)', client.get(stylesheet[1] + "app.css").text)
    assert fonts
    for font in fonts:
        assert client.get(stylesheet[1] + font).headers["content-type"] == "font/woff2"


@pytest.mark.parametrize(
    "name", ["../pyproject.toml", "..%2fpyproject.toml", "%2e%2e/build.py", "x" * 5000, "", "app.css/"]
)
def test_no_other_file_can_be_reached(client: TestClient, name: str) -> None:
    version = client.get("/sign-in").text.partition("/static/")[2].partition("/")[0]
    assert client.get(f"/static/{version}/{name}").status_code == 404
    assert client.get("/static/older/app.css").status_code == 404
