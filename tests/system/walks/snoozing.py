"""Somebody takes a group and lets it sleep until it happens again, which it does; then it joins another."""

from __future__ import annotations

from datetime import timedelta

from playwright.sync_api import Locator, Page, expect
from sqlalchemy import insert, select

from tests.system.scenes import Scene
from tests.system.seed.clock import NOW, identity
from tests.system.seed.people import TIMED_OUT
from tests.system.walks.walk import Step, Walk
from worker.queries import group_states
from worker.queries.schema import platform_jobs

STORED = [column for column in platform_jobs.c if column.computed is None]


def take(page: Page, scene: Scene) -> None:
    """Have it from lee."""
    group(page).get_by_role("button", name="Take from lee").click()
    expect(group(page).get_by_role("button", name="Give back")).to_be_visible()


def ask(page: Page, scene: Scene) -> None:
    """Choose until when."""
    group(page).get_by_role("link", name="Snooze").click()
    page.get_by_role("dialog").get_by_label("Until it happens again").check()
    page.get_by_role("dialog").get_by_label("Why").fill("The storage team has it")


def snooze(page: Page, scene: Scene) -> None:
    """Let it sleep."""
    page.get_by_role("dialog").get_by_role("button", name="Snooze").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.goto(f"/dead-letters?group={TIMED_OUT}&state=snoozed")


def die_again(page: Page, scene: Scene) -> None:
    """Another job dies of the same."""
    soon = NOW + timedelta(seconds=1)
    with scene.engine.begin() as conn:
        of = select(*STORED).where(platform_jobs.c.error_fingerprint == TIMED_OUT)
        row = conn.execute(of.limit(1)).one()._asdict()
        conn.execute(insert(platform_jobs), row | {"id": identity("dead again"), "finished_at": soon})
        assert group_states.bring_back(conn, now=soon) == [TIMED_OUT]
    page.goto(f"/dead-letters?group={TIMED_OUT}")
    expect(group(page).get_by_text("Came back")).to_be_visible()
    expect(page.get_by_role("link", name="Dead letters 15")).to_be_visible()


def ask_to_merge(page: Page, scene: Scene) -> None:
    """Choose where it belongs."""
    page.get_by_role("main").get_by_role("link", name="Put together").click()
    expect(page.get_by_role("dialog").get_by_role("radiogroup", name="Groups")).to_be_visible()


def merge(page: Page, scene: Scene) -> None:
    """Put it there."""
    page.get_by_role("dialog").get_by_role("button", name="Put together").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def group(page: Page) -> Locator:
    """The one that is open."""
    return page.get_by_label("Selected group")


WALK = Walk(
    "A group: taken, snoozed, come back, put together with another",
    f"/dead-letters?group={TIMED_OUT}",
    (
        Step("group-taken", "Dana has taken it from lee.", take),
        Step("group-snooze-asked", "Until when it may sleep, and why.", ask),
        Step("group-snoozed", "It sleeps, among those that do.", snooze),
        Step("group-returned", "It happened again, and so it is back.", die_again),
        Step("group-merge-asked", "Which one it belongs to.", ask_to_merge),
        Step("group-merged", "It has joined the other; it can be taken out again.", merge),
    ),
)
