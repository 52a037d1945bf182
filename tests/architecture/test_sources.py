"""The sources build no SQL out of values, and make no code out of what is stored."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for folder in ("worker", "app", "migrations") for path in (ROOT / folder).rglob("*.py"))
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|TRUNCATE|GRANT|SET|PRAGMA)\s")
REVIEWED = {
    "worker/database/migration.py": "a timeout that is a constant of the module",
    "worker/database/roles.py": "roles, tables and rights as the code has them, and a verifier as the driver makes it",
    "worker/database/sets.py": "names of columns, as a statement's code has them",
    "worker/database/sqlite.py": "pragmas that are constants of the module",
    "worker/database/tenancy.py": "roles, a timeout and tables as the code has them, and a schema's name, quoted",
    "worker/queries/schema/privileges.py": "names of columns, constants of the module",
    "worker/queries/schema/views.py": "two halves of one view, both constants of the module",
}
"""Where SQL is put together from parts, and from which."""

UNPICKLERS = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "jsonpickle", "yaml", "code"}
EVALUATORS = {"eval", "exec", "compile", "__import__"}
IMPORTERS = {"import_module", "resolve_name", "locate", "load_source", "run_path", "run_module"}
IMPORT_BY_NAME = {
    "app/cli.py": "a command's module, out of a constant table",
    "app/oidc/opening.py": "one of ours by its constant name, as only there is the extra needed",
    "app/tracing/__init__.py": "two of ours by their constant names, as only there is OpenTelemetry needed",
    "worker/envelope/__init__.py": "one of ours by its constant name, as only there is the SDK needed",
    "worker/handlers/__init__.py": "the modules that WATCHFLOOR_HANDLERS names, at start",
    "worker/handlers/train_tenant_model.py": "one of ours by its constant name, as only there is scikit-learn needed",
    "worker/mail/__init__.py": "one of ours by its constant name, as only there is the SDK needed",
    "worker/object_storage/__init__.py": "one of ours by its constant name, as only there is the SDK needed",
    "worker/tracing/__init__.py": "one of ours by its constant name, as only there is OpenTelemetry needed",
}


def sql_from_parts(tree: ast.AST) -> Iterator[int]:
    """The lines on which a text with SQL in it is put together."""
    for node in ast.walk(tree):
        if _is_built(node) and any(SQL.search(text) for text in _texts(node)):
            yield node.lineno  # type: ignore[attr-defined] # of every expression


def _is_built(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return not all(isinstance(side, ast.Constant) for side in (node.left, node.right))
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "join")


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def code_from_data(tree: ast.AST) -> Iterator[str]:
    """What turns data into objects or code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in UNPICKLERS)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in UNPICKLERS:
            yield str(node.module)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EVALUATORS:
            yield node.func.id


def imports_by_name(tree: ast.AST) -> bool:
    """Whether a module is imported whose name is a value."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    names = (each.id if isinstance(each, ast.Name) else getattr(each, "attr", "") for each in calls)
    return not IMPORTERS.isdisjoint(names)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_a_46_sql_is_put_together_in_reviewed_modules_alone() -> None:
    found = {place(path) for path in SOURCES if any(sql_from_parts(ast.parse(path.read_text())))}
    assert found == REVIEWED.keys()


def test_a_47_nothing_turns_data_into_code() -> None:
    assert [(place(path), what) for path in SOURCES for what in code_from_data(ast.parse(path.read_text()))] == []


def test_a_47_modules_are_imported_by_names_from_code_and_settings_alone() -> None:
    assert {place(path) for path in SOURCES if imports_by_name(ast.parse(path.read_text()))} == IMPORT_BY_NAME.keys()


@pytest.mark.parametrize(
    "source",
    ['f"SELECT * FROM {name}"', '"DROP SCHEMA " + name', '"SET x = %s" % name', '"DELETE FROM {}".format(name)'],
)
def test_the_scan_finds_sql_from_parts(source: str) -> None:
    assert list(sql_from_parts(ast.parse(source))) == [1]


@pytest.mark.parametrize("source", ["import pickle", "from yaml import load", "eval(text)", "import os, marshal"])
def test_the_scan_finds_code_from_data(source: str) -> None:
    assert list(code_from_data(ast.parse(source)))


def test_the_scan_finds_imports_by_name() -> None:
    assert imports_by_name(ast.parse("importlib.import_module(row.handler)"))
