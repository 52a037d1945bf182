"""The build hook: npm runs when it must, and never otherwise."""

import shutil
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from static.build import FONT_TOOLS, NODE_WHEEL, CustomBuildHook, vendor
from worker import resources

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("static/vendor", "tests/vendor")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose browser files are there already."""
    for folder in ("static", "tests/vendor"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


@pytest.fixture
def _no_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.mark.usefixtures("_no_npm")
def test_a_checkout_in_line_with_its_lock_needs_no_npm(checkout: Path) -> None:
    vendor(checkout, *FOLDERS)


@pytest.mark.usefixtures("_no_npm")
@pytest.mark.parametrize(
    "changed", [pytest.param("package-lock.json", id="lock"), pytest.param("vendor.json", id="plan")]
)
def test_a_changed_lock_or_plan_is_not_answered_with_the_old_files(checkout: Path, changed: str) -> None:
    file = checkout / "static" / changed
    file.write_text(file.read_text().replace("axe", "ax"))
    with pytest.raises(CalledProcessError):
        vendor(checkout, *FOLDERS)


@pytest.mark.usefixtures("_no_npm")
def test_a_build_that_was_cut_short_starts_anew(checkout: Path) -> None:
    (checkout / "tests/vendor/.stamp").unlink()
    with pytest.raises(CalledProcessError):
        vendor(checkout, *FOLDERS)


@pytest.mark.usefixtures("_no_npm")
def test_node_comes_as_a_wheel_where_there_is_no_npm() -> None:
    assert hook().dependencies() == [*FONT_TOOLS, NODE_WHEEL]


def test_node_does_not_come_as_a_wheel_where_there_is_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "npm").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert hook().dependencies() == FONT_TOOLS


def hook() -> CustomBuildHook:
    """The hook as the build backend makes it, as far as these tests look."""
    return CustomBuildHook(str(ROOT), {}, None, None, "", "wheel")  # type: ignore[arg-type] # no metadata is read


@pytest.mark.parametrize("name", ["migrations", "static", "templates"])
def test_in_a_checkout_the_folders_lie_beside_the_packages(name: resources.Folder) -> None:
    assert resources.folder(name) == ROOT / name
    assert resources.folder(name).is_dir()
