"""The Tenants page's list: who needs a person first, narrowed, paged, with each tenant's steps and open work."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import provisioned, ran
from worker.errors import InvalidInput
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries.pages import step_tallies, tenants
from worker.queries.pages.provisioning import Stage
from worker.queries.pages.step_times import FEWEST
from worker.queries.pages.stuck import Watch
from worker.queries.pages.tenant_rows import PAGE
from worker.queries.pages.tenants import Line, Wanted

WATCH = Watch(frozenset({"default"}), after_seconds=300)
LONG_AGO, JUST_NOW = NOON - timedelta(minutes=6), NOON - timedelta(seconds=4)
FAILED: dict[str, Any] = {"status": Status.FAILED}
AGAIN: dict[str, Any] = {"attempts": 1, "generation": 1, "updated_at": JUST_NOW}


def lines(conn: Connection, wanted: Wanted | None = None, **more: Any) -> list[Line]:
    return tenants.page(conn, wanted or Wanted(), watch=WATCH, now=NOON, **more).lines


def slugs(conn: Connection, **narrowed: Any) -> list[str]:
    return [line.row.slug for line in lines(conn, Wanted(**narrowed))]


def test_a_line_tells_state_provisioning_and_work(conn: Connection) -> None:
    provisioned(conn, "acme", onboarding="active", done=6, status=Status.SUCCEEDED)
    (acme,) = [line.row.id for line in lines(conn)]
    factories.job(conn, tenant_id=acme)
    factories.job(conn, tenant_id=acme, scheduled=True, available_at=NOON + timedelta(hours=1))
    factories.job(conn, tenant_id=acme, status=Status.FAILED)
    (line,) = lines(conn)
    assert (line.row.display_name, line.row.onboarding_status) == ("Acme", "active")
    assert line.provisioning.stage is Stage.DONE
    assert (line.load.ready, line.load.scheduled, line.load.running, line.load.dead) == (1, 1, 0, 1)


def test_a_tenant_without_any_job_is_listed_too(conn: Connection) -> None:
    factories.tenant(conn, "acme")
    (line,) = lines(conn)
    assert (line.load, line.total_seconds, line.provisioning.stage) == (None, None, Stage.NOT_STARTED)
    assert [mark.state for mark in line.marks] == [""] * 6


@pytest.mark.parametrize(
    ("text", "found"),
    [("lob", ["globex"]), ("GLO", ["globex"]), ("corp", ["acme"]), ("%", []), ("_", []), ("", ["acme", "globex"])],
)
def test_a_text_is_found_in_slug_and_name_literally(conn: Connection, text: str, found: list[str]) -> None:
    factories.tenant(conn, "acme", display_name="Acme Corp")
    factories.tenant(conn, "globex")
    assert slugs(conn, containing=text) == found


def test_an_id_finds_its_tenant(conn: Connection) -> None:
    factories.tenant(conn, "acme")
    wanted = factories.tenant(conn, "globex")
    assert slugs(conn, containing=str(wanted).upper()) == ["globex"]


def test_who_needs_a_person_comes_first_then_who_is_under_way_each_kind_by_slug(conn: Connection) -> None:
    for slug in ("able", "zeta"):
        factories.tenant(conn, slug, onboarding_status="active")
    provisioned(conn, "baker")
    provisioned(conn, "delta", **AGAIN)
    provisioned(conn, "hotel", **FAILED)
    provisioned(conn, "echo", status=Status.CANCELLED)
    provisioned(conn, "golf", queue="elsewhere")
    provisioned(conn, "foxtrot", status=Status.RUNNING)
    factories.tenant(conn, "charlie", onboarding_status="provisioning")
    assert slugs(conn) == ["echo", "golf", "hotel", "delta", "baker", "charlie", "foxtrot", "able", "zeta"]


def test_the_list_is_narrowed_by_state(conn: Connection) -> None:
    for state in ("created", "active", "suspended", "provisioning"):
        factories.tenant(conn, state, onboarding_status=state)
    provisioned(conn, "failed", **FAILED)
    provisioned(conn, "retrying", **AGAIN)
    for state in ("created", "active", "suspended"):
        assert slugs(conn, state=state) == [state]
    assert slugs(conn, state="provisioning") == ["failed", "retrying", "provisioning"]
    assert slugs(conn, state="stopped") == ["failed", "retrying"]


def test_the_list_is_narrowed_by_the_step_that_a_tenant_is_at(conn: Connection) -> None:
    provisioned(conn, "first")
    provisioned(conn, "failed", done=2, **FAILED)
    provisioned(conn, "running", done=2, status=Status.RUNNING)
    provisioned(conn, "through", done=6, status=Status.RUNNING)
    provisioned(conn, "active", onboarding="active", done=6, status=Status.SUCCEEDED)
    factories.tenant(conn, "new")
    factories.tenant(conn, "unasked", onboarding_status="provisioning")
    assert slugs(conn, step="create_schema") == ["first"]
    assert slugs(conn, step="grant_app_rw") == ["failed", "running"]
    assert slugs(conn, step="grant_app_rw", state="stopped") == ["failed"]
    assert slugs(conn, step="activate_onboarding") == ["through"]
    assert slugs(conn, step="grant_app_rw", state="active") == []
    assert slugs(conn, step="grant_app_rw", containing="run") == ["running"]


def test_a_mark_per_step_tells_how_it_went_and_how_often_it_failed(conn: Connection) -> None:
    job_id = provisioned(conn, "acme", done=2, **AGAIN)
    ran(conn, job_id, 0, "failed")
    ran(conn, job_id, 0, "done", generation=2)
    ran(conn, job_id, 1, "done", generation=2)
    ran(conn, job_id, 2, "lost", generation=2)
    for place in (0, 1):
        ran(conn, job_id, place, "skipped", generation=3)
    ran(conn, job_id, 2, "failed", generation=3)
    marks = lines(conn)[0].marks
    assert [mark.step for mark in marks] == list(STEPS)
    assert [mark.state for mark in marks] == ["done", "done", "retrying", "", "", ""]
    assert [mark.failures for mark in marks] == [1, 0, 2, 0, 0, 0]
    assert [mark.took_seconds for mark in marks] == [2, 2, None, None, None, None]


@pytest.mark.parametrize("stage", ["failed", "cancelled", "running", "waiting"])
def test_the_step_that_a_tenant_is_at_has_its_stage(conn: Connection, stage: str) -> None:
    status = {"waiting": Status.QUEUED}.get(stage) or Status(stage)
    provisioned(conn, "acme", done=3, status=status)
    assert [mark.state for mark in lines(conn)[0].marks] == ["done", "done", "done", stage, "", ""]


def activated(conn: Connection, slug: str, took: float) -> None:
    tenant_id = factories.tenant(
        conn, slug, onboarding_status="active", activated_at=LONG_AGO + timedelta(seconds=took)
    )
    key: dict[str, Any] = {
        "job_type": "provision_tenant",
        "tenant_id": tenant_id,
        "idempotency_key": f"provision:{tenant_id}",
    }
    factories.job(conn, status=Status.SUCCEEDED, created_at=LONG_AGO, **key)


def test_the_total_is_compared_with_what_is_usual(conn: Connection) -> None:
    for place in range(FEWEST):
        activated(conn, f"usual-{place}", 10 + place)
    activated(conn, "slow", 36)
    provisioned(conn, "running", status=Status.RUNNING, created_at=NOON - timedelta(seconds=25))
    provisioned(conn, "failed", status=Status.FAILED, created_at=LONG_AGO, finished_at=NOON)
    page = tenants.page(conn, watch=WATCH, now=NOON)
    by_slug = {line.row.slug: line for line in page.lines}
    assert page.usual is not None
    assert (page.usual.runs, page.usual.median) == (6, 12.5)
    assert (by_slug["slow"].total_seconds, by_slug["slow"].times(page.usual)) == (36, 36 / 12.5)
    assert (by_slug["running"].total_seconds, by_slug["running"].lasts, by_slug["slow"].lasts) == (25, True, False)
    assert (by_slug["failed"].total_seconds, by_slug["failed"].times(page.usual)) == (360, None)


def test_of_too_few_nothing_is_usual(conn: Connection) -> None:
    for place in range(FEWEST - 1):
        activated(conn, f"early-{place}", 10)
    page = tenants.page(conn, watch=WATCH, now=NOON)
    assert page.usual is None
    assert {line.times(page.usual) for line in page.lines} == {None}


def test_the_tallies_count_who_does_not_get_past_each_step(conn: Connection) -> None:
    provisioned(conn, "failed", done=4, **FAILED)
    provisioned(conn, "retrying", done=4, **AGAIN)
    provisioned(conn, "cancelled", done=4, status=Status.CANCELLED)
    provisioned(conn, "untaken", queue="elsewhere")
    provisioned(conn, "through", done=6, status=Status.RUNNING)
    provisioned(conn, "active", onboarding="active", done=6, status=Status.SUCCEEDED)
    tallies = {tally.step: tally for tally in step_tallies.read(conn, watch=WATCH, now=NOON)}
    assert list(tallies) == list(STEPS)
    storage = tallies["verify_object_storage"]
    assert (storage.tenants, storage.failed, storage.retrying, storage.stopped) == (3, 1, 1, 3)
    assert (tallies["create_schema"].stuck, tallies["grant_app_rw"].tenants) == (1, 0)
    assert tallies["activate_onboarding"].tenants == 1


def test_each_tenant_is_on_one_page_whatever_its_kind(conn: Connection) -> None:
    kinds: tuple[dict[str, Any], ...] = (FAILED, AGAIN, {"status": Status.RUNNING})
    for place in range(2 * PAGE + 2):
        if place % 4 < 3:
            provisioned(conn, f"t-{place}", **kinds[place % 4])
        else:
            factories.tenant(conn, f"t-{place}", onboarding_status="active")
    whole: list[str] = []
    cursor = None
    for size in (PAGE, PAGE, 2):
        page = tenants.page(conn, watch=WATCH, cursor=cursor, now=NOON)
        assert len(page.lines) == size
        whole += [line.row.slug for line in page.lines]
        cursor = page.older
    assert cursor is None
    assert len(set(whole)) == 2 * PAGE + 2
    assert [int(slug[2:]) % 4 for slug in whole] == sorted(int(slug[2:]) % 4 for slug in whole)


def test_a_page_that_is_just_full_is_the_last(conn: Connection) -> None:
    for place in range(PAGE):
        factories.tenant(conn, f"t-{place}")
    assert tenants.page(conn, watch=WATCH, now=NOON).older is None


@pytest.mark.parametrize("cursor", ["WzFd", "WyJhIl0", "WyJ4IiwgImEiXQ"])
def test_a_cursor_of_another_list_is_refused(conn: Connection, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        tenants.page(conn, watch=WATCH, cursor=cursor, now=NOON)
