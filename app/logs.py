"""The process's log, on standard error: one event is one line, whatever its values carry (A-39, A-40)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from app.text import escaped
from worker.failures import safe_text
from worker.settings import WorkerSettings
from worker.tracing import tracing

_LONGEST_VALUE = 2000
_LONGEST_TRACEBACK = 8000


def configure(settings: WorkerSettings) -> None:
    """Send everything that is logged, ours and the libraries', through one format; of theirs only what is wrong."""
    level = logging.getLevelNamesMapping()[settings.log_level]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        traced,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        harmless,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(shared, settings))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for ours in ("app", "worker"):
        logging.getLogger(ours).setLevel(level)


def traced(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Every line names the span that it is written in, if it does not name another."""
    if "trace_id" not in event:
        event.update(tracing().here().ids)
    return event


def harmless(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """No value can start a line of its own, drive a terminal or carry a password."""
    return {name: _traceback(value) if name == "exception" else _plain(value) for name, value in event.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return escaped(safe_text(value, _LONGEST_VALUE))
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return value


def _traceback(text: str) -> str:
    lines = safe_text(text, _LONGEST_TRACEBACK).split("\n")
    return "\n".join(f"    {escaped(line)}" for line in lines)


def _formatter(shared: Sequence[Processor], settings: WorkerSettings) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(settings)],
    )


def _renderer(settings: WorkerSettings) -> Processor:
    if settings.log_format == "json":
        return structlog.processors.JSONRenderer()
    colours = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    return structlog.dev.ConsoleRenderer(colors=colours, exception_formatter=structlog.dev.plain_traceback)
