"""What a viewer may not: the buttons say so, and the server does not rely on them (A-81)."""

from __future__ import annotations

from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import trail
from tests.system.conftest import Enter, Hire
from tests.system.watch import Watch
from worker.model import Status
from worker.queries import queues

POST = "([path, fields]) => fetch(path, {method: 'POST', body: new URLSearchParams(fields)}).then(r => r.status)"


@pytest.fixture
def job(conn: Connection) -> str:
    """A dead letter."""
    return str(factories.job(conn, status=Status.FAILED, queue="billing"))


def test_a_viewer_finds_the_buttons_off_and_a_forged_replay_refused(
    enter: Enter, job: str, conn: Connection, watch: Watch
) -> None:
    watch.expect(" 403 ")
    page = enter("max", "/dead-letters", role="viewer")
    for verb in ("Replay", "Cancel"):
        expect(page.get_by_role("button", name=verb)).to_be_disabled()
        expect(page.get_by_role("main").get_by_role("link", name=verb)).to_have_count(0)
    expect(page.get_by_text("need the role of operator")).to_be_visible()

    assert forged(page, f"/dead-letters/{job}/replays", {"reason": "because", "back": "/dead-letters"}) == 403
    left = factories.stored(conn, UUID(job))
    assert (left.status, left.replays) == ("failed", 0)
    assert refusal(conn) == ("max", "replays", "refused")


def test_a_viewer_finds_no_button_to_pause_and_a_forged_pause_refused(
    enter: Enter, hire: Hire, conn: Connection, watch: Watch
) -> None:
    watch.expect(" 403 ")
    hire(worker_queues=("billing",))
    page = enter("max", "/queues", role="viewer")
    expect(page.get_by_role("row", name="billing")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="Pause")).to_have_count(0)

    assert forged(page, "/queues/billing/pause", {"reason": "because"}) == 403
    assert queues.paused(conn) == {}
    assert refusal(conn) == ("max", "pause", "refused")


def forged(page: Page, path: str, fields: dict[str, str]) -> int:
    """The status of a POST that no button of the page would send."""
    status: int = page.evaluate(POST, [path, fields])
    return status


def refusal(conn: Connection) -> tuple[str, str, str]:
    """The last row of the audit trail."""
    row = trail(conn)[-1]
    return row.actor, row.action, row.outcome
