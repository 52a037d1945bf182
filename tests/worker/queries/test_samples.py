"""Samples: one a minute, whoever takes it; what is past its time goes."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select

from tests.factories import NOON
from worker.model import new_id
from worker.queries.pages import samples as read
from worker.queries.pages.samples import Depth
from worker.queries.samples import MOST_PAIRS, MOST_TENANT_PAIRS, Pair, Sample, TenantPair, prune, write
from worker.queries.schema import backlog_minutes, finding_minutes, sample_minutes, tenant_backlog_minutes

MINUTE = timedelta(minutes=1)
MAIL = Pair("mail", "send_email", ready=3, oldest_seconds=40, running=1)


def test_the_first_to_look_at_a_minute_writes_it(conn: Connection) -> None:
    assert write(conn, Sample(ready=3, pairs=[MAIL]), now=NOON)
    assert not write(conn, Sample(ready=9), now=NOON + timedelta(seconds=59))
    assert write(conn, Sample(ready=4), now=NOON + MINUTE)
    assert conn.execute(select(sample_minutes.c.ready).order_by(sample_minutes.c.minute)).scalars().all() == [3, 4]


def test_what_is_not_amiss_is_not_written(conn: Connection) -> None:
    write(conn, Sample(findings={"behind": 0.0, "silent": 61.5}), now=NOON)
    assert conn.execute(select(finding_minutes.c.kind, finding_minutes.c.value)).all() == [("silent", 61.5)]


def test_of_a_minute_with_too_many_pairs_the_deepest_are_kept(conn: Connection) -> None:
    pairs = [Pair(f"queue-{place}", "nothing", ready=place) for place in range(MOST_PAIRS + 5)]
    write(conn, Sample(pairs=pairs), now=NOON)
    kept = conn.execute(select(backlog_minutes.c.ready)).scalars().all()
    assert (len(kept), min(kept)) == (MOST_PAIRS, 5)


def test_of_a_minute_with_too_many_of_tenants_the_deepest_are_kept_and_the_rest_is_not_known(conn: Connection) -> None:
    theirs = [TenantPair(new_id(), Pair("mail", "nothing", ready=place)) for place in range(MOST_TENANT_PAIRS + 5)]
    write(conn, Sample(tenants=theirs), now=NOON)
    write(conn, Sample(tenants=theirs[:3]), now=NOON + MINUTE)
    kept = select(tenant_backlog_minutes.c.ready).where(tenant_backlog_minutes.c.minute == NOON)
    assert len(found := conn.execute(kept).scalars().all()) == MOST_TENANT_PAIRS
    assert min(found) == 5
    in_full = select(sample_minutes.c.tenants_in_full).order_by(sample_minutes.c.minute)
    assert conn.execute(in_full).scalars().all() == [False, True]


def test_a_minute_of_eight_days_ago_goes_an_hour_at_a_time(conn: Connection) -> None:
    for days, minutes in ((10, 0), (10, 59), (10, 61), (8, 1), (8, -1)):
        write(conn, Sample(pairs=[MAIL], findings={"silent": 1}), now=NOON - timedelta(days=days, minutes=minutes))
    assert [prune(conn, now=NOON) for _ in range(4)] == [6, 3, 3, 0]
    assert conn.execute(select(sample_minutes.c.minute)).scalars().all() == [NOON - timedelta(days=8, minutes=-1)]


def test_a_backlog_is_read_in_slots_each_the_most_that_was_seen(conn: Connection) -> None:
    other = Pair("mail", "digest", ready=1, oldest_seconds=90)
    write(conn, Sample(ready=4, oldest_seconds=90, pairs=[MAIL, other]), now=NOON)
    write(conn, Sample(ready=2, pairs=[Pair("bulk", "train", ready=2)]), now=NOON + MINUTE)
    write(conn, Sample(), now=NOON + 5 * MINUTE)
    span: dict[str, Any] = {"since": NOON, "until": NOON + 10 * MINUTE}
    later = NOON + 5 * MINUTE
    of_all = read.backlog(conn, **span, slot_seconds=300)
    assert of_all == [Depth(NOON, ready=4, oldest_seconds=90), Depth(later)]
    of_mail = read.backlog(conn, **span, slot_seconds=300, queue="mail")
    assert of_mail == [Depth(NOON, ready=4, oldest_seconds=90, running=1), Depth(later)]
    of_train = read.backlog(conn, **span, slot_seconds=60, handler_key="train")
    assert [each.ready for each in of_train] == [0, 2, 0]
    of_both = read.backlog(conn, **span, slot_seconds=300, queue="mail", handler_key="train")
    assert of_both == [Depth(NOON), Depth(later)]


@pytest.mark.parametrize(("threshold", "times"), [(10, 3), (60, 2), (61, 0)])
def test_a_threshold_fires_once_for_what_does_not_go_away(conn: Connection, threshold: float, times: int) -> None:
    for place, value in enumerate([10, 60, 60, 9, 60, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 20]):
        write(conn, Sample(findings={"silent": value, "other": 100}), now=NOON + place * MINUTE)
    found = read.fired(conn, {"silent": threshold, "never": 1}, since=NOON - timedelta(days=7))
    assert found == ({"silent": times} if times else {})


def test_how_long_it_was_watched_is_known(conn: Connection) -> None:
    for place in (0, 1, 5):
        write(conn, Sample(), now=NOON + place * MINUTE)
    assert read.watched(conn, since=NOON, until=NOON + 60 * MINUTE) == 3 * MINUTE
