"""The README names every command and every setting, and none that is not there."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click
from pydantic import AliasChoices

from app import cli
from app.cli import main
from app.routes import ROUTES
from app.settings import ConsoleSettings

README = (Path(__file__).parents[2] / "README.md").read_text()
LISTED = README.partition("## Commands")[2].partition("\n## ")[0]
SETTINGS = README.partition("## Settings")[2]
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def commands(group: click.Group, path: str) -> Iterator[str]:
    """Every command as it is typed."""
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if isinstance(command, click.Group):
                yield from commands(command, f"{path} {name}")
            else:
                yield f"{path} {name}"


def settings() -> Iterator[str]:
    """Every setting as the environment names it."""
    for name, field in ConsoleSettings.model_fields.items():
        alias = field.validation_alias
        yield str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"WATCHFLOOR_{name.upper()}"


def test_every_command_is_named() -> None:
    assert [each for each in commands(main, "watchfloor") if f"`{each}" not in LISTED] == []


def test_no_command_is_named_that_is_not_there() -> None:
    named = re.findall(r"`(watchfloor(?: [a-z][a-z-]*)+)", README)
    assert set(named) <= {*commands(main, "watchfloor"), *(f"watchfloor {each}" for each in cli.COMMANDS)}


def test_every_page_is_named() -> None:
    pages = {"/" + route.path.split("/")[1] for route in ROUTES if route.method == "GET" and route.access != "anyone"}
    forms = {"/live", "/replays", "/cancellations", "/runs", "/reassignments"}
    assert {page for page in pages - forms if f"`{page}`" not in README} == set()


def test_every_setting_has_a_line() -> None:
    assert [each for each in settings() if f"\n| `{each}` |" not in SETTINGS] == []


def test_no_setting_is_named_that_is_not_there() -> None:
    assert set(re.findall(r"`(WATCHFLOOR_[A-Z_]+)`", README)) <= set(settings())


def test_the_python_examples_are_python() -> None:
    assert EXAMPLES
    for example in EXAMPLES:
        compile(example.replace("…", "..."), "README.md", "exec")


def test_the_examples_import_what_is_there() -> None:
    imports = re.findall(r"^from (worker[\w.]*) import (.+)$", "".join(EXAMPLES), re.MULTILINE)
    assert imports
    for module, names in imports:
        for name in names.split(", "):
            assert hasattr(importlib.import_module(module), name), f"{module}.{name}"
