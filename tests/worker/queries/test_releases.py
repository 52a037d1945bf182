"""Releases: a start with a new version is one, a restart is none, and whoever deploys may tell of any."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, select

from tests.factories import NOON, worker_instance
from worker.errors import InvalidInput
from worker.queries import releases
from worker.queries.audit import Actor
from worker.queries.pages.releases import before, between
from worker.queries.schema import operator_actions

CI = Actor("token:ci")


def ago(**amount: float) -> datetime:
    return NOON - timedelta(**amount)


def began(conn: Connection, name: str, at: datetime, component: str = "mailer") -> bool:
    return releases.began(conn, name=name, component=component, now=at)


def known(conn: Connection) -> list[str]:
    return [each.name for each in between(conn, since=ago(days=1), until=NOON)]


def test_the_first_version_seen_is_no_news_the_next_one_is(conn: Connection) -> None:
    assert [began(conn, name, ago(hours=hours)) for name, hours in (("v1", 3), ("v2", 2), ("v2", 1))] == [
        True, True, False,
    ]  # fmt: skip
    assert known(conn) == ["v2"]


def test_each_component_has_its_own_releases(conn: Connection) -> None:
    for component in ("mailer", "trainer"):
        began(conn, "v1", ago(hours=3), component)
    began(conn, "v2", ago(hours=2), "trainer")
    assert [(each.name, each.component) for each in between(conn, since=ago(days=1), until=NOON)] == [("v2", "trainer")]


def test_while_it_is_rolled_out_a_restart_of_the_old_version_is_no_way_back(conn: Connection) -> None:
    began(conn, "v1", ago(hours=3))
    began(conn, "v2", ago(minutes=5))
    worker_instance(conn, component="mailer", version="v1")
    assert not began(conn, "v1", NOON)


def test_a_way_back_to_an_earlier_version_is_a_release(conn: Connection) -> None:
    for name, hours in (("v1", 3), ("v2", 2), ("v1", 1)):
        began(conn, name, ago(hours=hours))
    worker_instance(conn, component="mailer", version="v1", last_heartbeat_at=ago(hours=2))
    assert known(conn) == ["v2", "v1"]


def test_a_release_that_is_told_of_is_news_at_once_and_in_the_trail(conn: Connection) -> None:
    first = releases.record(conn, name=" 2026.48 ", actor=CI, at=ago(minutes=9), now=NOON)
    again = releases.record(conn, name="2026.48", actor=CI, now=NOON)
    kept = ("2026.48", None, ago(minutes=9))
    assert (first, again) == (releases.Recorded(*kept, created=True), releases.Recorded(*kept, created=False))
    assert known(conn) == ["2026.48"]
    assert conn.execute(select(operator_actions.c.action, operator_actions.c.target)).all() == [("release", "2026.48")]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\x00b"])
def test_a_release_has_a_name_that_can_be_kept(conn: Connection, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        releases.record(conn, name=name, actor=CI)


def test_none_begins_in_the_future(conn: Connection) -> None:
    assert releases.record(conn, name="v9", actor=CI, at=NOON + timedelta(hours=1), now=NOON).at == NOON


def test_what_began_after_a_release_finds_the_last_one_before_it(conn: Connection) -> None:
    for name, minutes in (("a", 30), ("b", 10)):
        releases.record(conn, name=name, actor=CI, at=ago(minutes=minutes), now=NOON)
    seen = between(conn, since=ago(days=1), until=NOON)
    within = timedelta(minutes=15)
    found = [before(seen, ago(minutes=minutes), within=within) for minutes in (31, 30, 14, 9, -6)]
    assert [each and each.name for each in found] == [None, "a", None, "b", None]
