"""The data keys at hand: the one that seals now, and those that were unwrapped lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

_OPENED_AT_MOST = 256
_SEALED_AT_MOST = 1 << 20
"""Secrets under one data key: nonces are random, and so few of them do not meet."""


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key of 256 bits, and as what the key service will know it again."""

    key: bytes
    wrapped: bytes


class SealingKey:
    """The key that seals now: a new one after a while, or after many secrets."""

    def __init__(self, make: Callable[[], DataKey], kept_seconds: float, clock: Callable[[], float]) -> None:
        self._make, self._kept_seconds, self._clock = make, kept_seconds, clock
        self._current: DataKey | None = None
        self._until, self._left = 0.0, 0
        self._making, self._taking = Lock(), Lock()

    def at_hand(self) -> DataKey | None:
        """The key for one more secret, unless the time has come for a new one."""
        with self._taking:
            if self._left <= 0 or self._clock() >= self._until:
                return None
            self._left -= 1
            return self._current

    def renewed(self) -> DataKey:
        """The same after a new one was made, by this caller or by one who came first."""
        with self._making:
            if (current := self.at_hand()) is not None:
                return current
            made = self._make()
            with self._taking:
                self._current, self._until = made, self._clock() + self._kept_seconds
                self._left = _SEALED_AT_MOST - 1
            return made


class OpenedKeys:
    """The keys by how they are wrapped; each is forgotten after a while, and the oldest where there are too many."""

    def __init__(self, kept_seconds: float, clock: Callable[[], float]) -> None:
        self._kept_seconds, self._clock = kept_seconds, clock
        self._keys: OrderedDict[bytes, tuple[bytes, float]] = OrderedDict()
        self._changing = Lock()

    def get(self, wrapped: bytes) -> bytes | None:
        """The key, if it was unwrapped lately."""
        with self._changing:
            key, until = self._keys.get(wrapped, (None, 0.0))
            return key if self._clock() < until else None

    def put(self, wrapped: bytes, key: bytes) -> None:
        """Have the key at hand from now on."""
        with self._changing:
            self._keys.pop(wrapped, None)
            self._keys[wrapped] = (key, self._clock() + self._kept_seconds)
            while len(self._keys) > _OPENED_AT_MOST:
                self._keys.popitem(last=False)
