"""The two locks: exact, hashed, free of addresses, and in step with what they lock."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
_OPTIONAL = (each for extra in PROJECT["optional-dependencies"].values() for each in extra)
DECLARED = list(dict.fromkeys((*PROJECT["dependencies"], *_OPTIONAL)))
LOCK = (ROOT / "requirements.lock").read_text()
PINS = re.findall(r"^([\w.-]+)(?:\[\w+\])?==([\w.]+)", LOCK, flags=re.MULTILINE)
LOCKED = dict(PINS)


@pytest.mark.parametrize("declared", DECLARED)
def test_each_declared_dependency_is_locked_within_its_range(declared: str) -> None:
    requirement = Requirement(declared)
    assert requirement.specifier.contains(LOCKED[requirement.name])


def test_each_locked_requirement_has_a_hash_and_none_an_address() -> None:
    blocks = re.split(r"^(?=\S+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(PINS)  # a package may be pinned twice, for Pythons of different ages
    assert [block for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in LOCK


def test_the_lock_says_how_it_was_made() -> None:
    assert "uv pip compile pyproject.toml" in LOCK.splitlines()[1]


def test_each_browser_package_is_pinned_and_hashed_and_none_has_an_address() -> None:
    lock = json.loads((ROOT / "static/package-lock.json").read_text())
    wanted = json.loads((ROOT / "static/package.json").read_text())
    packages = {path.removeprefix("node_modules/"): each for path, each in lock["packages"].items() if path}
    assert {name: each["version"] for name, each in packages.items()} == (
        wanted["dependencies"] | wanted["devDependencies"]
    )
    assert all(each["integrity"].startswith("sha512-") for each in packages.values())
    assert not any("resolved" in each for each in packages.values())
