"""Jobs, one and many: the list, its search, and the page of a job in each of its states."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.seed.dead import DEAD_JOB
from tests.system.seed.work import QUEUED_JOB, RUNNING_JOB
from tests.system.views.view import View, focused, press


def open_grammar(page: Page) -> None:
    """Ask what can be searched."""
    page.get_by_role("button", name="What can be searched").click()
    expect(page.get_by_text("payload.order.id:7")).to_be_visible()


def run_now(page: Page) -> None:
    """Ask to run all that the page shows."""
    page.get_by_role("checkbox", name="Select every row").check()
    page.get_by_role("main").get_by_role("button", name="Run now").click()
    focused(page, "Why")


def reassign(page: Page) -> None:
    """Ask to move all that the page shows."""
    page.get_by_role("checkbox", name="Select every row").check()
    page.get_by_role("main").get_by_role("button", name="Reassign").click()
    focused(page, "To queue")


VIEWS = {
    "jobs": View("/jobs", "Every job there is, the newest first."),
    "jobs-grammar": View("/jobs?status=running", "What can be searched, opened beside the field.", then=open_grammar),
    "jobs-refused": View(
        "/jobs?q=quue:mail&status=running", "A search that cannot be read says which word.", complains=" 400 "
    ),
    "jobs-none": View("/jobs", "No job exists yet.", "calm"),
    "jobs-no-match": View("/jobs?q=key:nothing-like-it", "Jobs exist; none matches."),
    "run-now": View("/jobs?status=scheduled&queue=campaign", "What running 49 jobs now would do.", then=run_now),
    "reassign": View("/jobs?status=queued&queue=training", "Where 34 jobs that nobody serves may go.", then=reassign),
    "job-dead": View(f"/jobs/{DEAD_JOB}", "A dead letter: five attempts on an axis, and the error."),
    "job-running": View(f"/jobs/{RUNNING_JOB}", "A job that runs, and how far it is."),
    "job-queued": View(f"/jobs/{QUEUED_JOB}", "A job that nobody serves."),
    "job-copy": View(
        f"/jobs/{QUEUED_JOB}",
        "A copy to edit and run.",
        then=press("Edit and run a copy", until="Payload"),
    ),
}
