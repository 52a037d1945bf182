"""What a page shows changes by itself, and only when nobody minds."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect
from sqlalchemy import Connection

from tests import factories
from tests.system.conftest import Enter
from worker.model import Status

HTMX_HAD_ITS_TURN = """async () => {
  const turn = () => new Promise((done) => setTimeout(done));
  while (!window.htmx) await turn();
  await turn();
}"""


@pytest.mark.parametrize("script", ["hx-sse.min.js", "stream.js"])
def test_a_page_is_live_though_a_script_comes_late(enter: Enter, script: str) -> None:
    page = enter("dana")

    def late(route: Route) -> None:
        page.evaluate(HTMX_HAD_ITS_TURN)
        route.continue_()

    page.route(f"**/{script}", late)
    page.goto("/queues")
    expect(page.locator("[data-live]")).to_have_text("Live")


def test_updates_wait_while_a_row_is_ticked_and_go_on_after(enter: Enter, conn: Connection) -> None:
    first = factories.job(conn, status=Status.FAILED)
    page = enter("dana", "/dead-letters")
    tick = page.get_by_role("checkbox", name=f"Select {first}")
    tick.check()
    second = factories.job(conn, status=Status.FAILED)
    expect(page.get_by_text("Updates held")).to_be_visible()
    expect(page.get_by_role("checkbox", name=f"Select {second}")).to_have_count(0)
    expect(tick).to_be_checked()
    tick.uncheck()
    expect(page.get_by_role("checkbox", name=f"Select {second}")).to_be_visible()
    expect(page.get_by_text("Updates held")).to_be_hidden()


def test_a_paused_page_stands_still_until_it_is_resumed(enter: Enter, conn: Connection) -> None:
    page = enter("dana", "/dead-letters")
    page.get_by_role("button", name="Pause").click()
    factories.job(conn, status=Status.FAILED)
    expect(page.get_by_text("Updates held")).to_be_visible()
    expect(page.get_by_text("No dead letters")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("heading", name="ValueError: no such template")).to_be_visible()
