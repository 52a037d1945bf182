"""The alert rules as a shell prints them."""

from __future__ import annotations

import pytest
import yaml

from app.metrics.rules import RULES, WRITTEN_FOR
from tests.app.shell import Shell


def test_the_rules_lead_to_the_console_that_printed_them() -> None:
    printed = Shell("").ok("alerts", WATCHFLOOR_URL="https://console.example.org")
    assert WRITTEN_FOR not in printed
    [group] = yaml.safe_load(printed)["groups"]
    links = {rule["annotations"]["runbook_url"] for rule in group["rules"]}
    assert "https://console.example.org/dead-letters" in links
    assert all(link.startswith("https://console.example.org/") for link in links)


def test_without_settings_they_are_as_the_file_has_them() -> None:
    assert Shell("").ok("alerts") == RULES.read_text("utf-8")


def severities(**environment: str) -> dict[str, str]:
    """Of each rule that is printed."""
    [group] = yaml.safe_load(Shell("").ok("alerts", **environment))["groups"]
    return {rule["alert"]: rule["labels"]["severity"] for rule in group["rules"]}


def test_how_severe_each_kind_is_the_deployment_says() -> None:
    asked = "late=critical, paused=none,unserved=page-night,urgent_behind=warning,gone=ticket"
    given, changed = severities(), severities(WATCHFLOOR_ALERT_SEVERITIES=asked)
    assert given.keys() - changed.keys() == {"WatchfloorPauseLeftOn"}
    assert {name: each for name, each in changed.items() if given[name] != each} == {
        "WatchfloorSuccessLate": "critical",
        "WatchfloorWorkUnserved": "page-night",
        "WatchfloorQueueFarBehind": "warning",
        "WatchfloorGone": "ticket",
    }


@pytest.mark.parametrize("asked", ["lately=critical", "late", "late=", "late=Very Bad", "late=a b"])
def test_a_severity_of_nothing_is_refused_by_the_name_of_the_setting(asked: str) -> None:
    assert "WATCHFLOOR_ALERT_SEVERITIES" in Shell("").refused("alerts", code=78, WATCHFLOOR_ALERT_SEVERITIES=asked)
