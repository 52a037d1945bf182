"""The console in the lens of one tenant: where it is chosen, how it says so, and what lies outside of it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.system.seed.dead import DEAD_JOB
from tests.system.views.view import View, focused


def choose(page: Page) -> None:
    """Ask by key for a tenant to look at, and type the beginning of its name."""
    page.keyboard.press("i")
    focused(page, "Tenant")
    page.keyboard.type("ac")
    expect(page.get_by_role("dialog").get_by_role("link", name="acme Acme Corporation")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("link", name="hooli")).to_have_count(0)


VIEWS = {
    "lens-choose": View("/jobs", "Choosing the one tenant to look at, by the beginning of its name.", then=choose),
    "lens-overview": View("/in/acme/", "What one tenant has that needs a person, and its own figures."),
    "lens-workers": View("/in/acme/workers", "The workers of all tenants, and what each runs of the one."),
    "lens-jobs": View("/in/acme/jobs?status=queued", "What waits of one tenant; the rail says whose it all is."),
    "lens-dead-letters": View("/in/acme/dead-letters", "The errors of one tenant, each counted for it alone."),
    "lens-not-narrowed": View("/in/acme/findings", "A page that is of all tenants, and says so in the lens."),
    "lens-another": View(
        f"/in/globex/jobs/{DEAD_JOB}", "A job of another tenant, not there in this lens.", complains=" 404 "
    ),
}
