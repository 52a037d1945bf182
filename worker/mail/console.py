"""A mailbox in this process, for tests and for trying things out: what is sent stays here."""

from __future__ import annotations

from functools import cache
from threading import Lock
from uuid import UUID

from worker.mail.lease import require_lease
from worker.mail.message import Message

_MOST = 1000


class Mailbox:
    """Each delivery once, however often it is sent; of very many, the newest (S1-127)."""

    def __init__(self) -> None:
        self._mails: dict[UUID, Message] = {}
        self._lock = Lock()

    def send(self, message: Message, *, delivery_id: UUID) -> None:
        """Keep it, unless it is here already."""
        require_lease()
        with self._lock:
            self._mails.setdefault(delivery_id, message)
            while len(self._mails) > _MOST:
                del self._mails[next(iter(self._mails))]

    def all(self) -> dict[UUID, Message]:
        """What is in it, the oldest first."""
        with self._lock:
            return dict(self._mails)

    def empty(self) -> None:
        """Throw all of it away."""
        with self._lock:
            self._mails.clear()


@cache
def mailbox() -> Mailbox:
    """The one of this process: whoever sends to memory and whoever looks there mean the same."""
    return Mailbox()
