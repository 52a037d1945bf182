"""Mail by Azure Communication Services. Loads the SDK: import it only where it is used."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from azure.communication.email import EmailClient
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import AzureError, HttpResponseError
from azure.identity import DefaultAzureCredential

from worker.deadline import DeadlinePassed, within
from worker.errors import MailError
from worker.mail.lease import require_lease
from worker.mail.message import DELIVERY_HEADER, Message, bare
from worker.mail_places import Azure

_POLL_SECONDS = 0.5


class AzureMailer:
    """Once, as far as Azure remembers: the delivery's id is the operation's, so a repeat joins the first (S1-129)."""

    def __init__(self, place: Azure, *, deadline_seconds: float) -> None:
        self._place = place
        self._deadline_seconds = deadline_seconds

    def send(self, message: Message, *, delivery_id: UUID) -> None:
        """Hand it over, and return once Azure says that it is out of its hands."""
        require_lease()
        try:
            status = within(self._deadline_seconds, lambda: self._hand_over(message, str(delivery_id)), name="mail")
        except DeadlinePassed:
            raise MailError(f"Azure took longer than {self._deadline_seconds:g} s") from None
        except HttpResponseError as error:
            raise MailError(f"Azure refused it ({error.status_code or 'no status'})") from None
        except AzureError as error:
            raise MailError(f"Azure could not be asked ({type(error).__name__})") from None
        if status != "Succeeded":
            raise MailError("Azure took it and did not deliver it")

    def _hand_over(self, message: Message, operation_id: str) -> str:
        limits: dict[str, Any] = {"connection_timeout": self._deadline_seconds, "read_timeout": self._deadline_seconds}
        with self._client(**limits, retry_total=0) as client:
            said = client.begin_send(
                self._document(message, operation_id), operation_id=operation_id, polling_interval=_POLL_SECONDS
            ).result(self._deadline_seconds)
            return str(said.get("status"))

    def _client(self, **limits: Any) -> EmailClient:
        key = self._place.key
        credential = AzureKeyCredential(key) if key else DefaultAzureCredential(retry_total=0)
        return EmailClient(f"https://{self._place.host}", credential, **limits)

    def _document(self, message: Message, operation_id: str) -> dict[str, Any]:
        return {
            "senderAddress": bare(self._place.sender),
            "recipients": {"to": [{"address": message.to}]},
            "content": {"subject": message.subject, "plainText": message.body},
            "headers": {DELIVERY_HEADER: operation_id},
            "userEngagementTrackingDisabled": True,
        }
