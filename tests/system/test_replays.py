"""Replaying dead letters, as operators do it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import structlog
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import Connection, select

from tests import factories
from tests.app.conftest import trail
from tests.system.conftest import Enter, Hire
from tests.system.desk import Desk
from worker.model import Status
from worker.queries.audit import verify
from worker.queries.schema import operator_action_jobs
from worker.runtime.acts import Acts
from worker.runtime.loop import Loop

WHY = "Template shipped in 2026.11.4"


def test_an_operator_sees_a_job_die_and_replays_it_to_success(
    enter: Enter, hire: Hire, desk: Desk, conn: Connection
) -> None:
    page = enter("dana", "/dead-letters")
    expect(page.get_by_text("No dead letters")).to_be_visible()
    page.evaluate("window.opened = 'before it died'")
    hire()
    job = desk.put(conn, "render_invoice").id
    expect(page.get_by_role("heading", name="LookupError: no template")).to_be_visible()
    assert page.evaluate("window.opened") == "before it died"

    desk.repaired.set()
    page.get_by_role("row").get_by_role("link").first.click()
    page.wait_for_url(f"/jobs/{job}")
    press(page.get_by_role("main").get_by_role("link", name="Replay"))
    expect(toast(page)).to_have_text("Replayed 1 job.")
    expect(page.locator(".page-head [data-state=succeeded]")).to_be_visible()
    assert [each.outcome for each in factories.attempts(conn, job)] == ["dead_letter", "completed"]
    assert acts(conn) == [("dana", WHY, {job})]
    assert verify(conn) is None


def test_of_two_operators_who_replay_at_once_one_wins_and_the_other_is_told(enter: Enter, conn: Connection) -> None:
    job = die(conn)
    pages = {name: enter(name, f"/jobs/{job}") for name in ("dana", "lee")}
    for page in pages.values():
        page.get_by_role("main").get_by_role("link", name="Replay").click()
        expect(page.get_by_role("dialog").get_by_label("Why")).to_be_focused()
    for page in pages.values():
        page.get_by_role("dialog").get_by_role("button", name="Replay 1").evaluate("button => button.click()")
    for page in pages.values():
        expect(toast(page)).to_contain_text("eplayed")
    ((winner, _why, jobs),) = acts(conn)
    (loser,) = pages.keys() - {winner}
    expect(toast(pages[winner])).to_have_text("Replayed 1 job.")
    expect(toast(pages[loser])).to_contain_text(f"It was already replayed by {winner}")
    assert jobs == {job}
    assert factories.stored(conn, job).replays == 1


def test_a_selection_is_replayed_with_its_reason_and_the_rest_stays(enter: Enter, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(4)]
    page = enter("dana", "/dead-letters")
    for job in jobs[:2]:
        page.get_by_role("checkbox", name=f"Select {job}").check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    press(page.get_by_role("button", name="Replay 2"))
    expect(toast(page)).to_have_text("Replayed 2 jobs.")
    expect(page.get_by_role("row").filter(has=page.get_by_role("checkbox", name="Select 0"))).to_have_count(2)
    assert acts(conn) == [("dana", WHY, set(jobs[:2]))]
    assert [factories.stored(conn, job).status for job in jobs] == ["queued", "queued", "failed", "failed"]


def test_a_whole_group_is_replayed_and_other_errors_stay(enter: Enter, conn: Connection) -> None:
    group = {die(conn) for _ in range(3)}
    other = die(conn, error_fingerprint="0" * 16, error_type="KeyError")
    page = enter("dana", f"/dead-letters?group={'f' * 16}")
    press(page.get_by_role("button", name="Replay 3"))
    expect(toast(page)).to_have_text("Replayed 3 jobs.")
    expect(page.get_by_text("Nothing is left of this group")).to_be_visible()
    assert acts(conn) == [("dana", WHY, group)]
    assert factories.stored(conn, other).status == "failed"


def test_without_javascript_one_job_a_selection_and_a_group_are_replayed_all_the_same(
    enter: Enter, conn: Connection
) -> None:
    jobs = [die(conn) for _ in range(5)]
    page = enter("dana", "/dead-letters", java_script_enabled=False)
    for job in jobs[:2]:
        page.get_by_role("checkbox", name=f"Select {job}").check()
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("heading", name="Replay 2 dead letters")).to_be_visible()
    page.get_by_label("Why").fill(WHY)
    page.get_by_role("button", name="Replay 2").click()
    expect(toast(page)).to_contain_text("Replayed 2 jobs.")

    row = page.get_by_role("row").filter(has=page.get_by_role("checkbox", name=f"Select {jobs[2]}"))
    row.get_by_role("link", name="Replay").click()
    page.get_by_role("button", name="Replay 1").click()
    expect(toast(page)).to_contain_text("Replayed 1 job.")

    page.get_by_role("button", name="Replay").click()
    page.get_by_role("button", name="Replay 2").click()
    expect(toast(page)).to_contain_text("Replayed 2 jobs.")
    assert acts(conn) == [("dana", WHY, set(jobs[:2])), ("dana", None, {jobs[2]}), ("dana", None, set(jobs[3:]))]


def test_a_replay_is_undone_from_the_toast_before_anything_ran(enter: Enter, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(2)]
    page = enter("dana", f"/dead-letters?group={'f' * 16}")
    press(page.get_by_role("button", name="Replay 2"))
    expect(toast(page)).to_have_text("Replayed 2 jobs.")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(toast(page)).to_have_text("Undone: 2 jobs are as they were.")
    expect(page.get_by_role("row").filter(has=page.get_by_role("checkbox", name="Select 0"))).to_have_count(2)
    assert [factories.stored(conn, job).status for job in jobs] == ["failed", "failed"]
    assert [each.action for each in trail(conn) if each.jobs] == ["replay", "undo"]


def test_a_group_is_replayed_one_first_and_the_rest_goes_once_that_passed(
    enter: Enter, hire: Hire, desk: Desk, conn: Connection
) -> None:
    for _ in range(3):
        die(conn)
    hire()
    desk.repaired.set()
    page = enter("dana", f"/dead-letters?group={'f' * 16}")
    page.get_by_role("button", name="Replay 3").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("One first, then the rest").check()
    dialog.get_by_role("button", name="Replay 3").click()
    page.wait_for_url("/acts/*")
    expect(page.get_by_role("heading", name="Replay of 3 jobs")).to_be_visible()
    expect(page.get_by_text("wait for what becomes of the first")).to_be_visible()
    acts = Loop("acts", Acts(conn.engine).tick, log=structlog.get_logger(), interval_seconds=0.2)
    acts.start()
    try:
        expect(page.get_by_text("3 passed")).to_be_visible()
        expect(page.get_by_role("heading", name="3 of 3")).to_be_visible()
    finally:
        acts.stop()
        assert acts.join(5)


def die(conn: Connection, **columns: object) -> UUID:
    """A dead letter of the desk's."""
    return factories.job(conn, status=Status.FAILED, job_type="render_invoice", queue="billing", **columns)


def press(button: Locator) -> None:
    """Press the button, say why in the dialog, confirm."""
    button.click()
    dialog = button.page.get_by_role("dialog")
    dialog.get_by_label("Why").fill(WHY)
    dialog.get_by_role("button", name="Replay").click()
    expect(dialog).to_be_hidden()


def toast(page: Page) -> Locator:
    """What the console says in passing."""
    return page.locator("#toasts .toast > span")


def acts(conn: Connection) -> list[tuple[str, str | None, set[UUID]]]:
    """Who replayed what, and why."""
    return list(_acts(conn))


def _acts(conn: Connection) -> Iterator[tuple[str, str | None, set[UUID]]]:
    touched = operator_action_jobs
    for act in trail(conn, "replay"):
        jobs = conn.execute(select(touched.c.job_id).where(touched.c.action_id == act.id)).scalars()
        yield act.actor, act.reason, set(jobs)
