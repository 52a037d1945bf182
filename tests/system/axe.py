"""Accessibility: what axe-core finds wrong with a page, in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[1] / "vendor/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = "(rules) => axe.run({runOnly: rules, resultTypes: ['violations']})"


def violations(page: Page) -> list[str]:
    """One line per element that breaks a rule of WCAG 2.2 AA or of good practice."""
    page.evaluate(SCRIPT.read_text())
    found: list[dict[str, Any]] = page.evaluate(RUN, RULES)["violations"]
    return [f"{rule['id']}: {node['html'][:160]} ({_why(node)})" for rule in found for node in rule["nodes"]]


def _why(node: dict[str, Any]) -> str:
    checks = [*node["any"], *node["all"], *node["none"]]
    return "; ".join(check["message"] for check in checks)
