"""What may be committed: our own work only, and no word of where packages come from."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOREIGN_NAMES = re.compile(r"(^|/)(vendor|node_modules)/|\.(min\.\w+|map|woff2?|ttf|otf|whl|gz|zip|jar|exe|so)$")
NOTICES = re.compile(r"copyright (\(c\)|\d{4})|@(licen[cs]e|preserve)\b", re.IGNORECASE)
REGISTRIES = re.compile(
    r"(pypi|pythonhosted|npmjs|yarnpkg|jsdelivr|unpkg|cdnjs\.cloudflare|debian|docker|quay)\.(org|com|net|io)\b"
)


@pytest.fixture(scope="module")
def committed() -> list[str]:
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def texts(names: list[str]) -> dict[str, str]:
    """The contents of the files that are text."""
    return {name: (ROOT / name).read_text(errors="replace") for name in names}


def test_no_committed_file_is_third_party(committed: list[str]) -> None:
    assert [name for name in committed if FOREIGN_NAMES.search(name)] == []
    assert [name for name, text in texts(committed).items() if NOTICES.search(text)] == ["LICENSE"]


def test_no_committed_file_names_a_registry_host(committed: list[str]) -> None:
    found = {name: match[0] for name, text in texts(committed).items() if (match := REGISTRIES.search(text))}
    assert found == {}


@pytest.mark.usefixtures("committed")
def test_the_vendor_folders_are_ignored() -> None:
    built = ["static/vendor/htmx/htmx.min.js", "tests/vendor/axe-core/axe.min.js"]
    answer = subprocess.run(["git", "check-ignore", *built], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    assert answer.stdout.split() == built


def test_ci_runs_the_command_that_the_readme_gives() -> None:
    command = (ROOT / ".ci/run").read_text().splitlines()[-1]
    assert command.endswith("-m tests")
    assert command in (ROOT / "README.md").read_text()
