"""What goes away comes back, without anybody pressing anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import expect
from sqlalchemy import Connection, make_url, text

from tests.system.conftest import Enter
from tests.system.console import Console
from tests.system.desk import Desk
from tests.system.watch import Watch
from worker.database import connect

OUT = "UPDATE pg_database SET datallowconn = false WHERE datname = 'watchfloor'"
BACK = "UPDATE pg_database SET datallowconn = true WHERE datname = 'watchfloor'"
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watchfloor console'"


def test_a_page_says_that_the_console_is_lost_and_goes_on_when_it_is_back(
    enter: Enter, console: Console, desk: Desk, conn: Connection, watch: Watch
) -> None:
    watch.expect("ERR_|Failed to fetch")
    page = enter("dana", "/queues")
    live = page.locator("[data-live]")
    expect(live).to_have_text("Live")
    console.stop()
    expect(live).to_contain_text("Lost, since")
    expect(page.get_by_text(re.compile(r"Not live: this is how it was at \d\d:\d\d:\d\d UTC"))).to_be_visible()
    desk.put(conn, "render_invoice")
    console.start()
    expect(live).to_have_text("Live")
    expect(page.get_by_text("Not live")).to_be_hidden()
    expect(page.get_by_role("row", name="billing").get_by_role("cell").nth(1)).to_have_text("1")


def test_a_page_says_that_it_is_lost_as_soon_as_the_server_says_that_the_database_is(enter: Enter) -> None:
    page = enter("dana", "/queues")
    live = page.locator("[data-live]")
    expect(live).to_have_text("Live")
    said = "{detail: {message: {event: 'live:lost'}}}"
    live.evaluate(f"stream => stream.dispatchEvent(new CustomEvent('htmx:sse:before:message', {said}))")
    expect(live).to_have_text("Joining again")
    expect(live).to_have_text("Live")  # by the next beat


def test_an_unreachable_database_gets_a_page_of_its_own_and_the_console_recovers(
    enter: Enter, server: str, watch: Watch
) -> None:
    watch.expect(" 503 ")
    page = enter("dana", "/queues")
    with outage(server):
        answer = page.goto("/workers")
        assert answer
        assert answer.status == 503
        expect(page.get_by_role("heading", name="The database is out of reach")).to_be_visible()
        assert "psycopg" not in page.content()
    page.reload()
    expect(page.get_by_role("heading", name="Workers", exact=True)).to_be_visible()


@contextmanager
def outage(server: str) -> Iterator[None]:
    """The database takes no connections, and the console's are cut; the test's own stay."""
    maintenance = connect(make_url(server).render_as_string(hide_password=False), application_name="outage")
    try:
        with maintenance.execution_options(isolation_level="AUTOCOMMIT").connect() as conn:
            conn.execute(text(OUT))
            conn.execute(text(CUT))
            try:
                yield
            finally:
                conn.execute(text(BACK))
    finally:
        maintenance.dispose()
