"""Secrets under data keys that only a key service can unwrap: it is asked once in minutes, not for each secret."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from worker.deadline import DeadlinePassed, within
from worker.envelope import sealed_text
from worker.envelope.data_keys import DataKey, OpenedKeys, SealingKey
from worker.envelope.sealed_text import NONCE_BYTES, SealedText
from worker.errors import EnvelopeError, NotOpened

Answer = TypeVar("Answer")

KEPT_SECONDS = 300
"""How long a key service is not asked again for what it said, nor a key that it refuses by now is done without."""


class KeyService(Protocol):
    """Where the key is that wraps. It may take its time: whoever asks has the deadline."""

    @property
    def kind(self) -> int:
        """The number by which a sealed text says whose it is."""

    def new_key(self) -> DataKey:
        """A new data key; EnvelopeError when there is none to be had."""

    def unwrap(self, wrapped: bytes) -> bytes:
        """The data key again; NotOpened when it was not wrapped there."""


class WrappedEnvelope:
    """AES-GCM under a data key; what a secret is for and how its key is wrapped is authenticated with it."""

    def __init__(
        self, service: KeyService, *, deadline_seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._service = service
        self._deadline_seconds = deadline_seconds
        self._clock = clock
        self._refused_until, self._refusal = 0.0, ""
        self._sealing = SealingKey(service.new_key, KEPT_SECONDS, clock)
        self._opened = OpenedKeys(KEPT_SECONDS, clock)

    def prepare(self) -> None:
        """Ask for a data key if none is at hand; a refusal counts for the sealing that follows, which asks no more."""
        if self._sealing.at_hand() is None and self._clock() >= self._refused_until:
            try:
                self._in_time(self._sealing.renewed)
            except EnvelopeError as error:
                self._refused_until, self._refusal = self._clock() + self._deadline_seconds, str(error)
                raise

    def seal(self, plain: bytes, *, bound_to: str) -> str:
        """The secret under the data key of these minutes."""
        under = self._sealing.at_hand() or self._renewed()
        kind, nonce = self._service.kind, os.urandom(NONCE_BYTES)
        authenticated = sealed_text.head(kind, under.wrapped) + bound_to.encode()
        return SealedText(kind, under.wrapped, nonce, AESGCM(under.key).encrypt(nonce, plain, authenticated)).written()

    def open(self, sealed: str, *, bound_to: str) -> bytes:
        """The secret; NotOpened when it is another key's, was changed, or is for something else."""
        text = sealed_text.read(sealed, kind=self._service.kind)
        authenticated = sealed_text.head(text.kind, text.wrapped) + bound_to.encode()
        try:
            return AESGCM(self._key(text.wrapped)).decrypt(text.nonce, text.ciphertext, authenticated)
        except (InvalidTag, ValueError):  # a ValueError is for a data key of no length that could be one
            raise NotOpened("the text was changed, or sealed for something else") from None

    def _renewed(self) -> DataKey:
        if self._clock() < self._refused_until:
            raise EnvelopeError(self._refusal)
        return self._in_time(self._sealing.renewed)

    def _key(self, wrapped: bytes) -> bytes:
        if (known := self._opened.get(wrapped)) is not None:
            return known
        key = self._in_time(lambda: self._service.unwrap(wrapped))
        self._opened.put(wrapped, key)
        return key

    def _in_time(self, question: Callable[[], Answer]) -> Answer:
        try:
            return within(self._deadline_seconds, question, name="key service")
        except DeadlinePassed:
            raise EnvelopeError(
                f"no answer within {self._deadline_seconds:g} s: the key service hangs, or the way to it does"
            ) from None
