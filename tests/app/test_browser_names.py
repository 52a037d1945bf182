"""Browsers in words."""

from __future__ import annotations

import pytest

from app.browser_names import browser_name

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/142.0 Safari/537.36", "Chrome on Windows"),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/142.0 Safari/537.36 Edg/142.0", "Edge on Windows"),
        (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {WEBKIT} Version/18.1 Safari/605.1", "Safari on macOS"),
        (f"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) {WEBKIT} Mobile/15E148", "Safari on iPhone"),
        (f"Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/142.0 Mobile Safari/537.36", "Chrome on Android"),
        (f"{WEBKIT} Chrome/142.0", "Chrome"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("x" * 200, "x" * 60),
        ("", "Not said"),
        (None, "Not said"),
    ],
)
def test_a_browser_is_called_what_its_owner_calls_it(agent: str | None, name: str) -> None:
    assert browser_name(agent) == name
