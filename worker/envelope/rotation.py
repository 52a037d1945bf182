"""Several kinds of keys at once, for the time in which one follows the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from worker.errors import NotOpened

if TYPE_CHECKING:
    from worker.envelope import Envelope


class RotatingEnvelope:
    """The first seals; what one cannot open the next is given, unless it was out of order."""

    def __init__(self, envelopes: Sequence[Envelope]) -> None:
        self._envelopes = envelopes

    def prepare(self) -> None:
        """As the first does."""
        self._envelopes[0].prepare()

    def seal(self, plain: bytes, *, bound_to: str) -> str:
        """The secret as the first seals it."""
        return self._envelopes[0].seal(plain, bound_to=bound_to)

    def open(self, sealed: str, *, bound_to: str) -> bytes:
        """The secret; what the last one said when none opens it."""
        for each in self._envelopes[:-1]:
            try:
                return each.open(sealed, bound_to=bound_to)
            except NotOpened:
                continue
        return self._envelopes[-1].open(sealed, bound_to=bound_to)
