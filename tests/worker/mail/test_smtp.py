"""SMTP: the mail arrives once, closed to others; whatever goes wrong is said in our words, and within the deadline."""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from email.header import decode_header, make_header
from uuid import UUID

import pytest

from tests import mail_servers
from tests.certificates import Certificate
from tests.endpoints import HOST, free_port
from tests.mail_servers import SENDER
from tests.worker.mail.conftest import LETTER, TO, complaint, mailer
from worker.mail import Message
from worker.mail.line import Line
from worker.mail.smtp_problems import meaning

DELIVERY = UUID("0198ac3e-7d1c-7000-8000-00000000c0de")
ECHO = f"<{TO}> is refused".encode()
WHO = "floor:p%40ss%2Fword@"


def test_a_mail_arrives_as_it_was_written() -> None:
    with mail_servers.keeping() as server:
        mailer(server.uri()).send(Message(TO, "Grüße — ✓", "Zeile eins\n.\nlast, ünïcode\n"), delivery_id=DELIVERY)
    (mail,) = server.mails
    assert server.recipients == [[TO]]
    assert (mail["From"], mail["To"], str(make_header(decode_header(mail["Subject"])))) == (SENDER, TO, "Grüße — ✓")
    assert mail.get_content().replace("\r\n", "\n") == "Zeile eins\n.\nlast, ünïcode\n"


def test_it_has_exactly_the_headers_that_we_write() -> None:
    with mail_servers.keeping() as server:
        mailer(server.uri()).send(LETTER, delivery_id=DELIVERY)
    (mail,) = server.mails
    ours = {"From", "To", "Subject", "Date", "Message-ID", "X-CauseLoop-Delivery-ID"}
    assert set(mail) - ours == {
        "MIME-Version",
        "Content-Type",
        "Content-Transfer-Encoding",
    }
    assert server.deliveries == [str(DELIVERY)]
    assert mail["Message-ID"] == f"<{DELIVERY}@example.org>"


def test_starttls_comes_before_the_password_and_the_mail(pair: Certificate, trust: Callable[[], None]) -> None:
    trust()
    with mail_servers.closed(pair.context()) as server:
        mailer(server.uri(WHO, options="")).send(LETTER, delivery_id=DELIVERY)
    assert server.deliveries == [str(DELIVERY)]


def test_smtps_is_closed_from_the_start(pair: Certificate, trust: Callable[[], None]) -> None:
    trust()
    with mail_servers.keeping(ssl_context=pair.context()) as server:
        mailer(server.uri(scheme="smtps", options="")).send(LETTER, delivery_id=DELIVERY)
    assert server.deliveries == [str(DELIVERY)]


def test_a_certificate_that_nobody_vouches_for_ends_it_before_the_password(pair: Certificate) -> None:
    with mail_servers.closed(pair.context()) as server:
        said = complaint(server.uri(WHO, options=""))
    assert said == "the mail server has a certificate that this machine does not trust"
    assert server.mails == []


def test_a_server_without_starttls_gets_no_mail_unless_the_setting_says_so() -> None:
    with mail_servers.keeping() as server:
        assert complaint(server.uri(options="")) == "the mail server offers no STARTTLS, or no way to sign in"
    assert server.mails == []


def test_a_wrong_password_is_said_as_such(pair: Certificate, trust: Callable[[], None]) -> None:
    trust()
    with mail_servers.closed(pair.context()) as server:
        assert complaint(server.uri("floor:nope@", options="")) == "the mail server refused the credentials (535)"


def test_of_a_refusal_the_code_is_kept_and_no_word() -> None:
    with mail_servers.refusing() as server:
        assert complaint(server.uri()) == "the mail server refused the recipient (550)"


def test_a_server_that_hangs_up_after_the_mail_may_have_it() -> None:
    with mail_servers.dropping() as server:
        assert complaint(server.uri()) == "the mail server hung up"
    assert len(server.mails) == 1


def test_nobody_there_is_said_at_once() -> None:
    assert complaint(f"smtp://127.0.0.1:{free_port()}?from={SENDER}") == "the mail server cannot be reached"


def test_one_deadline_counts_for_all_of_it_however_slowly_bytes_drip() -> None:
    with mail_servers.dripping(0.02) as server:
        began = time.monotonic()
        assert complaint(server.uri(), seconds=0.3) == "the mail server took longer than 0.3 s"
        assert time.monotonic() - began < 5
        assert server.heard.wait(20), "the connection was not cut"
    assert server.connections == 1


def test_what_was_given_up_says_nothing_more_and_ends() -> None:
    with mail_servers.dripping(0.02) as server:
        complaint(server.uri(), seconds=0.1)
        left = [each for each in threading.enumerate() if each.name == "watchfloor mail"]
        for each in left:
            each.join(20)
        assert not any(each.is_alive() for each in left)


def test_no_connection_is_made_on_a_line_that_was_cut_meanwhile() -> None:
    with socket.create_server((HOST, 0)) as listener:
        with Line() as line:
            pass
        with pytest.raises(ConnectionAbortedError):
            line.connect(HOST, listener.getsockname()[1], 20)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (smtplib.SMTPSenderRefused(553, ECHO, TO), "refused the sender (553)"),
        (smtplib.SMTPRecipientsRefused({TO: (550, ECHO)}), "refused the recipient (550)"),
        (smtplib.SMTPDataError(554, ECHO), "refused the mail (554)"),
        (smtplib.SMTPConnectError(421, ECHO), "refused the connection (421)"),
        (smtplib.SMTPHeloError(501, ECHO), "refused (501)"),
        (smtplib.SMTPException(TO), "was not understood"),
        (smtplib.SMTPServerDisconnected(TO), "hung up"),
        (ssl.SSLError(1, TO), "does not speak TLS as it should"),
        (TimeoutError(TO), "does not answer"),
        (ConnectionRefusedError(111, TO), "cannot be reached"),
    ],
)
def test_every_failure_has_words_of_ours(error: OSError, said: str) -> None:
    assert str(meaning(error)) == f"the mail server {said}"
