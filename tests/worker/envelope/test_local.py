"""Secrets under keys of our own."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worker.envelope.complaints import JOB, OTHER_JOB, OTHER_TENANT, SECRET, opening_fails, settings
from worker.envelope import open_envelope
from worker.envelope.fernet import LocalEnvelope

KEYS = [base64.urlsafe_b64encode(bytes([number]) * 32).decode() for number in range(2)]
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)


def test_what_is_sealed_opens_again_and_is_nowhere_in_the_text(keys: list[str]) -> None:
    envelope = open_envelope(settings(*keys))
    sealed = envelope.seal(SECRET, bound_to=JOB)
    assert envelope.open(sealed, bound_to=JOB) == SECRET
    assert SECRET not in base64.urlsafe_b64decode(sealed)


def test_no_two_sealings_are_alike(keys: list[str]) -> None:
    envelope = open_envelope(settings(*keys))
    assert envelope.seal(SECRET, bound_to=JOB) != envelope.seal(SECRET, bound_to=JOB)


@pytest.mark.parametrize("presented", [OTHER_JOB, OTHER_TENANT, "", JOB[:-1], JOB + " "])
def test_it_opens_for_nothing_else(keys: list[str], presented: str) -> None:
    envelope = open_envelope(settings(*keys))
    sealed = envelope.seal(SECRET, bound_to=JOB)
    assert opening_fails(envelope, sealed, bound_to=presented) == "secrets: this was sealed for something else"


def test_the_first_key_seals_and_all_open(keys: list[str]) -> None:
    new, old, unknown = keys
    before = open_envelope(settings(old)).seal(SECRET, bound_to=JOB)
    rotating = open_envelope(settings(new, old))
    assert rotating.open(before, bound_to=JOB) == SECRET
    after = rotating.seal(SECRET, bound_to=JOB)
    assert open_envelope(settings(new)).open(after, bound_to=JOB) == SECRET
    for gone, sealed in ((new, before), (old, after), (unknown, before)):
        assert opening_fails(open_envelope(settings(gone)), sealed).startswith("secrets: no key here fits")


@pytest.mark.parametrize("text", ["", "no base64!", "gAAAAA==", "ada@example.org", "é", "\N{SNOWMAN}" * 40, "A" * 300])
def test_what_was_never_sealed_is_refused_and_not_repeated(keys: list[str], text: str) -> None:
    assert opening_fails(open_envelope(settings(*keys)), text).startswith("secrets: no key here fits")


@given(plain=st.binary(max_size=300), bound_to=TEXTS, other=TEXTS)
def test_any_secret_comes_back_whole_and_for_its_purpose_alone(plain: bytes, bound_to: str, other: str) -> None:
    envelope = LocalEnvelope(KEYS)
    sealed = envelope.seal(plain, bound_to=bound_to)
    assert envelope.open(sealed, bound_to=bound_to) == plain
    if other != bound_to:
        assert opening_fails(envelope, sealed, bound_to=other)


@given(data=st.data())
def test_any_bit_that_is_changed_is_noticed(data: st.DataObject) -> None:
    envelope = LocalEnvelope(KEYS)
    content = bytearray(base64.urlsafe_b64decode(envelope.seal(SECRET, bound_to=JOB)))
    at = data.draw(st.integers(0, len(content) * 8 - 1))
    content[at // 8] ^= 1 << at % 8
    assert opening_fails(envelope, base64.urlsafe_b64encode(content).decode())
