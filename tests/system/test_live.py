"""What a page shows changes by itself, and only when nobody minds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Route, expect
from sqlalchemy import Connection

from tests import factories
from tests.system.conftest import Enter
from worker.model import Status

FURNISH = """matrix => {
  const scroll = matrix.querySelector(".scroll");
  const caption = "<caption><input aria-label=Note><details open data-steady></details></caption>";
  scroll.firstElementChild.insertAdjacentHTML("afterbegin", caption);
  scroll.scrollLeft = 30;
}"""
"""What a region may hold some day: a field, and a panel that may stay open."""
HTMX_HAD_ITS_TURN = """async () => {
  const turn = () => new Promise((done) => setTimeout(done));
  while (!window.htmx) await turn();
  await turn();
}"""
DRAWN_AS_IT_CLOSES = """dialog => {
  const part = document.querySelector("nav");
  const swap = () => htmx.swap({ sourceElement: part, target: part, swap: "innerHTML", text: part.innerHTML });
  const draw = () => dialog.open || swap();
  new MutationObserver(draw).observe(dialog, { attributeFilter: ["open"] });
  window.closed = new Promise((done) => dialog.addEventListener("close", done, { once: true }));
}"""
"""Part of the page is drawn again after the dialog is shut and before it says so."""


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
    page.get_by_role("heading", name="Dead letters").hover()
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


def test_the_row_under_the_pointer_stays_and_what_is_new_is_counted(enter: Enter, conn: Connection) -> None:
    first = factories.job(conn)
    page = enter("dana", "/jobs")
    row = page.locator("[data-rows] > tr", has=page.locator(f'a[href="/jobs/{first}"]')).first
    row.hover()
    place = row.bounding_box()
    for _ in range(3):
        factories.job(conn, created_at=datetime.now(UTC))
    expect(page.get_by_text("Updates held · 3 new")).to_be_visible()
    assert row.bounding_box() == place
    page.get_by_role("heading", name="Jobs").hover()
    expect(page.locator("[data-rows] > tr")).to_have_count(4)
    expect(page.get_by_text("Updates held")).to_be_hidden()


def test_what_can_be_pressed_stays_so_while_its_part_of_the_page_is_asked_for_again(
    enter: Enter, conn: Connection
) -> None:
    page = enter("dana", "/dead-letters")
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route("**/dead-letters", hold)
    factories.job(conn, status=Status.FAILED)
    expect(page.locator("#letters.htmx-request")).to_be_visible()
    expect(page.get_by_role("link", name="As a list")).to_have_css("opacity", "1")
    asked[0].continue_()
    expect(page.get_by_role("heading", name="ValueError: no such template")).to_be_visible()


@pytest.mark.parametrize("way", ["Pause", "Keep it running", "Escape"])
def test_a_dialog_stays_shut_though_the_page_is_drawn_before_it_says_so(
    enter: Enter, conn: Connection, way: str
) -> None:
    factories.job(conn, queue="billing")
    page = enter("dana", "/queues")
    page.get_by_role("row", name="billing").get_by_role("link", name="Pause").click()
    sheet, dialog = page.get_by_role("dialog"), page.locator("#dialog")
    sheet.get_by_label("Why").fill("The template is being replaced")
    dialog.evaluate(DRAWN_AS_IT_CLOSES)
    if way == "Escape":
        page.keyboard.press("Escape")
    else:
        sheet.locator("footer").get_by_text(way, exact=True).click()
    page.evaluate("window.closed")
    expect(dialog).not_to_have_attribute("open", "")
    expect(dialog).to_be_empty()


def test_the_rail_counts_along(enter: Enter, conn: Connection) -> None:
    page = enter("dana", "/audit")
    queues = page.get_by_role("link", name="Queues")
    expect(queues).to_have_text("Queues")
    factories.job(conn)
    expect(queues).to_have_text(re.compile(r"Queues\s*1"))


def test_what_was_scrolled_opened_and_half_typed_survives(enter: Enter, conn: Connection) -> None:
    for name in ("eu-central-mailer", "eu-north-mailer", "eu-west-mailer"):
        factories.worker_instance(conn, name, component=name, last_heartbeat_at=datetime.now(UTC))
    page = enter("dana", "/workers")
    page.set_viewport_size({"width": 420, "height": 700})
    matrix = page.locator("#matrix")
    matrix.evaluate(FURNISH)
    matrix.get_by_label("Note").fill("half a tho")
    matrix.get_by_label("Note").blur()
    factories.worker_instance(conn, "late", component="late", last_heartbeat_at=datetime.now(UTC), job_types=["late"])
    expect(page.locator("#present")).to_contain_text("late")
    expect(page.get_by_text("Updates held")).to_be_visible()
    expect(matrix.get_by_label("Note")).to_have_value("half a tho")
    expect(matrix.locator("details")).to_have_attribute("open", "")
    matrix.get_by_label("Note").fill("")
    matrix.get_by_label("Note").blur()
    expect(matrix).to_contain_text("late")
    assert matrix.locator(".scroll").evaluate("each => each.scrollLeft") > 0
