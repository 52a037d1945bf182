"""What is made at the first use, once for all threads, and closed with whoever has it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Once(Generic[Made]):
    """Calls `make` at the first call; what that leaves to be closed is, when this object goes, not some time later."""

    def __init__(self, make: Callable[[ExitStack], Made]) -> None:
        self._make = make
        self._making = Lock()
        self._made: list[Made] = []

    def __call__(self) -> Made:
        """What was made; while one thread makes it, the others wait."""
        with self._making:
            if not self._made:
                to_close = ExitStack()
                self._made.append(self._make(to_close))
                weakref.finalize(self, to_close.close)
            return self._made[0]
