"""What Prometheus reads: the pages' figures, the same from every console, at the cost of one look."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from sqlalchemy import Connection, Engine, delete, event
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main
from app.metrics.names import MOST, OTHERS
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import browser, signed_in, trail
from tests.app.routes.programs import problem, program, token
from tests.app.routes.scrapes import lines, scraped, values
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs, minute
from worker.model import Status
from worker.queries import queues, totals
from worker.queries.audit import Actor
from worker.queries.schema import statistics_minutes

LABELS = {"component", "finding", "job_type", "le", "outcome", "queue", "state", "version"}
HOSTILE = 'a "worker"\\ of {state="x"} 1\nwatchfloor_workers 7 é'


def busy(conn: Connection) -> None:
    """Some of everything."""
    tenant_id = factories.tenant(conn, "acme", onboarding_status="provisioning")
    factories.worker_instance(conn, component="mailer", concurrency=4)
    factories.job(conn, queue="mail", tenant_id=tenant_id)
    factories.job(conn, queue="mail", job_type="train", available_at=NOON - timedelta(minutes=2))
    factories.job(conn, queue="mail", scheduled=True, available_at=NOON + timedelta(hours=1))
    factories.job(conn, queue="mail", status=Status.RUNNING)
    factories.job(conn, status=Status.FAILED, error_summary="no mail for dana@example.org")
    totals.advance(conn, now=NOON - timedelta(minutes=10))
    minute(conn, NOON - timedelta(minutes=2), jobs=10, run_ms=2000, runs={300: 10})
    minute(conn, NOON - timedelta(minutes=2), outcome="dead_letter", jobs=3)
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="the relay is down", now=NOON - timedelta(minutes=5))


def test_the_figures_of_the_pages_are_there(api: TestClient, conn: Connection) -> None:
    busy(conn)
    found = scraped(api)
    assert lines(found["watchfloor_open_jobs"])["render_report", "mail", "scheduled"] == 1
    assert lines(found["watchfloor_open_jobs"])["render_report", "mail", "running"] == 1
    assert lines(found["watchfloor_open_jobs"])["train", "mail", "ready"] == 1
    assert lines(found["watchfloor_ready_jobs"]) == {("mail",): 2}
    assert lines(found["watchfloor_dead_letters"]) == {(): 1}
    assert lines(found["watchfloor_oldest_ready_seconds"])["render_report", "mail"] == 600
    assert lines(found["watchfloor_unserved_jobs"]) == {("train",): 1}
    assert lines(found["watchfloor_queue_paused_seconds"]) == {("bulk",): 300}
    assert lines(found["watchfloor_workers"]) == {("mailer", "live"): 1}
    assert (lines(found["watchfloor_worker_slots"]), lines(found["watchfloor_worker_busy_slots"])) == (
        {("mailer",): 4}, {("mailer",): 1},
    )  # fmt: skip
    assert lines(found["watchfloor_tenants"]) == {("provisioning",): 1}
    assert lines(found["watchfloor_sampled_timestamp_seconds"]) == {(): NOON.timestamp()}


def test_what_ended_is_told_by_outcome_with_how_long_it_ran(api: TestClient, conn: Connection) -> None:
    busy(conn)
    found = scraped(api)
    ended = lines(found["watchfloor_attempts"])
    assert ended == {("render_report", "succeeded", "mail"): 10, ("render_report", "dead_lettered", "mail"): 3}
    of_pair = {"queue": "mail", "job_type": "render_report"}
    runs = [values(found, "watchfloor_run_seconds_bucket", le=bound, **of_pair) for bound in ("0.1", "0.3", "+Inf")]
    assert runs == [[0], [10], [10]]
    assert values(found, "watchfloor_run_seconds_sum", **of_pair) == [2]
    assert values(found, "watchfloor_run_seconds_count", **of_pair) == [10]
    assert lines(found["watchfloor_attempts_failed_per_minute"])["render_report", "mail"] == pytest.approx(0.6)


def test_every_trouble_has_how_bad_it_is_and_its_limit(conn: Connection, console_rw: Engine, swift: None) -> None:
    busy(conn)
    settings = ConsoleSettings.model_validate({"finding_unserved_seconds": 45})
    app = main.create_app(settings, engine=console_rw, now=NOON)
    found = scraped(program(app, token(conn)))
    worst, limits = lines(found["watchfloor_finding_worst"]), lines(found["watchfloor_finding_limit"])
    assert worst.keys() == limits.keys()
    assert (worst["unserved",], limits["unserved",]) == (120, 45)
    assert (worst["dead",], limits["dead",]) == (3, 1)


def test_every_family_says_what_it_is_in_labels_that_are_bounded(api: TestClient, conn: Connection) -> None:
    busy(conn)
    answer = api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    for family in scraped(api).values():
        assert family.name.startswith("watchfloor_")
        assert family.documentation.endswith(".")
        assert family.type in ("gauge", "counter", "histogram")
        assert {name for sample in family.samples for name in sample.labels} <= LABELS
    for private in ("acme", "dana", "example.org", "relay is down", "worker-1", "ops-1"):
        assert private not in answer.text


def test_openmetrics_is_spoken_where_it_is_asked_for(api: TestClient, conn: Connection) -> None:
    busy(conn)
    answer = api.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert "watchfloor_open_jobs" in {family.name for family in openmetrics(answer.text)}  # type: ignore[no-untyped-call] # the library has no types there


def test_a_name_can_break_no_line(api: TestClient, conn: Connection) -> None:
    factories.worker_instance(conn, component=HOSTILE)
    assert lines(scraped(api)["watchfloor_workers"]) == {(HOSTILE, "live"): 1}


def test_of_very_many_queues_the_rest_are_told_together(api: TestClient, conn: Connection) -> None:
    for place in range(MOST + 30):
        factories.job(conn, queue=f"queue-{place:03}")
    jobs(conn, 5, queue="deep")
    found = scraped(api)
    ready, opened = lines(found["watchfloor_ready_jobs"]), lines(found["watchfloor_open_jobs"])
    assert (len(ready), ready["deep",], ready[OTHERS,]) == (MOST + 1, 5, 31)
    assert (len(opened), opened[OTHERS, OTHERS, "ready"]) == (4 * (MOST + 1), 31)
    assert sum(ready.values()) == MOST + 35


def test_every_console_says_the_same_also_one_that_was_just_started(
    api: TestClient, conn: Connection, settings: ConsoleSettings, console_rw: Engine, swift: None
) -> None:
    busy(conn)
    another = program(main.create_app(settings, engine=console_rw, now=NOON), token(conn, "another"))
    assert another.get("/metrics").text == api.get("/metrics").text


def test_counters_go_on_while_their_minutes_are_added_up_and_forgotten(
    app: Starlette, api: TestClient, conn: Connection
) -> None:
    busy(conn)
    before = lines(scraped(api)["watchfloor_attempts"])
    totals.advance(conn, now=NOON + timedelta(minutes=10))
    conn.execute(delete(statistics_minutes))
    app.state.console.sampler.expire()
    assert lines(scraped(api)["watchfloor_attempts"]) == before


def test_a_counter_that_was_there_first_stays_itself_when_there_are_very_many(
    api: TestClient, conn: Connection
) -> None:
    busy(conn)
    minute(conn, NOON - timedelta(minutes=8), queue="the-first", jobs=7)
    totals.advance(conn, now=NOON - timedelta(seconds=1))
    for place in range(MOST + 5):
        minute(conn, NOON, queue=f"queue-{place:03}", jobs=20)
    ended = lines(scraped(api)["watchfloor_attempts"])
    assert ended["render_report", "succeeded", "the-first"] == 7
    assert sum(ended.values()) == 7 + 13 + 20 * (MOST + 5)
    assert len({labels[2] for labels in ended}) == MOST + 1


def test_however_many_scrape_the_database_is_asked_for_one(
    app: Starlette, api: TestClient, conn: Connection, console_rw: Engine
) -> None:
    busy(conn)
    seen: list[str] = []
    event.listen(console_rw, "before_cursor_execute", lambda *arguments: seen.append(arguments[2]))
    api.get("/metrics")
    first = len([statement for statement in seen if statement != "BEGIN"])
    app.state.console.sampler._due_at = math.inf  # as if no second went by
    del seen[:]
    answers = {api.get("/metrics").text for _ in range(3)}
    assert (len(answers), [statement for statement in seen if "api_tokens" not in statement]) == (1, [])
    assert 10 <= first <= 26


def test_a_page_that_was_looked_at_leaves_its_figures_for_the_scrape(
    app: Starlette, api: TestClient, conn: Connection
) -> None:
    browser(app, signed_in(conn)).get("/queues")
    sampler = app.state.console.sampler
    known, sampler._due_at = sampler.last, math.inf
    api.get("/metrics")
    assert sampler.last is known
    sampler.expire()
    factories.job(conn, queue="fresh")
    assert lines(scraped(api)["watchfloor_ready_jobs"]) == {("fresh",): 1}


def test_it_is_read_by_tokens_of_its_scope_alone(app: Starlette, api: TestClient, conn: Connection) -> None:
    shown = program(app, token(conn, "ci", "releases:write", "tenants:read"))
    assert problem(shown.get("/metrics"), 403)["detail"] == "The token lacks the scope metrics:read."
    assert (trail(conn)[-1].actor, trail(conn)[-1].action, trail(conn)[-1].outcome) == (
        "token:ci",
        "metrics",
        "refused",
    )
    problem(program(app, None).get("/metrics"), 401)
    problem(browser(app, signed_in(conn, "ada", "admin")).get("/metrics"), 401)
    assert program(app, token(conn, "prometheus", "metrics:read")).get("/metrics").status_code == 200
    assert problem(api.post("/metrics"), 405)
