"""How mail is sent, as one address says it: `memory://`, `smtp://…`, `smtps://…`, `ses://…` or `azure://…`.

Plain rules, like those of worker/storage_places.py. What they say never repeats the address, which may hold a password.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.utils import parseaddr
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

MEMORY = "memory://"
"""The address of no server at all."""

_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?=.{1,253}\Z)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_FORMS = "must be smtp://user:password@host:port?from=…, smtps://…, ses://region?from=…, azure://:key@host?from=… or memory://"
_SUBMISSION, _OVER_TLS = 587, 465


@dataclass(frozen=True)
class Memory:
    """A mailbox in this process, for tests: nothing is delivered."""


@dataclass(frozen=True)
class Smtp:
    """A mail server; `tls` is how the connection is closed to others: from the start, by STARTTLS, or not at all."""

    host: str
    port: int
    sender: str
    tls: str
    user: str | None = None
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class Ses:
    """Amazon SES in a region; whose credentials count is the SDK's to find out."""

    region: str
    sender: str
    endpoint: str | None = None


@dataclass(frozen=True)
class Azure:
    """A resource of Azure Communication Services: by its key, or as whoever the SDK finds this process to be."""

    host: str
    sender: str
    key: str = field(default="", repr=False)


MailPlace = Memory | Smtp | Ses | Azure


def mail_place_of(address: str) -> MailPlace:
    """The place; ValueError says what is wrong with its address."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise ValueError(_FORMS) from None
    if address == MEMORY:
        return Memory()
    host = parts.hostname
    if parts.scheme not in {"smtp", "smtps", "ses", "azure"} or not host or parts.path.strip("/") or parts.fragment:
        raise ValueError(_FORMS)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    sender = _sender(options.pop("from", ""))
    if parts.scheme == "ses":
        return _ses(host, sender, options, has_more=port is not None or "@" in parts.netloc)
    if parts.scheme == "azure":
        return _azure(parts, sender, options)
    return _smtp(parts, sender, options)


def is_address(text: str) -> bool:
    """Whether it is the bare address of one mailbox."""
    return _ADDRESS.fullmatch(text) is not None


def has_unseen(text: str) -> bool:
    """Whether there is a line break, a control character or half a character in it: a header must have none (A-41)."""
    return _UNSEEN.search(text) is not None


def _sender(text: str) -> str:
    _, address = parseaddr(text)
    if has_unseen(text) or not is_address(address):
        raise ValueError("from= must be the sender, as in from=floor@example.org")
    return text


def _smtp(parts: SplitResult, sender: str, options: dict[str, str]) -> Smtp:
    tls = "always" if parts.scheme == "smtps" else {None: "starttls", "off": "never"}.get(options.pop("starttls", None))
    if options or tls is None:
        raise ValueError("behind ? there may be from= and, after smtp://, starttls=off")
    if tls == "never" and parts.username:
        raise ValueError("starttls=off would send the password for everybody to read")
    port = parts.port or (_OVER_TLS if tls == "always" else _SUBMISSION)
    user = unquote(parts.username) if parts.username else None
    return Smtp(parts.hostname or "", port, sender, tls, user, unquote(parts.password or ""))


def _ses(region: str, sender: str, options: dict[str, str], *, has_more: bool) -> Ses:
    endpoint = options.pop("endpoint", None)
    if options or has_more or not _REGION.fullmatch(region):
        raise ValueError("SES is ses://eu-central-1?from=…, its credentials in AWS_ACCESS_KEY_ID and so on")
    return Ses(region, sender, endpoint)


def _azure(parts: SplitResult, sender: str, options: dict[str, str]) -> Azure:
    if options or parts.username:
        raise ValueError("Azure is azure://:key@name.communication.azure.com?from=…, the key percent-encoded")
    host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or ""
    return Azure(host, sender, unquote(parts.password or ""))
