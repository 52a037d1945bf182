"""Mail by Amazon SES. Loads the SDK: import it only where it is used."""

from __future__ import annotations

from contextlib import closing
from uuid import UUID

from boto3.session import Session
from botocore.config import Config

from worker.aws_client import ERRORS
from worker.aws_problems import in_words
from worker.deadline import DeadlinePassed, within
from worker.errors import MailError
from worker.mail.lease import require_lease
from worker.mail.message import Message, bare, mime
from worker.mail_places import Ses

_SAID_BY_CODE = {
    "MailFromDomainNotVerifiedException": "the sender's domain is not verified",
    "MessageRejected": "the mail was refused",
    "SendingPausedException": "sending is paused for this account",
}


class SesMailer:
    """At least once: SES knows no ids, so the SDK tries a single time, and repeating is the queue's."""

    def __init__(self, place: Ses, *, deadline_seconds: float) -> None:
        self._place = place
        self._deadline_seconds = deadline_seconds

    def send(self, message: Message, *, delivery_id: UUID) -> None:
        """Hand it over; of what SES says to that, the meaning is kept."""
        require_lease()
        written = mime(message, sender=self._place.sender, delivery_id=delivery_id).as_bytes()
        try:
            within(self._deadline_seconds, lambda: self._hand_over(message.to, written), name="mail")
        except DeadlinePassed:
            raise MailError(f"SES: no answer within {self._deadline_seconds:g} s") from None
        except ERRORS as error:
            raise MailError(f"SES: {in_words(error, _SAID_BY_CODE)}") from None

    def _hand_over(self, to: str, written: bytes) -> None:
        limits = Config(
            connect_timeout=self._deadline_seconds,
            read_timeout=self._deadline_seconds,
            retries={"mode": "standard", "total_max_attempts": 1},
        )
        place = self._place
        client = Session().client("sesv2", region_name=place.region, endpoint_url=place.endpoint, config=limits)
        with closing(client):
            client.send_email(
                FromEmailAddress=bare(place.sender),
                Destination={"ToAddresses": [to]},
                Content={"Raw": {"Data": written}},
            )
