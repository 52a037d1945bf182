"""First the database is out of reach, then the console itself."""

from __future__ import annotations

from datetime import timedelta

from playwright.sync_api import Page, expect
from sqlalchemy import text

from tests.system.scenes import Scene
from tests.system.seed.clock import NOW
from tests.system.walks.walk import Step, Walk

OUT = text("UPDATE pg_database SET datallowconn = :open WHERE datname = current_database()")
CUT = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name = 'watchfloor console' AND datname = current_database()"
)


def lose_the_database(page: Page, scene: Scene) -> None:
    """Open a page while it is away."""
    with scene.engine.begin() as conn:
        conn.execute(OUT, {"open": False})
        conn.execute(CUT)
    page.goto("/workers")
    expect(page.get_by_role("heading", name="The database is out of reach")).to_be_visible()


def lose_the_console(page: Page, scene: Scene) -> None:
    """Have a page open while it ends."""
    with scene.engine.begin() as conn:
        conn.execute(OUT, {"open": True})
    page.goto("/queues")
    expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")
    scene.console.stop()
    expect(page.locator("[data-live]")).not_to_have_attribute("data-live", "on")
    page.context.clock.set_fixed_time(NOW + timedelta(seconds=5))
    expect(page.get_by_text("Not live: this is how it was at")).to_be_visible()


WALK = Walk(
    "An outage: of the database, and of the console",
    "/queues",
    (
        Step("offline-database", "No page without the database, and the words say so.", lose_the_database),
        Step("offline-console", "A page that is no longer live says since when.", lose_the_console),
    ),
    complains=" 503 |ERR_|Failed to fetch",
)
