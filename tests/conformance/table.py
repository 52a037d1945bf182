"""The table of promises: which test holds which row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tests.conformance import cases, facts
from tests.conformance.rationale import AWAITED, RATIONALE

HERE = Path(__file__).parent
README = HERE / "README.md"
_NAME = re.compile(r"test_(s[12])_(\d+)_")

_HEAD = """# What the queue promises, and the test that holds it

Written by `python -m tests.conformance`. One row per promise, one test function per row; a row without a test says why:
*rationale* is a reason rather than a behaviour and stands in the file named; *awaited* is not built yet, nor claimed.
At the end stand the cases: what went wrong in other queues, and the tests that hold that it does not here.
"""


class Held(NamedTuple):
    """A test function and the file it is in."""

    row: str
    function: str
    file: str


def held() -> Iterator[Held]:
    """Every conformance test, by the row that its name begins with."""
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and (match := _NAME.match(node.name)):
                yield Held(f"{match[1].upper()}-{int(match[2]):02}", node.name, path.name)


def markdown() -> str:
    """The table as the README has it."""
    by_row: dict[str, list[Held]] = {}
    for each in held():
        by_row.setdefault(each.row, []).append(each)
    lines = [_HEAD]
    for part, rows in groupby(facts.read().values(), key=lambda fact: fact.part):
        lines.append(f"## {part}\n")
        for section, some in groupby(rows, key=lambda fact: fact.section):
            lines += [f"### {section}\n", "| row | promise | test |", "|---|---|---|"]
            lines += [f"| {fact.id} | {fact.promise} | {_evidence(fact.id, by_row)} |" for fact in some]
            lines.append("")
    lines.append(cases.markdown())
    return "\n".join(lines)


def _evidence(row: str, by_row: dict[str, list[Held]]) -> str:
    parts = [f"[{_words(each)}]({each.file})" for each in by_row.get(row, [])]
    if why := RATIONALE.get(row):
        parts.append(f"*rationale*, in `{why.file}`: {why.reason}")
    if missing := AWAITED.get(row):
        parts.append(f"*awaited*: {missing}")
    return "; ".join(parts)


def _words(each: Held) -> str:
    return _NAME.sub("", each.function).replace("_", " ")
