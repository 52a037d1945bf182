"""What may be a mail: a refusal names the field, and never what is in it (A-41)."""

from __future__ import annotations

import pytest

from tests.worker.mail.conftest import LETTER
from worker.errors import InvalidInput
from worker.mail import Message

BREAKS = ["Hi\r\nBcc: x@example.test", "Hi\rBcc: x@example.test", "Hi\nx@example.test", "Hi\u2028x@example.test"]


@pytest.mark.parametrize("subject", [*BREAKS, "", "x@example.test" * 200, "x@example.test\ud800", "x@example.test\0"])
def test_a_41_a_subject_is_one_line(subject: str) -> None:
    refused("subject", "ada@shop.example", subject, "body")


@pytest.mark.parametrize("to", [*BREAKS, "", "x@example.test, y@example.test", '"X\r\nBcc: y" <x@example.test>'])
def test_a_41_a_recipient_is_one_address(to: str) -> None:
    refused("to", to, "subject", "body")


@pytest.mark.parametrize("body", ["x@example.test\0", "x@example.test\udfff", "x@example.test" * 10_000])
def test_a_body_is_text_of_bounded_length(body: str) -> None:
    refused("body", "ada@shop.example", "subject", body)


def test_a_message_shows_nothing_when_it_is_printed() -> None:
    assert repr(LETTER) == "Message()"


def refused(field: str, to: str, subject: str, body: str) -> None:
    """The message is refused for this field, and nothing of it is repeated."""
    with pytest.raises(InvalidInput) as refusal:
        Message(to, subject, body)
    assert refusal.value.field == field
    assert "example.test" not in str(refusal.value)
