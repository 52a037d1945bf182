"""Workers: each with its state, what it can run and runs; who can run what; what nobody serves."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import AttemptOutcome, Status
from worker.queries import statistics
from worker.queries.statistics import Measured


def test_no_worker_yet_is_explained(visitor: Visitor) -> None:
    page = visitor("viewer").get("/workers")
    assert page.status_code == 200
    assert "No worker was heard of in the last hour" in page.text
    assert "Stopped, or silent" not in page.text


def test_a_line_tells_state_pulse_types_queues_slots_and_jobs(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, label="mail-1", job_types=["mail", "report"], queues=["bulk", "mail"])
    job_id = factories.job(conn, status=Status.RUNNING, job_type="mail", locked_at=NOON - timedelta(seconds=5))
    factories.job(conn, status=Status.RUNNING, job_type="mail")
    page = visitor("viewer").get("/workers").text
    (row,) = cells(page)
    assert row == ["mail-1 ops-1 · 0.1.0", "live", "", "3 s", "mail report", "bulk, mail", "2 / 8", "mail ×2 5 s"]
    assert f'href="/jobs/{job_id}"' in page
    assert "Last 28 beats: 0 missed, 0 late" in page


def test_states_are_told_in_words(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "a", component="a")
    factories.worker_instance(conn, "b", component="b", drain_requested_at=NOON - timedelta(minutes=2))
    factories.worker_instance(conn, "c", component="c", last_heartbeat_at=NOON - timedelta(minutes=41))
    factories.worker_instance(conn, "d", component="d", stopped_at=NOON)
    states = {row[0].split()[0]: row[1] for row in cells(visitor("viewer").get("/workers").text)}
    assert states == {"c": "silent", "a": "live", "b": "draining for 2 min", "d": "stopped"}


def test_a_job_past_half_its_time_shows_the_limit(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, locked_at=NOON - timedelta(minutes=20))
    (row,) = cells(visitor("viewer").get("/workers").text)
    assert row[-1] == "render_report 20 min of 30 min"


def test_what_nobody_serves_is_said_above_the_list(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["train"], last_heartbeat_at=NOON - timedelta(minutes=41))
    factories.job(conn, job_type="train", available_at=NOON - timedelta(minutes=41))
    page = visitor("viewer").get("/workers").text
    banner = re.search(r'<div class="banner".*?</div>', page, re.DOTALL)
    assert banner
    assert plain(banner[0]) == (
        "Not served: train has 1 ready job on default, the oldest 41 min old, and no live worker takes them."
    )
    assert '<span class="chip" data-alarm>train</span>' in page
    assert "41 min" in plain(page.rpartition('class="mono strong">train')[2].partition("</tr>")[0])


def test_what_hangs_is_said_above_the_list_with_its_worker_and_job(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, label="mail-1")
    job_id = factories.job(conn, status=Status.RUNNING, locked_at=NOON - timedelta(minutes=41))
    factories.job(conn, status=Status.RUNNING, locked_by="dead", locked_at=NOON - timedelta(minutes=50))
    page = visitor("viewer").get("/workers").text
    banner = re.search(r'<div class="banner" data-tone="dead".*?</div>', page, re.DOTALL)
    assert banner
    assert plain(banner[0]).startswith(
        "Hung render_report on mail-1 has run for 41 min . The limit is 30 min: it was told to stop"
    )
    assert f'href="/jobs/{job_id}"' in banner[0]
    assert page.count('data-tone="dead"') == 1


def test_what_runs_far_longer_than_usual_says_so(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, locked_at=NOON - timedelta(minutes=2))
    statistics.add(conn, [Measured("render_report", "default", AttemptOutcome.COMPLETED, 2000, 0)] * 5, now=NOON)
    (row,) = cells(visitor("viewer").get("/workers").text)
    assert row[-1] == "render_report 2 min , usually 2.0 s"


def test_processes_of_one_component_that_differ_are_told_apart(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "a1", component="a", label="a-1", job_types=["mail"])
    factories.worker_instance(conn, "a2", component="a", label="a-2", job_types=["mail", "report"])
    text = plain(visitor("viewer").get("/workers").text)
    assert "a is the name of processes that differ: a-1 runs no more than all do; a-2 runs report ." in text
    assert "report 1 of 2" in text


def test_the_matrix_says_who_could(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "a", component="mailer", job_types=["mail"])
    factories.worker_instance(
        conn, "b", component="trainer", job_types=["train"], last_heartbeat_at=NOON - timedelta(1 / 48)
    )
    factories.job(conn, job_type="train")
    page = visitor("viewer").get("/workers").text
    assert 'aria-label="1 can run it"' in page
    assert 'aria-label="only a silent worker could"' in page


def test_only_operators_may_drain_and_only_who_is_live(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "live")
    factories.worker_instance(conn, "silent", last_heartbeat_at=NOON - timedelta(minutes=5))
    text = visitor("operator").get("/workers").text
    assert "/workers/live/drain" in text
    assert "/workers/silent/drain" not in text
    assert "/drain" not in visitor("viewer").get("/workers").text


def test_those_that_are_gone_have_a_list_of_their_own(visitor: Visitor, conn: Connection) -> None:
    for place in range(51):
        factories.worker_instance(conn, f"w{place}", stopped_at=NOON)
    browser = visitor("viewer")
    folded = browser.get("/workers").text
    assert len(cells(folded)) == 10
    assert 'href="/workers?show=gone"' in folded
    first = browser.get("/workers?show=gone").text
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    second = browser.get(following[1].replace("&amp;", "&")).text
    assert (len(cells(first)), len(cells(second))) == (50, 1)


def test_an_empty_list_of_the_gone_says_so(visitor: Visitor) -> None:
    assert "None is gone" in visitor("viewer").get("/workers?show=gone").text


def test_names_are_shown_as_text(visitor: Visitor, conn: Connection) -> None:
    evil = "<b onclick=alert(1)>"
    factories.worker_instance(conn, evil, label=evil, host=evil, version=evil, job_types=[evil], queues=[evil])
    text = visitor().get("/workers").text
    assert evil not in text
    assert "&lt;b onclick" in text


@pytest.mark.parametrize("query", ["show=all", "show=", "cursor=x", "cursor=" + "9" * 5000, "show=gone&cursor=WzFd"])
def test_what_the_address_cannot_mean_is_refused_by_name(visitor: Visitor, query: str) -> None:
    answer = visitor("viewer").get(f"/workers?{query}")
    assert answer.status_code == 400
    assert ("cursor:" if "cursor" in query else "show:") in answer.text


@pytest.mark.parametrize(("name", "tag"), [("troubles", "div"), ("present", "section"), ("matrix", "section")])
def test_a_region_answers_with_itself_alone(visitor: Visitor, conn: Connection, name: str, tag: str) -> None:
    factories.worker_instance(conn)
    text = visitor().get("/workers", headers={"HX-Request": "true", "HX-Target": f"{tag}#{name}"}).text
    assert re.findall(r'id="([a-z]+)" data-region', text) == [name]
    assert "<html" not in text
