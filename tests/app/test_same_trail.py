"""Whoever acts by a page, by the API or from a shell leaves the same row in the trail, but for who it was."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection, Engine
from starlette.testclient import TestClient

from app import main
from app.routes import ROUTES
from app.settings import ConsoleSettings
from tests.app import handlers
from tests.app.account_deeds import ACCOUNTS
from tests.app.conftest import browser, signed_in, trail
from tests.app.deeds import GROUPS, JOBS, PLACES, Deed, Subject
from tests.app.routes.programs import program, token
from tests.app.shell import Shell
from worker.database import Row
from worker.handlers import Registry

NAMES = ("alpha", "bravo", "charlie")
"""What is acted on by a page, by the API, from a shell."""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


class Handled(Shell):
    """A shell whose handlers are those of the console."""

    def __call__(self, *arguments: str, stdin: str | None = None, **environment: str) -> Any:
        """The command's exit code, output and errors."""
        return super().__call__(*arguments, stdin=stdin, WATCHFLOOR_HANDLERS=handlers.NAME, **environment)


@dataclass(frozen=True)
class Ways:
    """A browser, a program and a shell on one database."""

    page: TestClient
    api: TestClient
    shell: Shell

    def by_page(self, deed: Deed, of: Subject) -> None:
        """Fill in the form and press."""
        if deed.seen:
            self.page.get(deed.seen)
        answer = self.page.post(of.named(deed.path), data=of.fills(deed.form))
        assert answer.status_code in (200, 303), (deed.path, answer.status_code)

    def by_api(self, deed: Deed, of: Subject) -> None:
        """Send the document to the same address."""
        body = None if deed.body is None else of.fills(deed.body)
        answer = self.api.post(f"/api/v1{of.named(deed.api or deed.path)}", json=body)
        assert answer.is_success, answer.text

    def by_shell(self, deed: Deed, of: Subject) -> None:
        """Type the command."""
        self.shell.ok(*map(of.named, shlex.split(deed.command)))


@pytest.fixture
def ways(
    console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None, conn: Connection, url: str
) -> Ways:
    registry = Registry()
    handlers.register(registry)
    app = main.create_app(settings, engine=console_rw, work_engine=app_rw, registry=registry)
    return Ways(browser(app, signed_in(conn, "dana", "admin")), program(app, token(conn)), Handled(url))


def left(conn: Connection, act: Callable[[Deed, Subject], None], deed: Deed, name: str) -> list[tuple[Any, ...]]:
    """What an act leaves in the trail, what differs between its subjects made alike."""
    subject = deed.make(conn, name)
    known = len(trail(conn))
    act(deed, subject)
    return [plain(row, subject, name) for row in trail(conn)[known:]]


def plain(row: Row, subject: Subject, name: str) -> tuple[Any, ...]:
    """A row of the trail, but for who and when."""

    def alike(value: Any) -> Any:
        if isinstance(value, str):
            for known in filter(None, (subject.id, subject.name, name)):
                value = value.replace(known, "IT")
            return _ID.sub("ID", value)
        return value

    detail = {key: alike(each) for key, each in row.detail.items()}
    return row.action, row.outcome, alike(row.target), row.tenant_id is None, row.jobs, row.reason, detail


@pytest.mark.parametrize("deeds", [JOBS, GROUPS, PLACES, ACCOUNTS], ids=["jobs", "groups", "places", "accounts"])
def test_a_page_the_api_and_a_shell_leave_the_same_row(deeds: Mapping[str, Deed], ways: Ways, conn: Connection) -> None:
    acts: Sequence[Callable[[Deed, Subject], None]] = (ways.by_page, ways.by_api, ways.by_shell)
    for words, deed in deeds.items():
        rows = [left(conn, act, deed, f"{words}-{name}") for act, name in zip(acts, NAMES, strict=True)]
        assert len(rows[0]) == 1, words
        assert rows[0] == rows[1] == rows[2], words


def test_every_act_of_the_pages_is_among_them() -> None:
    done = {anonymous(deed.path) for deeds in (JOBS, GROUPS, PLACES, ACCOUNTS) for deed in deeds.values()}
    acts = {
        anonymous(route.path) for route in ROUTES if route.method == "POST" and route.access in ("operator", "admin")
    }
    assert done == acts


def anonymous(path: str) -> str:
    """A path, whatever its parts are called."""
    return re.sub(r"{[^}]*}", "{}", path)
