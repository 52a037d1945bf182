"""The alert rules as a shell prints them."""

from __future__ import annotations

import yaml

from app.commands.alerts import RULES, WRITTEN_FOR
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
