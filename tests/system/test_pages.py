"""Every page as it shall look, light, dark and on a phone; and nothing on it that shuts anybody out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.system import axe, proofs, screenshots, seed
from tests.system.scenes import LOOKS, Scene, scene
from tests.system.seed import accounts, datasets, provisioning, troubled
from tests.system.seed.acts import MOVING, STOPPED
from tests.system.seed.dead import DEAD_JOB
from tests.system.seed.people import TIMED_OUT
from tests.system.seed.provisioning import LONG
from tests.system.seed.staff import PRODUCT_2, PRODUCT_3
from tests.system.seed.work import QUEUED_JOB, RUNNING_JOB
from tests.system.watch import Watch


@dataclass(frozen=True)
class View:
    """A page of a scene; `then` is what the visitor does before looking."""

    path: str
    scene: str = "busy"
    signed_in: bool = True
    then: Callable[[Page], None] | None = None
    complains: str = "nothing"


def open_replay(page: Page) -> None:
    """Ask to replay the whole group."""
    page.get_by_role("button", name="Replay 12").click()
    expect(page.get_by_role("dialog").get_by_label("Why")).to_be_focused()


def open_cancel(page: Page) -> None:
    """Ask to cancel the whole group."""
    page.get_by_role("button", name="Cancel 12").click()
    expect(page.get_by_role("dialog").get_by_label("Why")).to_be_focused()


def open_invitation(page: Page) -> None:
    """Ask to let somebody in."""
    page.get_by_role("link", name="Invite").click()
    expect(page.get_by_role("dialog").get_by_label("Name")).to_be_focused()


def open_snooze(page: Page) -> None:
    """Ask to snooze the group that lee has."""
    page.get_by_label("Selected group").get_by_role("link", name="Snooze").click()
    expect(page.get_by_role("dialog").get_by_label("For some time")).to_be_focused()


def open_grammar(page: Page) -> None:
    """Ask what can be searched."""
    page.get_by_role("button", name="What can be searched").click()
    expect(page.get_by_text("payload.order.id:7")).to_be_visible()


def open_copy(page: Page) -> None:
    """Ask for a copy to edit."""
    page.get_by_role("link", name="Edit and run a copy").click()
    expect(page.get_by_role("dialog").get_by_label("Payload")).to_be_focused()


VIEWS = {
    "overview": View("/"),
    "overview-calm": View("/", "calm"),
    "findings": View("/findings?behind=300&late=0.2"),
    "queues": View("/queues"),
    "queue": View("/queues/mail"),
    "job-type": View("/job-types/invoice.render?span=24h"),
    "jobs": View("/jobs"),
    "jobs-grammar": View("/jobs?status=running", then=open_grammar),
    "jobs-refused": View("/jobs?q=quue:mail&status=running", complains=" 400 "),
    "job-dead": View(f"/jobs/{DEAD_JOB}"),
    "job-running": View(f"/jobs/{RUNNING_JOB}"),
    "job-queued": View(f"/jobs/{QUEUED_JOB}"),
    "job-copy": View(f"/jobs/{QUEUED_JOB}", then=open_copy),
    "dead-letters": View("/dead-letters"),
    "snooze": View(f"/dead-letters?group={TIMED_OUT}", then=open_snooze),
    "replay": View("/dead-letters", then=open_replay),
    "cancel": View("/dead-letters", then=open_cancel),
    "acts": View("/acts"),
    "act-stopped": View(f"/acts/{STOPPED}"),
    "act-moving": View(f"/acts/{MOVING}"),
    "workers": View("/workers"),
    "worker": View(f"/workers/{PRODUCT_3}"),
    "worker-silent": View(f"/workers/{PRODUCT_2}"),
    "tenants": View("/tenants"),
    "tenants-troubled": View("/tenants", "troubled"),
    "tenant-active": View("/tenants/globex", "provisioning"),
    "tenant-failed": View(f"/tenants/{LONG}", "provisioning"),
    "tenant-resumed": View("/tenants/globex-labs", "provisioning"),
    "tenant-retrying": View("/tenants/northwind", "provisioning"),
    "audit": View("/audit"),
    "hand-over": View("/hand-over?since=12h"),
    "hand-over-calm": View("/hand-over", "calm"),
    "operators": View("/operators", "accounts"),
    "operator": View(f"/operators/{accounts.LEE}", "accounts"),
    "invite": View("/operators", "accounts", then=open_invitation),
    "account": View("/account", "accounts"),
    "invitation": View(f"/invitations/{accounts.INVITATION}", "accounts", signed_in=False),
    "password-forgotten": View("/password-resets/new", "accounts", signed_in=False),
    "sign-in": View("/sign-in", signed_in=False),
    "sign-in-code": View("/sign-in", "calm", signed_in=False, then=proofs.give_password),
    "sign-in-required": View("/sign-in", "calm", signed_in=False, then=proofs.give_admins_password),
    "second-factor": View("/account/second-factor", "calm"),
    "second-factor-new": View("/account/second-factor/new"),
    "recovery-codes": View("/account/second-factor", "calm", then=proofs.renew_codes, complains=" 422 "),
    "error": View("/nothing-here", complains=" 404 "),
}


@dataclass(frozen=True)
class Shown:
    """A view as one of the looks shows it."""

    name: str
    page: Page

    @property
    def picture(self) -> bytes:
        """All of the page, or what the window shows of it once a dialog lies above; without what no two runs share."""
        number = self.page.locator(".error-page p .mono, .scan-code, .scan-key, .recovery li")
        whole = self.page.locator("dialog[open]").count() == 0
        return self.page.screenshot(full_page=whole, animations="disabled", mask=[number], mask_color="grey")


@pytest.fixture(scope="module")
def scenes(server: str) -> Iterator[dict[str, Scene]]:
    """By what is on them: a busy morning, nothing yet, tenants in trouble, accounts and tenants of each kind."""
    with ExitStack() as consoles:
        fills = {"busy": seed.busy, "calm": seed.calm, "troubled": troubled.insert_all, "accounts": accounts.insert_all}
        found = {name: consoles.enter_context(scene(server, name, fill)) for name, fill in fills.items()}
        furnished = scene(server, "provisioning", provisioning.insert_all, datasets.furnish)
        yield found | {"provisioning": consoles.enter_context(furnished)}


@pytest.fixture(scope="module", params=[(name, look) for name in VIEWS for look in LOOKS], ids="-".join)
def shown(
    scenes: dict[str, Scene], browser: Browser, browser_context_args: dict[str, Any], request: pytest.FixtureRequest
) -> Iterator[Shown]:
    """A view that is all there; fails when it complained of something."""
    name, look = request.param
    view, watch = VIEWS[name], Watch()
    scene = scenes[view.scene]
    page = scene.page(browser, look, browser_context_args, signed_in=view.signed_in)
    watch.expect(view.complains)
    watch.over(page, scene.console.url)
    page.goto(view.path)
    if view.signed_in:
        expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")
    if view.then:
        view.then(page)
    page.evaluate("document.fonts.ready")
    yield Shown(f"{name}-{look}", page)
    page.close()
    assert watch.complaints() == []


def test_a_page_looks_as_approved(shown: Shown, request: pytest.FixtureRequest) -> None:
    taken = shown.picture
    if request.config.getoption("--approve", default=False):
        screenshots.approve(shown.name, taken)
    assert screenshots.difference(shown.name, taken) is None


def test_a_page_shuts_nobody_out(shown: Shown) -> None:
    assert axe.violations(shown.page) == []
