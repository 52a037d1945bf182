"""The cases of trouble that other queues had, and which tests hold that this one does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tests.conformance.rationale import AWAITED_OF_CASES

HERE = Path(__file__).parent
TESTS = HERE.parent
_NAMED = re.compile(r"(?<=_)a_(\d\d)(?:_to_(?:a_)?(\d\d))?(?=_)")
_IDS = re.compile(r"^test_(?:(?:s[12]_\d+|a_\d\d|\d+)_(?:(?:and|to)_)?)+")


class Case(NamedTuple):
    """What must happen, in short."""

    id: str
    promise: str
    section: str


class Test(NamedTuple):
    """A test function, and its file as a link from here."""

    function: str
    link: str


def read() -> Iterator[Case]:
    """Every case, in order."""
    section = ""
    for line in (HERE / "cases.txt").read_text().splitlines():
        key, words = line.split(" ", 1)
        if key == "#":
            section = words
        else:
            yield Case(key, words, section)


def tests() -> dict[str, list[Test]]:
    """The tests that name a case, by its id; `a_32_to_a_36` names five."""
    found: dict[str, list[Test]] = {}
    for path in sorted(TESTS.glob("**/test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for key in _ids(node.name):
                    found.setdefault(key, []).append(Test(node.name, _link(path)))
    return found


def markdown() -> str:
    """The table as the README has it."""
    by_case = tests()
    lines = ["## A: what went wrong elsewhere\n"]
    for section, some in groupby(read(), key=lambda case: case.section):
        lines += [f"### {section}\n", "| case | promise | tests |", "|---|---|---|"]
        lines += [f"| {case.id} | {case.promise} | {_evidence(case.id, by_case)} |" for case in some]
        lines.append("")
    return "\n".join(lines)


def _ids(function: str) -> Iterator[str]:
    for first, last in _NAMED.findall(function):
        yield from (f"A-{number:02}" for number in range(int(first), int(last or first) + 1))


def _link(path: Path) -> str:
    return path.name if path.parent == HERE else f"../{path.relative_to(TESTS)}"


def _evidence(case: str, by_case: dict[str, list[Test]]) -> str:
    parts = [f"[{_words(each.function)}]({each.link})" for each in by_case.get(case, [])]
    if missing := AWAITED_OF_CASES.get(case):
        parts.append(f"*awaited*: {missing}")
    return "; ".join(parts)


def _words(function: str) -> str:
    return _IDS.sub("", function).replace("_", " ")
