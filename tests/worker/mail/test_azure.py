"""Azure Communication Services, by its own SDK: the delivery's id is the operation's, so a repeat is no second mail."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest

from tests.azure_mail import KEY, azure_mail
from tests.certificates import Certificate
from tests.worker.mail.conftest import LETTER, TO, complaint, mailer

DELIVERY = UUID("0198ac3e-7d1c-7000-8000-00000000c0de")


@pytest.fixture(autouse=True)
def trusting(trust: Callable[[], None]) -> None:
    """This process trusts the peer."""
    trust()


def test_a_mail_is_asked_for_under_the_deliverys_id(pair: Certificate) -> None:
    with azure_mail(pair.context()) as azure:
        mailer(azure.uri()).send(LETTER, delivery_id=DELIVERY)
    (headers,) = azure.asked
    assert headers["Operation-Id"] == str(DELIVERY)
    assert azure.mails[str(DELIVERY)] == {
        "senderAddress": "floor@example.org",
        "recipients": {"to": [{"address": TO}]},
        "content": {"subject": LETTER.subject, "plainText": LETTER.body},
        "headers": {"X-CauseLoop-Delivery-ID": str(DELIVERY)},
        "userEngagementTrackingDisabled": True,
    }


def test_a_repeat_joins_the_first(pair: Certificate) -> None:
    with azure_mail(pair.context()) as azure:
        for _ in range(2):
            mailer(azure.uri()).send(LETTER, delivery_id=DELIVERY)
    assert (len(azure.asked), list(azure.mails)) == (2, [str(DELIVERY)])


def test_the_key_signs_and_is_not_sent(pair: Certificate) -> None:
    with azure_mail(pair.context()) as azure:
        mailer(azure.uri()).send(LETTER, delivery_id=DELIVERY)
    (headers,) = azure.asked
    assert headers["Authorization"].startswith("HMAC-SHA256 ")
    assert KEY not in str(headers)


def test_of_a_refusal_the_status_is_kept_and_no_word(pair: Certificate) -> None:
    with azure_mail(pair.context(), refuse_with=403) as azure:
        assert complaint(azure.uri()) == "Azure refused it (403)"


@pytest.mark.parametrize("status", ["Failed", "Canceled"])
def test_what_azure_could_not_deliver_was_not_sent(pair: Certificate, status: str) -> None:
    with azure_mail(pair.context(), status=status) as azure:
        assert complaint(azure.uri()).startswith("Azure ")


def test_an_answer_that_does_not_come_is_not_awaited_beyond_the_deadline(pair: Certificate) -> None:
    with azure_mail(pair.context(), hangs=True) as azure:
        assert complaint(azure.uri(), seconds=0.5).startswith("Azure")


def test_nobody_there_is_said(pair: Certificate) -> None:
    with azure_mail(pair.context()) as azure:
        pass
    assert complaint(azure.uri()) == "Azure could not be asked (ServiceRequestError)"
