"""A handler does not end; its worker is told to take nothing more."""

from __future__ import annotations

import time

from playwright.sync_api import Page, expect
from sqlalchemy import update

from tests.system.scenes import Scene
from tests.system.seed.clock import ago
from tests.system.seed.staff import PRODUCT_3
from tests.system.seed.work import RUNNING_JOB
from tests.system.walks.walk import Step, Walk
from worker.queries.schema import platform_jobs

PATIENCE_SECONDS = 10


def hang(page: Page, scene: Scene) -> None:
    """It began this morning."""
    since = {"locked_at": ago(hours=5, minutes=12), "created_at": ago(hours=5, minutes=13)}
    with scene.engine.begin() as conn:
        conn.execute(update(platform_jobs).where(platform_jobs.c.id == RUNNING_JOB).values(**since))
    page.goto(f"/workers/{PRODUCT_3}")


def say(page: Page, scene: Scene) -> None:
    """What the overview makes of it, once its figures, up to a second old, are newer than the row."""
    page.goto("/")
    told, deadline = page.get_by_text("has run for 5 h 12 min and does not end"), time.monotonic() + PATIENCE_SECONDS
    while not told.count():
        assert time.monotonic() < deadline, "the overview does not tell of it"
        page.reload()


def ask(page: Page, scene: Scene) -> None:
    """See who else takes such jobs."""
    page.goto(f"/workers/{PRODUCT_3}")
    page.get_by_role("main").get_by_role("link", name="Drain").click()
    page.get_by_role("dialog").get_by_label("Why").fill("Hangs in materialize_insights")


def drain(page: Page, scene: Scene) -> None:
    """Let it take nothing more."""
    page.get_by_role("dialog").get_by_role("button", name="Drain").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


WALK = Walk(
    "A worker: its handler hangs, and it is drained",
    "/workers",
    (
        Step("worker-hung", "What runs far longer than it may.", hang),
        Step("overview-hung", "The overview puts it first.", say),
        Step("drain-asked", "What a drain does, and what nobody else would take.", ask),
        Step("worker-draining", "It ends what it runs and takes nothing more.", drain),
    ),
)
