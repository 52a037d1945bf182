"""The console's settings."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from app.settings import ConsoleSettings


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "HOST": "10.0.0.1",
        "PORT": "9000",
        "WATCHFLOOR_ENVIRONMENT": "production",
        "WATCHFLOOR_ALLOWED_HOSTS": "ops.example, desk.example",
        "WATCHFLOOR_TRUSTED_PROXIES": "10.0.0.0/8",
        "WATCHFLOOR_SECURE_COOKIES": "true",
        "WATCHFLOOR_SESSION_HOURS": "8",
    }.items():
        monkeypatch.setenv(name, value)
    settings = ConsoleSettings()
    assert (settings.host, settings.port, settings.environment) == ("10.0.0.1", 9000, "production")
    assert settings.allowed_hosts == ("ops.example", "desk.example")
    assert settings.trusted_proxies == ("10.0.0.0/8",)
    assert settings.secure_cookies is True
    assert settings.session_hours == 8


def test_cookies_follow_the_scheme_unless_told_otherwise(settings: ConsoleSettings) -> None:
    assert settings.secure_cookies is None
    assert ConsoleSettings.model_validate({"secure_cookies": "auto"}).secure_cookies is None
    assert ConsoleSettings.model_validate({"secure_cookies": "false"}).secure_cookies is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "65536"),
        ("port", "x"),
        ("environment", ""),
        ("session_hours", "0"),
        ("session_hours", "nan"),
        ("session_idle_hours", "-1"),
        ("streams_per_operator", "0"),
        ("secure_cookies", "sometimes"),
        ("url", "ops.example"),
        ("url", "https://ops.example/console"),
        ("url", "https://user@ops.example"),
        ("url", "javascript:alert(1)"),
        ("url", "https://ops.example\nx"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ValidationError, match=name):
        ConsoleSettings.model_validate({name: value})


@pytest.mark.parametrize(
    ("given", "address", "hosts"),
    [
        ({"url": "HTTPS://Ops.Example/"}, "https://ops.example", {"127.0.0.1", "ops.example"}),
        ({"url": "http://[::1]:9000"}, "http://[::1]:9000", {"127.0.0.1", "::1"}),
        ({"url": ""}, "http://127.0.0.1:8000", {"127.0.0.1"}),
        ({"host": "::"}, "http://localhost:8000", {"::"}),
        ({"host": "::1", "port": 9000}, "http://[::1]:9000", {"::1"}),
    ],
)
def test_links_lead_where_the_settings_say_and_the_console_answers_there(
    given: dict[str, Any], address: str, hosts: set[str]
) -> None:
    settings = ConsoleSettings.model_validate(given)
    assert (settings.address, set(settings.hosts)) == (address, hosts)
