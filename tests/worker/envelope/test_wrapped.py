"""Secrets under data keys: when the key service is asked, and what it and others may not do."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from threading import Barrier, Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worker.envelope.complaints import JOB, OTHER_JOB, OTHER_TENANT, SECRET, opening_fails, sealing_fails
from worker.envelope import sealed_text
from worker.envelope.data_keys import DataKey, OpenedKeys, SealingKey
from worker.envelope.wrapped import KEPT_SECONDS, WrappedEnvelope
from worker.errors import EnvelopeError, NotOpened


@dataclass
class Service:
    """A key service that remembers which keys it made."""

    kind: int = ord("T")
    keys: dict[bytes, bytes] = field(default_factory=dict)
    unwrapped: list[bytes] = field(default_factory=list)
    numbers: count[int] = field(default_factory=count)

    def new_key(self) -> DataKey:
        wrapped = b"wrapped %d" % next(self.numbers)
        self.keys[wrapped] = wrapped.ljust(32, b"!")
        return DataKey(self.keys[wrapped], wrapped)

    def unwrap(self, wrapped: bytes) -> bytes:
        self.unwrapped.append(wrapped)
        if wrapped not in self.keys:
            raise NotOpened("the service knows no such key")
        return self.keys[wrapped]


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


Made = Callable[[Service], WrappedEnvelope]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def made(clock: Clock) -> Made:
    """An envelope at that service."""
    return lambda service: WrappedEnvelope(service, deadline_seconds=5, clock=clock)


def test_many_secrets_take_one_data_key_and_another_process_asks_once_to_open_them(made: Made) -> None:
    service = Service()
    sealed = [made(service).seal(b"%d" % number, bound_to=JOB) for number in range(2)]
    assert len(service.keys) == 2
    sealing, opening = made(service), made(service)
    sealed = [sealing.seal(b"%d" % number, bound_to=JOB) for number in range(50)]
    assert len(service.keys) == 3
    assert [opening.open(each, bound_to=JOB) for each in sealed] == [b"%d" % number for number in range(50)]
    assert service.unwrapped == [b"wrapped 2"]


def test_a_data_key_is_used_for_minutes_and_not_longer(made: Made, clock: Clock) -> None:
    service = Service()
    envelope = made(service)
    first = envelope.seal(SECRET, bound_to=JOB)
    clock.now += KEPT_SECONDS - 1
    envelope.seal(SECRET, bound_to=JOB)
    envelope.open(first, bound_to=JOB)
    clock.now += 1
    envelope.seal(SECRET, bound_to=JOB)
    envelope.open(first, bound_to=JOB)
    envelope.open(first, bound_to=JOB)
    assert (len(service.keys), len(service.unwrapped)) == (2, 1)
    service.keys.clear()
    clock.now += KEPT_SECONDS - 2
    assert envelope.open(first, bound_to=JOB) == SECRET
    clock.now += 1
    assert "no such key" in opening_fails(envelope, first)


def test_a_data_key_seals_only_so_many_secrets(monkeypatch: pytest.MonkeyPatch, made: Made) -> None:
    monkeypatch.setattr("worker.envelope.data_keys._SEALED_AT_MOST", 3)
    service = Service()
    envelope = made(service)
    for _ in range(7):
        envelope.seal(SECRET, bound_to=JOB)
    assert len(service.keys) == 3


def test_threads_that_come_at_once_share_one_new_data_key(clock: Clock) -> None:
    service, together = Service(), Barrier(8)
    sealing = SealingKey(service.new_key, KEPT_SECONDS, clock)

    def take() -> bytes:
        together.wait(10)
        return (sealing.at_hand() or sealing.renewed()).wrapped

    with ThreadPoolExecutor(8) as pool:
        assert {each.result(10) for each in [pool.submit(take) for _ in range(8)]} == {b"wrapped 0"}


def test_of_opened_keys_the_oldest_is_forgotten_first(clock: Clock) -> None:
    opened = OpenedKeys(KEPT_SECONDS, clock)
    for number in range(257):
        opened.put(b"%d" % number, b"key %d" % number)
    assert (opened.get(b"0"), opened.get(b"1"), opened.get(b"256")) == (None, b"key 1", b"key 256")


@pytest.mark.parametrize("presented", [OTHER_JOB, OTHER_TENANT, ""])
def test_it_opens_for_nothing_else(made: Made, presented: str) -> None:
    envelope = made(Service())
    sealed = envelope.seal(SECRET, bound_to=JOB)
    assert opening_fails(envelope, sealed, bound_to=presented).endswith("sealed for something else")


def test_the_key_of_one_secret_is_not_taken_for_another(made: Made) -> None:
    service = Service()
    first, second = (sealed_text.read(made(service).seal(SECRET, bound_to=JOB), kind=service.kind) for _ in range(2))
    mixed = sealed_text.SealedText(service.kind, first.wrapped, second.nonce, second.ciphertext).written()
    assert opening_fails(made(service), mixed).endswith("sealed for something else")


def test_a_key_service_that_hangs_is_waited_for_only_so_long() -> None:
    free = Event()

    class Hanging(Service):
        def new_key(self) -> DataKey:
            free.wait(30)
            raise EnvelopeError("let go")

    began = time.monotonic()
    assert "no answer within 0.2 s" in sealing_fails(WrappedEnvelope(Hanging(), deadline_seconds=0.2))
    assert time.monotonic() - began < 5
    free.set()


@pytest.mark.parametrize("text", ["", "A", "AVQ=", "AVT//w==", "no base64!", "é", "ada@example.org", "gAAAAABrDMGM"])
def test_what_was_never_sealed_is_refused_without_asking(made: Made, text: str) -> None:
    service = Service()
    assert opening_fails(made(service), text)
    assert service.unwrapped == []


@given(plain=st.binary(max_size=300), bound_to=st.text(st.characters(codec="utf-8"), max_size=60))
def test_any_secret_comes_back_whole(plain: bytes, bound_to: str) -> None:
    service = Service()
    sealed = WrappedEnvelope(service, deadline_seconds=5).seal(plain, bound_to=bound_to)
    assert WrappedEnvelope(service, deadline_seconds=5).open(sealed, bound_to=bound_to) == plain


@given(data=st.data())
def test_any_bit_that_is_changed_is_noticed(data: st.DataObject) -> None:
    envelope = WrappedEnvelope(Service(), deadline_seconds=5)
    content = bytearray(base64.urlsafe_b64decode(envelope.seal(SECRET, bound_to=JOB)))
    at = data.draw(st.integers(0, len(content) * 8 - 1))
    content[at // 8] ^= 1 << at % 8
    assert opening_fails(envelope, base64.urlsafe_b64encode(content).decode())


def test_what_was_prepared_for_is_sealed_without_asking(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service()
    envelope = made(service)
    envelope.prepare()
    envelope.prepare()
    monkeypatch.setattr(service, "new_key", None)
    envelope.seal(SECRET, bound_to=JOB)
    assert len(service.keys) == 1


def test_a_refusal_is_asked_for_once_and_counts_for_as_long_as_an_answer_may_take(made: Made, clock: Clock) -> None:
    service, asked = Service(), []

    def refuse() -> DataKey:
        asked.append(clock())
        raise EnvelopeError("the key is disabled")

    envelope = made(service)
    envelope._sealing._make = refuse
    for _ in range(2):
        with suppress(EnvelopeError):
            envelope.prepare()
        with pytest.raises(EnvelopeError, match="the key is disabled"):
            envelope.seal(SECRET, bound_to=JOB)
    assert asked == [1000]
    clock.now += 5
    envelope._sealing._make = service.new_key
    envelope.prepare()
    assert envelope.open(envelope.seal(SECRET, bound_to=JOB), bound_to=JOB) == SECRET
