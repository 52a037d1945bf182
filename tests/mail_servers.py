"""Mail servers to test on: one that keeps what it takes, and those that refuse, hang up, or never come to an end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from ssl import SSLContext
from threading import Event, Thread
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from tests.endpoints import HOST, free_port

SENDER = "floor@example.org"
USER, PASSWORD = "floor", "p@ss/word"


@dataclass
class MailServer:
    """One that listens; `mails` is what it took, `recipients` whom it was told for each."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[list[str]] = field(default_factory=list)
    connections: int = 0
    heard: Event = field(default_factory=Event)

    def uri(self, who: str = "", *, options: str = "&starttls=off", scheme: str = "smtp") -> str:
        """The setting that names it."""
        return f"{scheme}://{who}{HOST}:{self.port}?from={SENDER}{options}"

    def take(self, content: bytes, recipients: list[str]) -> None:
        """Keep a mail."""
        mail = message_from_bytes(content, policy=default)
        assert isinstance(mail, EmailMessage)
        self.mails.append(mail)
        self.recipients.append(recipients)
        self.heard.set()

    @property
    def deliveries(self) -> list[str]:
        """The delivery's id of each mail."""
        return [mail["X-CauseLoop-Delivery-ID"] for mail in self.mails]


class _Keeping:
    """Takes everything."""

    def __init__(self, kept: MailServer) -> None:
        self.kept = kept

    async def handle_DATA(self, _server: SMTP, _session: Any, envelope: Any) -> str:  # noqa: N802 - the library's name
        self.kept.take(envelope.content, list(envelope.rcpt_tos))
        return "250 taken"


class _Refusing(_Keeping):
    """Takes no recipient, and repeats whom it refuses, as servers do."""

    async def handle_RCPT(self, _server: SMTP, _session: Any, _envelope: Any, to: str, _options: Any) -> str:  # noqa: N802 - the library's name
        self.kept.connections += 1
        return f"550 5.1.1 <{to}>: recipient rejected"


class _Dropping(_Keeping):
    """Takes the mail and hangs up without a word."""

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:  # noqa: N802 - the library's name
        await super().handle_DATA(server, session, envelope)
        assert isinstance(server.transport, asyncio.Transport)
        server.transport.abort()
        return "250 taken"


@contextmanager
def keeping(**options: Any) -> Iterator[MailServer]:
    """Takes everything; the options are those of aiosmtpd's server."""
    with _serving(_Keeping, **options) as server:
        yield server


@contextmanager
def refusing() -> Iterator[MailServer]:
    """Refuses every recipient."""
    with _serving(_Refusing) as server:
        yield server


@contextmanager
def dropping() -> Iterator[MailServer]:
    """Hangs up once it has the mail."""
    with _serving(_Dropping) as server:
        yield server


@contextmanager
def closed(context: SSLContext) -> Iterator[MailServer]:
    """Wants STARTTLS and a password before anything else."""

    def knows(_server: Any, _session: Any, _envelope: Any, _mechanism: str, given: LoginPassword) -> AuthResult:
        right = given.login == USER.encode() and given.password == PASSWORD.encode()
        return AuthResult(success=right, handled=right)

    with _serving(_Keeping, tls_context=context, require_starttls=True, authenticator=knows, auth_required=True) as it:
        yield it


@contextmanager
def dripping(seconds: float) -> Iterator[MailServer]:
    """Greets with a line that never ends, a byte after so long each time."""
    kept, over = MailServer(), Event()
    with socket.create_server((HOST, 0)) as listener:
        kept.port = listener.getsockname()[1]

        def drip() -> None:
            with listener.accept()[0] as visitor:
                kept.connections += 1
                try:
                    while not over.wait(seconds):
                        visitor.sendall(b"2")
                except OSError:  # it was cut
                    kept.heard.set()

        dripper = Thread(target=drip)
        dripper.start()
        try:
            yield kept
        finally:
            over.set()
            dripper.join()


class _Controller(Controller):
    """The library's, which in the end leaves no connection open."""

    def __init__(self, behaviour: _Keeping, **options: Any) -> None:
        super().__init__(behaviour, hostname=HOST, port=free_port(), **options)
        self._met: list[SMTP] = []

    def factory(self) -> SMTP:
        """Whoever speaks with one visitor."""
        speaker = SMTP(self.handler, **self.SMTP_kwargs)
        self._met.append(speaker)
        return speaker

    def stop(self, no_assert: bool = False) -> None:
        """Hang up on everybody first: a loop that has ended closes nothing."""
        asyncio.run_coroutine_threadsafe(self._hang_up(), self.loop).result()
        super().stop(no_assert)
        self.loop.close()

    async def _hang_up(self) -> None:
        for speaker in self._met:
            while isinstance(speaker.transport, asyncio.Transport):
                speaker.transport.abort()
                await asyncio.sleep(0)  # the loop's turn


@contextmanager
def _serving(behaviour: type[_Keeping], **options: Any) -> Iterator[MailServer]:
    kept = MailServer()
    controller = _Controller(behaviour(kept), **options)
    kept.port = controller.port
    controller.start()
    try:
        yield kept
    finally:
        controller.stop()
