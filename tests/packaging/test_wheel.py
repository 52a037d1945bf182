"""What a stranger installs: a wheel built from the sdist in an environment of its own, which needs no Node after."""

import json
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from static.build import BUILD_ONLY, BUNDLED

ROOT = Path(__file__).resolve().parents[2]
ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from worker import resources
print(json.dumps({name: str(resources.folder(name)) for name in sys.argv[2:]}))
"""

pytestmark = pytest.mark.registries


def python(*arguments: str | Path, cwd: Path, **environment: str) -> str:
    """The output of this interpreter with these arguments."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=environment or None, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dist = tmp_path_factory.mktemp("dist")
    python("-m", "hatchling", "build", "--target", "sdist", "--directory", dist, cwd=ROOT)
    python("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", dist, next(dist.glob("*.tar.gz")), cwd=dist)
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    site, no_programs = tmp_path_factory.mktemp("site"), str(tmp_path_factory.mktemp("empty"))
    python("-m", "pip", "install", "--no-index", "--no-deps", "--target", site, wheel, cwd=site, PATH=no_programs)
    return site


@pytest.mark.parametrize(
    ("folder", "kinds"), [("templates", "*.html"), ("static", "*.css"), ("static", "*.js"), ("migrations", "*.py")]
)
def test_it_carries_what_lies_beside_the_packages(wheel: Path, folder: str, kinds: str) -> None:
    ours = {file.relative_to(ROOT) for file in (ROOT / folder).rglob(kinds) if file.name not in BUILD_ONLY}
    assert ours
    assert {f"watchfloor/{file.as_posix()}" for file in ours} <= set(ZipFile(wheel).namelist())


def test_it_carries_the_browser_files_that_the_lock_names(wheel: Path) -> None:
    plan: dict[str, list[str]] = json.loads((ROOT / "static/vendor.json").read_text())
    served = {
        f"watchfloor/{folder}/{Path(source).name}"
        for folder, sources in plan.items()
        if folder.startswith("static/")
        for source in sources
    }
    assert served <= set(ZipFile(wheel).namelist())


def test_it_carries_nothing_that_only_builds_or_tests_need(wheel: Path) -> None:
    names = [Path(name) for name in ZipFile(wheel).namelist()]
    assert not [name for name in names if name.name in BUILD_ONLY or name.name.startswith(".")]
    assert {name.parts[0] for name in names} == {"app", "worker", "watchfloor", "watchfloor-0.1.0.dist-info"}


def test_once_installed_without_node_the_folders_are_found_from_anywhere(site: Path, tmp_path: Path) -> None:
    answer = json.loads(python("-I", "-c", ASK, site, *BUNDLED, cwd=tmp_path))
    assert answer == {name: str(site / "watchfloor" / name) for name in BUNDLED}
    assert (site / "watchfloor/static/vendor/htmx/htmx.min.js").is_file()


def test_once_installed_there_is_a_watchfloor_command(site: Path) -> None:
    assert (site / "bin/watchfloor").is_file()
