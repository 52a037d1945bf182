"""What tests of sending share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.certificates import Certificate, certificate
from worker.errors import MailError
from worker.mail import Mailer, Message, open_mailer
from worker.model import new_id
from worker.settings import WorkerSettings

TO = "ada@shop.example"
LETTER = Message(TO, "Reset your password", "Hello Ada,\nhttps://floor.example/reset/tok-secret\n")


def mailer(uri: str, *, seconds: float = 20) -> Mailer:
    """What sends by that address."""
    return open_mailer(WorkerSettings.model_validate({"mail_uri": uri, "mail_deadline_seconds": seconds}))


def complaint(uri: str, *, seconds: float = 20) -> str:
    """What is said when the letter cannot be sent: nothing of the letter, and nothing that only others would say."""
    with pytest.raises(MailError) as failure:
        mailer(uri, seconds=seconds).send(LETTER, delivery_id=new_id())
    said = str(failure.value)
    assert not any(each in said for each in ("shop.example", "Reset", "tok-secret", "Ada", "rejected", "p@ss"))
    assert failure.value.__suppress_context__ or failure.value.__context__ is None
    return said


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of the servers."""
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def trust(pair: Certificate, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Has this process trust that certificate."""

    def begin(chain: Path = pair.chain) -> None:
        for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
            monkeypatch.setenv(name, str(chain))

    return begin
