"""Mail by SMTP: one connection, one deadline for all of it, closed to others before a password or a mail is said."""

from __future__ import annotations

import smtplib
import socket
import ssl
from email.message import EmailMessage
from uuid import UUID

from worker.deadline import DeadlinePassed, within
from worker.errors import MailError
from worker.mail.lease import require_lease
from worker.mail.line import Line
from worker.mail.message import Message, bare, mime
from worker.mail.smtp_problems import meaning
from worker.mail_places import Smtp


class SmtpMailer:
    """At least once: a server has no memory for ids, so a send that broke off after the mail was said may repeat it."""

    def __init__(self, place: Smtp, *, deadline_seconds: float) -> None:
        self._place = place
        self._deadline_seconds = deadline_seconds

    def send(self, message: Message, *, delivery_id: UUID) -> None:
        """Hand it to the server; when the deadline passes the connection is cut, and nothing more is said on it."""
        require_lease()
        written = mime(message, sender=self._place.sender, delivery_id=delivery_id)
        with Line() as line:
            try:
                within(self._deadline_seconds, lambda: self._say(line, written), name="mail")
            except DeadlinePassed:
                raise MailError(f"the mail server took longer than {self._deadline_seconds:g} s") from None
            except OSError as error:  # the library's own are such, too
                raise meaning(error) from None

    def _say(self, line: Line, written: EmailMessage) -> None:
        server = _Client(line, self._place, timeout=self._deadline_seconds)
        try:
            if self._place.tls == "starttls":
                server.starttls(context=ssl.create_default_context())
            if self._place.user is not None:
                server.login(self._place.user, self._place.password)
            server.send_message(written, bare(self._place.sender), [str(written["To"])])
            server.putcmd("quit")  # politely, but the mail is the server's by now: what it answers changes nothing
        finally:
            server.close()


class _Client(smtplib.SMTP):
    """The library's, on a line that can be cut; it says the machine's own name, which takes no look-up."""

    def __init__(self, line: Line, place: Smtp, *, timeout: float) -> None:
        self._line = line
        self._is_closed = place.tls == "always"
        super().__init__(place.host, place.port, local_hostname=socket.gethostname(), timeout=timeout)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        plain = self._line.connect(host, port, timeout)
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host) if self._is_closed else plain
