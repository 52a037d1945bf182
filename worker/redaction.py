"""What of a payload people see only when they ask to: paths that a registration names, as in `customer.email`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worker.errors import ConfigurationError

ANY = "*"
MAX_PATHS, MAX_PATH = 100, 500


@dataclass(frozen=True, slots=True)
class Redaction:
    """Paths of names and places in lists, where `*` is any of them; each closes what is there and all within it."""

    paths: tuple[tuple[str, ...], ...] = ()

    def covers(self, path: Sequence[str]) -> bool:
        """Whether what is at the path, or something that holds it, is closed."""
        return any(_leads_to(each, path) for each in self.paths)

    def __bool__(self) -> bool:
        """Whether anything is closed."""
        return bool(self.paths)


OPEN = Redaction()
"""Nothing is closed."""


def redaction(subject: str, paths: Sequence[str]) -> Redaction:
    """The paths that were declared of `subject`; ConfigurationError when one of them can match nothing."""
    if isinstance(paths, str) or len(paths) > MAX_PATHS:
        raise ConfigurationError(f"{subject}: redact must be a list of up to {MAX_PATHS} paths")
    for path in paths:
        if len(path) > MAX_PATH or not all(path.split(".")):
            raise ConfigurationError(
                f"{subject}: redact {path[:60]!r}: must be names with dots between, as in a.b or a.*.c"
            )
    return Redaction(tuple(tuple(path.split(".")) for path in paths))


def _leads_to(closed: Sequence[str], path: Sequence[str]) -> bool:
    return len(closed) <= len(path) and all(name in (ANY, there) for name, there in zip(closed, path, strict=False))
