"""Dead letters: by group, those that nobody put aside, the fresh ones first."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.attention.looking import ago, items, worst
from tests.worker.queries.pages.attention.notes import note
from tests.worker.queries.pages.rows import minute
from worker.model import Status, new_id
from worker.queries import releases
from worker.queries.audit import Actor
from worker.queries.pages.attention import people


def test_dead_letters_are_told_by_group_the_fresh_ones_first(conn: Connection) -> None:
    factories.worker_instance(conn)
    for tenant in range(2):
        at = ago(minutes=10 + tenant)
        factories.job(conn, status=Status.FAILED, finished_at=at, tenant_id=new_id())
    for _ in range(3):
        factories.job(conn, status=Status.FAILED, finished_at=ago(days=2), error_fingerprint="old")
    fresh, old = items(conn)
    assert (fresh.level, fresh.facts["of"].jobs, fresh.facts["of"].tenants) == ("urgent", 2, 2)
    assert fresh.facts["of"].first_at == ago(minutes=11)
    assert (old.level, old.facts["of"].jobs) == ("warn", 3)


def test_a_group_that_began_soon_after_a_release_says_so(conn: Connection) -> None:
    releases.record(conn, name="2026.48", actor=Actor("token:ci"), at=ago(minutes=12), now=NOON)
    for minutes, fingerprint in ((10, "with it"), (13, "before it")):
        factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=minutes), error_fingerprint=fingerprint)
    told = {item.facts["of"].fingerprint: item.facts["release"] for item in items(conn)}
    assert (told["with it"].name, told["before it"]) == ("2026.48", None)


def test_many_kinds_of_dead_letters_are_summed_up(conn: Connection) -> None:
    for place in range(6):
        factories.job(conn, status=Status.FAILED, finished_at=ago(hours=2 + place), error_fingerprint=str(place))
    found = items(conn)
    assert [item.kind for item in found] == ["dead", "dead", "dead", "more_dead"]
    assert found[-1].facts == {"groups": 3, "jobs": 3}
    assert people(found) == 6


def test_what_grows_comes_first_then_what_nobody_has_then_the_greatest(conn: Connection) -> None:
    for fingerprint, minutes, times in (("old", 90, 9), ("taken", 80, 5), ("small", 70, 2), ("fresh", 50, 1)):
        for _ in range(times):
            factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=minutes), error_fingerprint=fingerprint)
    note(conn, "taken", assignee="mira", state="taken")
    assert [item.facts["of"].fingerprint for item in items(conn)[:3]] == ["fresh", "old", "small"]


def test_a_group_that_sleeps_or_was_resolved_is_left_out(conn: Connection) -> None:
    for fingerprint in ("asleep", "awake", "resolved"):
        factories.job(conn, status=Status.FAILED, error_fingerprint=fingerprint, finished_at=ago(minutes=5))
    note(conn, "asleep", state="snoozed", state_at=NOON, snoozed_until=NOON + timedelta(minutes=1))
    note(conn, "awake", state="snoozed", state_at=ago(hours=1), snoozed_until=NOON)
    note(conn, "resolved", state="resolved", state_at=ago(minutes=1))
    assert [item.facts["of"].fingerprint for item in items(conn)] == ["awake"]


def test_dead_letters_that_no_error_tells_apart_are_not_forgotten(conn: Connection) -> None:
    for _ in range(2):
        factories.job(conn, status=Status.FAILED, error_fingerprint=None)
    (item,) = items(conn)
    assert (item.kind, item.facts) == ("more_dead", {"groups": 0, "jobs": 2})


def test_a_few_are_no_emergency_where_a_few_are_usual(conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=1))
    for place in (1, 59):
        minute(conn, ago(minutes=place), outcome="dead_letter", jobs=2)
    minute(conn, ago(minutes=61), outcome="dead_letter", jobs=9)
    assert worst(conn, "dead") == 4
    assert [items(conn, finding_dead_per_hour=limit)[0].level for limit in (4, 5)] == ["urgent", "warn"]
