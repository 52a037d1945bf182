"""Amazon SES, by its own SDK, on moto: what goes in is the mail as it is, and what goes wrong is said in our words."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from typing import Any
from uuid import UUID

import pytest
from boto3.session import Session

from tests import endpoints
from tests.endpoints import ACCESS_KEY, CREDENTIALS, NOTHING_ELSE, SECRET_KEY, Endpoint
from tests.mail_servers import SENDER
from tests.worker.mail.conftest import LETTER, TO, complaint, mailer

DELIVERY = UUID("0198ac3e-7d1c-7000-8000-00000000c0de")
REGION = "eu-central-1"


@pytest.fixture(scope="module")
def ses() -> Iterator[Endpoint]:
    """A server that knows our sender."""
    with endpoints.moto() as started:
        client = Session(ACCESS_KEY, SECRET_KEY).client("sesv2", region_name=REGION, endpoint_url=started.url)
        client.create_email_identity(EmailIdentity=SENDER)
        client.close()
        yield started


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials in the environment, and nowhere else."""
    for name, value in {**CREDENTIALS, **NOTHING_ELSE}.items():
        monkeypatch.setenv(name, value)


def uri(endpoint: Endpoint, sender: str = SENDER) -> str:
    """The setting that names it."""
    return f"ses://{REGION}?from={sender}&endpoint={endpoint.url}"


def sent(endpoint: Endpoint) -> list[dict[str, Any]]:
    """What the server took."""
    with urllib.request.urlopen(f"{endpoint.url}/moto-api/data.json", timeout=20) as answer:  # noqa: S310 - our own http address
        known = json.loads(answer.read())["ses"]
    return [each for each in known.get("RawMessage", []) if "raw_data" in each]


def test_a_mail_is_handed_over_whole_with_the_deliverys_id(ses: Endpoint) -> None:
    mailer(uri(ses)).send(LETTER, delivery_id=DELIVERY)
    (taken,) = sent(ses)
    mail = message_from_string(taken["raw_data"], policy=default)
    assert isinstance(mail, EmailMessage)
    assert (taken["source"], set(taken["destinations"])) == (SENDER, {TO})
    assert (mail["To"], mail["Subject"], mail["X-CauseLoop-Delivery-ID"]) == (TO, LETTER.subject, str(DELIVERY))
    assert mail.get_content().replace("\r\n", "\n") == LETTER.body


def test_of_a_refusal_the_meaning_is_kept_and_no_word(ses: Endpoint) -> None:
    assert complaint(uri(ses, "stranger@elsewhere.example")) == "SES: the mail was refused (MessageRejected)"


def test_an_endpoint_that_says_nothing_is_not_awaited_beyond_the_deadline() -> None:
    with endpoints.hanging() as silent:
        assert complaint(uri(silent), seconds=0.5).startswith("SES: ")


def test_without_credentials_it_is_said_what_to_set(ses: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CREDENTIALS:
        monkeypatch.delenv(name)
    assert complaint(uri(ses)) == ("SES: there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
