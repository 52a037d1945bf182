"""Turn any exception into at most 4,000 safe characters, and a fingerprint that groups its like (A-32 to A-40)."""

from __future__ import annotations

import hashlib
import re
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from threading import Thread
from typing import NamedTuple

MAX_DETAIL = 4000
MAX_SUMMARY = 300
UNPRINTABLE = "The exception could not be shown."
EMAIL_WITHHELD = "Email delivery failed; provider detail withheld."
RULE = 1
"""The version of the rule by which messages are compared: one more with each change of what is made alike."""

_SECRETS = (
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,30}://)[^\s/@]{1,500}@"), r"\1[redacted]@"),
    (re.compile(r"(?i)\b(authorization\s*[:=]\s*)(?:\w{1,20}\s+)?[^\s,;'\"]{1,2000}"), r"\1[redacted]"),
    (re.compile(r"(?i)\b((?:token|secret|password|passwd|api_?key|access_?key|signature|sig)['\"]?\s*[=:]\s*)"
                r"['\"]?[^\s&,;'\"]{1,2000}"), r"\1[redacted]"),
    (re.compile(r"(?i)\b(bearer\s+)[^\s,;'\"]{1,2000}"), r"\1[redacted]"),
)  # fmt: skip
_PLACEHOLDERS = (
    (re.compile(r"'[^']{0,500}'|\"[^\"]{0,500}\"|`[^`]{0,500}`"), "‹text›"),
    (re.compile(r"(?i)\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"), "‹address›"),
    (re.compile(r"(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b"), "‹id›"),
    (re.compile(r"(?i)\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{8,})\b"), "‹hex›"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "‹n›"),
)
_SAID_WITHIN_SECONDS = 1
_LIBRARIES = re.compile(r"(?:site|dist)-packages|python3(?:\.\d+)?")
_KNOWN_STR = {kind.__str__ for kind in (BaseException, KeyError, OSError, SyntaxError, UnicodeError)}
_PLAIN = {str, int, float, bool, bytes, type(None)}
# What must not reach a log, a terminal or the database: control characters, and text direction overrides.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Failure:
    """What is kept of an exception; `detail` ends with the line that `summary` repeats."""

    error_type: str
    summary: str
    detail: str
    fingerprint: str

    @property
    def alike(self) -> str:
        """Its message as it is compared."""
        return alike(self.summary)


def describe(error: BaseException, *, handler_key: str, withhold: bool = False) -> Failure:
    """The failure of a handler; never raises. With `withhold`, the provider's own words are dropped (S1-108)."""
    error_type = safe_text(type(error).__name__, 200)
    if withhold:
        summary = detail = EMAIL_WITHHELD
    else:
        summary = _message(error)
        detail = _detail(error, error_type, summary)
    return Failure(error_type, summary[:MAX_SUMMARY], detail, fingerprint(handler_key, error_type, summary))


def fingerprint(handler_key: str, error_type: str, message: str) -> str:
    """The group an error belongs to: its message with ids, numbers, quotes, addresses and hex made alike."""
    return named(handler_key, error_type, alike(message))


def named(handler_key: str, error_type: str, message: str) -> str:
    """The same of a message that was made alike before."""
    return _digest(handler_key, error_type, message)


def exact_fingerprint(handler_key: str, error_type: str, message: str) -> str:
    """The group of one message alone, for errors that are kept apart by what they say."""
    return _digest(handler_key, error_type, message[:MAX_SUMMARY], "exactly")


def alike(message: str) -> str:
    """The message as it is compared: without the values that differ from one job to the next, or tell of a person."""
    return "".join(part.placeholder or part.text for part in parts(message))


class Part(NamedTuple):
    """A piece of a message, and what stands for it where its like are grouped; None where it stands for itself."""

    text: str
    placeholder: str | None = None


def parts(message: str) -> list[Part]:
    """The message in pieces: what is compared as it is, and what is made alike."""
    found = [Part(message[:MAX_SUMMARY])]
    for pattern, placeholder in _PLACEHOLDERS:
        found = [
            piece for each in found for piece in ([each] if each.placeholder else _pieces(each, pattern, placeholder))
        ]
    return found


def _pieces(part: Part, pattern: re.Pattern[str], placeholder: str) -> Iterator[Part]:
    end = 0
    for found in pattern.finditer(part.text):
        if before := part.text[end : found.start()]:
            yield Part(before)
        yield Part(found[0], placeholder)
        end = found.end()
    if rest := part.text[end:]:
        yield Part(rest)


def _digest(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def last_line(detail: str) -> str:
    """What of a stored error says it in one line: the words under the traceback."""
    return detail.rstrip().rsplit("\n", 1)[-1]


def safe_text(text: str, limit: int) -> str:
    """Text that PostgreSQL stores and a terminal prints harmlessly, redacted and cut to `limit` characters."""
    text = text[: 4 * limit].encode(errors="replace").decode()
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _message(error: BaseException) -> str:
    text = _said(error)
    if text is None:
        return UNPRINTABLE
    first_line = next((line for line in text[: 4 * MAX_DETAIL].splitlines() if line.strip()), "")
    return safe_text(first_line.strip(), MAX_SUMMARY)


def _said(error: BaseException) -> str | None:
    """What it says of itself; None when that cannot be had, or not within a second."""
    said: list[str] = []

    def say() -> None:
        with suppress(BaseException):
            said.append(str(error))

    if type(error).__str__ in _KNOWN_STR and all(type(each) in _PLAIN for each in error.args):
        say()
    else:
        speaker = Thread(target=say, name="exception", daemon=True)
        with suppress(RuntimeError):  # no more threads
            speaker.start()
            speaker.join(_SAID_WITHIN_SECONDS)
    return said[0] if said else None


def _detail(error: BaseException, error_type: str, summary: str) -> str:
    frames = traceback.extract_tb(error.__traceback__, limit=-12)
    lines = []
    for frame in frames[1:] or frames:  # the first frame is the executor's own call
        lines.append(f"{_where(frame.filename)}:{frame.lineno} in {frame.name}")
        if frame.line:
            lines.append(f"    {frame.line}")
    trace = safe_text("\n".join(lines), MAX_DETAIL)
    last = f"{error_type}: {summary}" if summary else error_type
    room = MAX_DETAIL - len(last) - 1
    return f"{trace[-room:]}\n{last}" if trace else last


def _where(filename: str) -> str:
    """The end of a path: of a library's, from where libraries lie, so that it can be told from the handler's own."""
    parts = PurePath(filename).parts
    libraries = [place for place, part in enumerate(parts) if _LIBRARIES.fullmatch(part)]
    return "/".join(parts[libraries[-1] :] if libraries else parts[-3:])
