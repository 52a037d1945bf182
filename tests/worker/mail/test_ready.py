"""Whether mail can be sent, said in one sentence before anything starts; and where it may not stay in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.worker.mail.conftest import LETTER
from worker import mail
from worker.errors import MailError, MailNotConfiguredError, TopologyRefused
from worker.mail import email_delivery_readiness, open_mailer
from worker.mail.console import mailbox
from worker.model import new_id
from worker.settings import WorkerSettings
from worker.topology import require_shareable


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """Nothing of other tests is in the mailbox, and nothing stays."""
    mailbox().empty()
    yield
    mailbox().empty()


def settings(uri: str | None, **values: Any) -> WorkerSettings:
    """A deployment that sends by that address."""
    return WorkerSettings.model_validate({"mail_uri": uri, **values})


@pytest.mark.parametrize(
    "uri", ["memory://", "smtp://mail?from=a@b.example", "ses://eu-central-1?from=a@b.example", "azure://x?from=a@b.example"]
)  # fmt: skip
def test_each_of_the_four_ways_is_ready(uri: str) -> None:
    assert email_delivery_readiness(settings(uri)) is None


@pytest.mark.parametrize("uri", [None, "sendgrid://u:hunter2@x?from=a@b.example", "smtp://u:hunter2@mail"])
def test_without_one_it_is_said_which_setting(uri: str | None) -> None:
    said = email_delivery_readiness(settings(uri))
    assert said
    assert said.startswith("WATCHFLOOR_MAIL_URI")
    assert "hunter2" not in said


@pytest.mark.parametrize(("uri", "extra"), [("ses://eu-1", "aws"), ("azure://x", "azure")])
def test_a_way_whose_library_is_not_there_is_not_ready(monkeypatch: pytest.MonkeyPatch, uri: str, extra: str) -> None:
    monkeypatch.setattr(mail, "find_spec", lambda _name: None)
    said = email_delivery_readiness(settings(f"{uri}?from=a@b.example"))
    assert said
    assert f"watchfloor[{extra}]" in said


def test_nothing_configured_is_an_error_of_mail() -> None:
    with pytest.raises(MailNotConfiguredError, match="WATCHFLOOR_MAIL_URI is not set"):
        open_mailer(settings(None))
    with pytest.raises(MailError, match="WATCHFLOOR_MAIL_URI"):
        open_mailer(settings("pigeon://"))


def test_the_mailbox_in_memory_keeps_each_delivery_once() -> None:
    first, second = new_id(), new_id()
    for delivery in (first, first, second):
        open_mailer(settings("memory://")).send(LETTER, delivery_id=delivery)
    assert mailbox().all() == {first: LETTER, second: LETTER}


def test_it_does_not_grow_for_ever() -> None:
    ids = [new_id() for _ in range(1005)]
    for delivery in ids:
        mailbox().send(LETTER, delivery_id=delivery)
    assert list(mailbox().all()) == ids[5:]


@pytest.mark.parametrize("shape", [{"profile": "distributed"}, {"web_workers": 2}, {"job_worker_mode": "standalone"}])
def test_with_several_processes_memory_is_no_way_to_send(shape: dict[str, Any]) -> None:
    several = settings("memory://", **shape)
    assert "memory://" in str(email_delivery_readiness(several))
    with pytest.raises(MailError):
        open_mailer(several)
    with pytest.raises(TopologyRefused, match=r"WATCHFLOOR_MAIL_URI=memory://"):
        require_shareable(several, starts="the console")
