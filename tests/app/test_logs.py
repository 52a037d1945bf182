"""The log: one event is one line, in either format, whatever its values carry (A-39, A-40)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from opentelemetry import trace

from app import logs
from app.settings import ConsoleSettings
from tests.telling import TRACE, ids, telling

FORGED = "x\n2026-01-01 INFO login ok user=admin \x1b[2J"


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()


def logged(capsys: pytest.CaptureFixture[str], settings: ConsoleSettings) -> list[str]:
    """The lines that two events with forged values leave, one ours and one of a library."""
    logs.configure(settings)
    structlog.get_logger("app.tests").warning("sign_in.failed", name=FORGED, names=[FORGED], tries=3)
    logging.getLogger("some.library").error("went wrong: %s", FORGED)
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("settings", [ConsoleSettings(log_format="console"), ConsoleSettings(log_format="json")])
def test_a_forged_line_stays_inside_its_own(capsys: pytest.CaptureFixture[str], settings: ConsoleSettings) -> None:
    lines = logged(capsys, settings)
    assert len(lines) == 2
    assert "sign_in.failed" in lines[0]
    assert "went wrong" in lines[1]
    assert not any("\x1b" in line for line in lines)


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    event = json.loads(logged(capsys, ConsoleSettings(log_format="json"))[0])
    assert (event["event"], event["level"], event["tries"]) == ("sign_in.failed", "warning", 3)
    assert event["timestamp"].endswith("Z")


def test_secrets_are_cut_from_values_and_tracebacks(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(ConsoleSettings())
    try:
        raise RuntimeError("postgres://u:hunter2@h/db\nAuthorization: Bearer hunter2")
    except RuntimeError:
        structlog.get_logger("app.tests").exception("broke", url="postgres://u:hunter2@h/db")
    text = capsys.readouterr().err
    assert "broke" in text
    assert "RuntimeError" in text
    assert "hunter2" not in text


def test_no_line_of_a_traceback_looks_like_an_event(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(ConsoleSettings())
    try:
        raise RuntimeError(FORGED)
    except RuntimeError:
        structlog.get_logger("app.tests").exception("broke")
    first, *traceback = capsys.readouterr().err.splitlines()
    assert "broke" in first
    assert traceback
    assert all(line.startswith("    ") for line in traceback)


def test_the_level_holds_back_what_is_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    lines = logged(capsys, ConsoleSettings(log_level="ERROR"))
    assert [line for line in lines if "sign_in.failed" in line] == []


def test_every_line_within_a_span_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(ConsoleSettings(log_format="json"))
    with telling() as told, trace.get_tracer("tests").start_as_current_span("work"):
        structlog.get_logger("app.tests").warning("within")
        structlog.get_logger("app.tests").warning("of another", trace_id=TRACE)
    structlog.get_logger("app.tests").warning("after")
    within, other, after = map(json.loads, capsys.readouterr().err.splitlines())
    assert (within["trace_id"], within["span_id"]) == ids(told.one("work"))
    assert (other["trace_id"], other.get("span_id")) == (TRACE, None)
    assert "trace_id" not in after
