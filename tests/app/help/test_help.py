"""The help page explains every name that the pages use; whatever is new asks for an entry here."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from starlette.testclient import TestClient

from app.deeds import DEEDS
from app.help import SECTIONS, Section
from app.routes import ROUTES
from tests.app.conftest import Visitor
from worker.model import AttemptOutcome
from worker.queries.bulk_acts.acts import ActState
from worker.queries.group_states import GroupState
from worker.queries.pages.attention import KINDS
from worker.queries.pages.fleet import State as WorkerState
from worker.queries.pages.loads import Pace
from worker.queries.pages.provisioning import Stage
from worker.queries.pages.states import State
from worker.queries.pages.waits import Cause
from worker.resources import folder

BY_PREFIX = {section.prefix: section for section in SECTIONS}
NAMES: dict[str, Iterable[str]] = {
    "state": State,
    "attempt": AttemptOutcome,
    "group": GroupState,
    "act": ActState,
    "worker": WorkerState,
    "tenant": Stage,
    "wait": Cause,
    "pace": Pace,
    "finding": [kind.name for kind in KINDS],
}
DOINGS = [section for section in SECTIONS if section.prefix.endswith("do")]
ANCHORS = {anchor for section in SECTIONS for anchor in (section.prefix, *section.anchors)}


@pytest.fixture
def page(visitor: Visitor) -> str:
    """The help page as a viewer reads it."""
    return visitor("viewer").get("/help").text


@pytest.mark.parametrize("prefix", NAMES)
def test_every_name_has_its_entry_and_no_entry_is_of_nothing(prefix: str) -> None:
    assert set(BY_PREFIX[prefix].entries) == {str(name) for name in NAMES[prefix]}


def test_every_act_of_the_trail_is_explained() -> None:
    explained = {key for section in DOINGS for key in section.entries}
    assert not DEEDS.keys() - explained


def test_every_button_that_posts_something_is_explained() -> None:
    pressed = {path for section in DOINGS for entry in section.entries.values() for path in entry.presses}
    posted = {route.path for route in ROUTES if route.method == "POST" and route.access != "anyone"}
    assert pressed == posted


def test_the_role_that_is_said_is_the_one_that_is_asked_for() -> None:
    access = {route.path: route.access for route in ROUTES if route.method == "POST"}
    for section in DOINGS:
        for entry in section.entries.values():
            assert {access[path] for path in entry.presses} <= {entry.may}, entry.name


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.prefix)
def test_an_entry_has_an_address_of_its_own(section: Section, page: str) -> None:
    for anchor in section.anchors:
        assert page.count(f' id="{anchor}"') == 1


def test_addresses_are_never_shared() -> None:
    assert len(ANCHORS) == sum(1 + len(section.entries) for section in SECTIONS)


def test_every_question_mark_leads_to_an_entry() -> None:
    """Where the entry is named by the state of a row, its kind must be one that has entries."""
    asked = [
        (path.name, *found)
        for path in sorted(folder("templates").rglob("*.html"))
        for found in re.findall(r"ui\.what_is\('([a-z-]+)'( ~)?", path.read_text())
    ]
    assert len(asked) > 5
    for name, anchor, varies in asked:
        assert anchor.removesuffix("-") in BY_PREFIX if varies else anchor in ANCHORS, name


def test_a_state_on_a_page_leads_to_what_it_means(client: TestClient, page: str) -> None:
    assert client.get("/help").headers["location"].startswith("/sign-in")
    assert 'href="/help"' in page
    assert re.search(
        r'id="state-dead">\s*<dt><a href="#state-dead"><span class="state" data-state="dead">dead letter</span>', page
    )
