"""Mail: how it is sent is a setting, and nobody else's business."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol
from uuid import UUID

from worker import topology
from worker.errors import MailError, MailNotConfiguredError
from worker.mail.console import mailbox
from worker.mail.message import Message
from worker.mail.smtp import SmtpMailer
from worker.mail_places import Azure, MailPlace, Memory, Ses, Smtp, mail_place_of
from worker.settings import WorkerSettings

__all__ = ["Mailer", "Message", "email_delivery_readiness", "open_mailer"]

_NOT_SET = "WATCHFLOOR_MAIL_URI is not set: without it no mail can be sent"


class Mailer(Protocol):
    """At least once, within WATCHFLOOR_MAIL_DEADLINE_SECONDS; MailError when that failed, or nobody knows."""

    def send(self, message: Message, *, delivery_id: UUID) -> None:
        """Send it, under an id that stays the same however often it has to be repeated (S1-126)."""


def open_mailer(settings: WorkerSettings) -> Mailer:
    """Whatever the settings of this very process say (S2-120), unconnected as yet; MailError when that is nothing."""
    if settings.mail_uri is None:
        raise MailNotConfiguredError(_NOT_SET)
    if problem := email_delivery_readiness(settings):
        raise MailError(problem)
    deadline = settings.mail_deadline_seconds
    match mail_place_of(settings.mail_uri.get_secret_value()):
        case Memory():
            return mailbox()
        case Smtp() as server:
            return SmtpMailer(server, deadline_seconds=deadline)
        case Ses() as region:
            return _with_sdk("ses", "SesMailer")(region, deadline_seconds=deadline)
        case Azure() as resource:
            return _with_sdk("azure", "AzureMailer")(resource, deadline_seconds=deadline)


def email_delivery_readiness(settings: WorkerSettings) -> str | None:
    """What keeps this process from sending mail, as far as it shows without a connection; None: nothing (S1-96)."""
    if settings.mail_uri is None:
        return _NOT_SET
    try:
        place = mail_place_of(settings.mail_uri.get_secret_value())
    except ValueError as error:
        return f"WATCHFLOOR_MAIL_URI: {error}"
    return topology.lonely_mailbox(settings) or _lacks(place)


def _lacks(place: MailPlace) -> str | None:
    if isinstance(place, Ses) and find_spec("boto3") is None:
        return "WATCHFLOOR_MAIL_URI: ses:// needs the extra: pip install 'watchfloor[aws]'"
    if isinstance(place, Azure) and (find_spec("azure") is None or find_spec("azure.communication") is None):
        return "WATCHFLOOR_MAIL_URI: azure:// needs the extra: pip install 'watchfloor[azure]'"
    return None


def _with_sdk(module: str, name: str) -> Callable[..., Mailer]:
    """Loaded only where it is used: the SDKs take a second."""
    made: Callable[..., Mailer] = getattr(import_module(f"worker.mail.{module}"), name)
    return made
