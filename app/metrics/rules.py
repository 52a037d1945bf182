"""The alert rules as one console has them: with its address, and the severities that its settings ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from worker.errors import ConfigurationError

RULES = Path(__file__).with_name("alerts.yml")
WRITTEN_FOR = "http://127.0.0.1:8000"
"""The address in the file, which is that of a console without settings."""
NONE = "none"

_RULE = re.compile(r"^(?=      - alert: )", re.MULTILINE)
_LIMIT = re.compile(r'finding_(urgent_)?limit\{finding="(\w+)"\}')
_SEVERITY = re.compile(r"severity: \w+")
_ASKED = re.compile(r"([a-z_]{1,40})=([a-z][a-z0-9_-]{0,39})")


def written(address: str, asked: Iterable[str] = ()) -> str:
    """The rules, each with the severity that was asked for its kind, as in `late=critical`; `none` leaves it out."""
    head, *rules = _RULE.split(RULES.read_text("utf-8").replace(WRITTEN_FOR, address))
    by_kind = {_kind(rule): rule for rule in rules}
    wanted = dict(_asked(each, by_kind) for each in asked)
    kept = [_severe(rule, wanted.get(kind)) for kind, rule in by_kind.items() if wanted.get(kind) != NONE]
    return head + "".join(kept)


def _kind(rule: str) -> str:
    """What it tells, as /findings names it; with `urgent_` from the second limit on; `gone` for the console's own."""
    found = _LIMIT.search(rule)
    return f"{found[1] or ''}{found[2]}" if found else "gone"


def _asked(text: str, known: Mapping[str, str]) -> tuple[str, str]:
    found = _ASKED.fullmatch(text)
    if found is None or found[1] not in known:
        raise ConfigurationError(
            f"WATCHFLOOR_ALERT_SEVERITIES: must be like late=critical, of {', '.join(known)}; none leaves a rule out"
        )
    return found[1], found[2]


def _severe(rule: str, severity: str | None) -> str:
    return _SEVERITY.sub(f"severity: {severity}", rule, count=1) if severity else rule
