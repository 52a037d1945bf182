"""Accessibility: what axe-core finds wrong with a page, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

Rules = dict[str, Any]

SCRIPT = Path(__file__).parents[1] / "vendor/axe-core/axe.min.js"
STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]

LOOKS_AT: dict[str, Rules] = {
    "light": {"runOnly": STANDARD},
    "narrow": {"runOnly": STANDARD, "rules": {rule: {"enabled": False} for rule in COLOURS}},
    "dark": {"runOnly": COLOURS},
}
"""What can differ in each look: a phone has no colours of its own and shows nothing that others do not."""

IS_THERE = "() => 'axe' in window"
RUN = "(rules) => axe.run({...rules, resultTypes: ['violations']})"


def violations(page: Page, rules: Rules) -> list[str]:
    """One line per element that breaks a rule of WCAG 2.2 AA or of good practice."""
    if not page.evaluate(IS_THERE):
        page.evaluate(SCRIPT.read_text())
    found: list[dict[str, Any]] = page.evaluate(RUN, rules)["violations"]
    return [f"{rule['id']}: {node['html'][:160]} ({_why(node)})" for rule in found for node in rule["nodes"]]


def _why(node: dict[str, Any]) -> str:
    checks = [*node["any"], *node["all"], *node["none"]]
    return "; ".join(check["message"] for check in checks)
