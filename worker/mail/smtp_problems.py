"""What the failures of SMTP mean to whoever is on call; servers echo recipients, so none of their words is repeated."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterable

from worker.errors import MailError

_SAID_BY_KIND: tuple[tuple[type[OSError], str], ...] = (
    (smtplib.SMTPAuthenticationError, "refused the credentials"),
    (smtplib.SMTPSenderRefused, "refused the sender"),
    (smtplib.SMTPRecipientsRefused, "refused the recipient"),
    (smtplib.SMTPDataError, "refused the mail"),
    (smtplib.SMTPConnectError, "refused the connection"),
    (smtplib.SMTPServerDisconnected, "hung up"),
    (smtplib.SMTPNotSupportedError, "offers no STARTTLS, or no way to sign in"),
    (smtplib.SMTPResponseException, "refused"),
    (smtplib.SMTPException, "was not understood"),
    (ssl.SSLCertVerificationError, "has a certificate that this machine does not trust"),
    (ssl.SSLError, "does not speak TLS as it should"),
    (TimeoutError, "does not answer"),
    (OSError, "cannot be reached"),
)


def meaning(error: OSError) -> MailError:
    """The failure in our words, with the server's code where it gave one."""
    said = next(text for kind, text in _SAID_BY_KIND if isinstance(error, kind))
    codes = ", ".join(map(str, sorted(set(_codes(error)))))
    return MailError(f"the mail server {said} ({codes})" if codes else f"the mail server {said}")


def _codes(error: OSError) -> Iterable[int]:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return [code for code, _ in error.recipients.values()]
    return [error.smtp_code] if isinstance(error, smtplib.SMTPResponseException) else []
