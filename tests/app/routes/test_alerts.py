"""The alert rules: one for each thing that the Overview tells, on metrics that a scrape really has."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.metrics.findings import URGENT_WHEN_FAR
from app.metrics.rules import RULES, WRITTEN_FOR
from app.routes import OPEN, ROUTES
from tests import factories
from tests.app.routes.scrapes import scraped, values
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs, minute
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages.attention import KINDS

GROUPS: list[dict[str, Any]] = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
ALERTS: dict[str, dict[str, Any]] = {rule["alert"]: rule for group in GROUPS for rule in group["rules"]}
SELECTOR = re.compile(r"(watchfloor_\w+)((?:\{[^}]*\})?)")
LABEL = re.compile(r'(\w+)="([^"]*)"')
FOLLOWS = re.compile(r"max by \(job, finding\) \((\S+) >= (\S+)\)")


def selected(families: Any, selector: str) -> list[float]:
    """The values of the lines that the selector picks."""
    match = SELECTOR.fullmatch(selector)
    assert match
    return values(families, match[1], **dict(LABEL.findall(match[2])))


def fires(families: Any, alert: str) -> bool:
    """Whether a rule that compares a trouble with its limit would fire, for one console."""
    match = FOLLOWS.fullmatch(ALERTS[alert]["expr"])
    assert match
    [worst], [limit] = (selected(families, selector) for selector in match.groups())
    return worst >= limit


def test_each_thing_that_the_overview_tells_has_one_alert_and_one_more_where_it_grows_urgent() -> None:
    compared = [FOLLOWS.fullmatch(rule["expr"]) for rule in ALERTS.values() if "finding_" in rule["expr"]]
    findings = [[dict(LABEL.findall(side))["finding"] for side in match.groups()] for match in compared if match]
    assert sorted(findings) == sorted([kind] * 2 for kind in (*(kind.name for kind in KINDS), *URGENT_WHEN_FAR))
    assert len(ALERTS) == sum(len(group["rules"]) for group in GROUPS) == len(findings) + 1


@pytest.mark.postgresql
def test_each_expression_reads_what_a_scrape_has(api: TestClient) -> None:
    found = scraped(api)
    for name, rule in ALERTS.items():
        selectors = [match[0] for match in SELECTOR.finditer(rule["expr"])]
        assert selectors, name
        assert [each for each in selectors if len(selected(found, each)) != 1] == []


def test_each_alert_says_what_it_is_what_to_do_and_where() -> None:
    pages = {route.path for route in (*ROUTES, *OPEN)}
    for rule in ALERTS.values():
        said = rule["annotations"]
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert said.keys() == {"summary", "description", "runbook", "runbook_url"}
        assert said["runbook"].endswith(".")
        assert said["runbook_url"].startswith(f"{WRITTEN_FOR}/")
        assert urlsplit(said["runbook_url"]).path in pages


def unserved(conn: Connection) -> None:
    factories.job(conn)


def dying(conn: Connection) -> None:
    minute(conn, NOON - timedelta(minutes=2), outcome="dead_letter")


def hung(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, locked_at=NOON - timedelta(hours=1))


def left_behind(conn: Connection) -> None:
    factories.job(conn, status=Status.RUNNING, lease_expires_at=NOON - timedelta(minutes=5))


def silent(conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=NOON - timedelta(minutes=5))


def off(conn: Connection) -> None:
    factories.worker_instance(conn, clock_ahead_ms=-9000)


def far_behind(conn: Connection) -> None:
    factories.worker_instance(conn)
    jobs(conn, 3, available_at=NOON - timedelta(minutes=20), created_at=NOON - timedelta(minutes=1))


def paused(conn: Connection) -> None:
    factories.job(conn, queue="bulk")
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="a relay is down", now=NOON - timedelta(hours=1))


@pytest.mark.parametrize(
    ("cause", "alert"),
    [(unserved, "WorkUnserved"), (dying, "JobsDying"), (hung, "HandlerHung"), (left_behind, "JobsLeftBehind"),
     (silent, "WorkerSilent"), (off, "ClockOff"), (paused, "PauseLeftOn"), (far_behind, "QueueFarBehind")],
)  # fmt: skip
def test_an_alert_fires_when_there_is_cause(
    api: TestClient, app: Any, conn: Connection, cause: Callable[[Connection], None], alert: str
) -> None:
    assert not fires(scraped(api), f"Watchfloor{alert}")
    cause(conn)
    app.state.console.sampler.expire()
    assert fires(scraped(api), f"Watchfloor{alert}")
