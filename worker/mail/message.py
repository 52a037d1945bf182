"""One mail, and what it is on the wire."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from uuid import UUID

from worker.errors import InvalidInput
from worker.mail_places import has_unseen, is_address

DELIVERY_HEADER = "X-CauseLoop-Delivery-ID"
MOST_SUBJECT, MOST_BODY = 255, 100_000


@dataclass(frozen=True, slots=True)
class Message:
    """To one recipient; InvalidInput names the field that cannot be sent, never what is in it (A-41).

    Nor does it show when it is printed, so that no log can have it by accident.
    """

    to: str = field(repr=False)
    subject: str = field(repr=False)
    body: str = field(repr=False)

    def __post_init__(self) -> None:
        if not is_address(self.to):
            raise InvalidInput("to", "must be one address, as in name@example.org")
        if not 1 <= len(self.subject) <= MOST_SUBJECT or has_unseen(self.subject):
            raise InvalidInput("subject", f"must be a line of 1 to {MOST_SUBJECT} characters")
        if len(self.body) > MOST_BODY or _is_broken(self.body):
            raise InvalidInput("body", f"must be a text of at most {MOST_BODY:,} characters")


def mime(message: Message, *, sender: str, delivery_id: UUID) -> EmailMessage:
    """The mail as servers take it; every copy has the same ids, so that a reader can tell that it is one (S1-126)."""
    written = EmailMessage(policy=SMTP)
    written["From"] = sender
    written["To"] = message.to
    written["Subject"] = message.subject
    written["Date"] = format_datetime(datetime.now(UTC))
    written["Message-ID"] = f"<{delivery_id}@{bare(sender).partition('@')[2]}>"
    written[DELIVERY_HEADER] = str(delivery_id)
    written.set_content(message.body, cte="quoted-printable")
    return written


def bare(sender: str) -> str:
    """The address alone, of a sender that may have a name before it."""
    return parseaddr(sender)[1]


def _is_broken(text: str) -> bool:
    return "\0" in text or any("\ud800" <= each <= "\udfff" for each in text)
