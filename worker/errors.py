"""What can go wrong, in words that never carry secrets, addresses or payloads."""

from __future__ import annotations


class WatchfloorError(Exception):
    """Base of everything this package raises on purpose."""


class ConfigurationError(WatchfloorError):
    """The process cannot start as it is configured; the message names the setting."""


class TopologyRefused(ConfigurationError, RuntimeError):
    """The deployment's shape does not allow what was to be started (S2-76 to S2-83)."""


class SettingRefused(ConfigurationError, ValueError):
    """A value cannot be, by itself or beside another (S2-152 to S2-155)."""


class UnknownJobType(WatchfloorError, ValueError):
    """The job type is not registered, so nothing was written (S1-29, S1-45)."""

    def __init__(self, names: set[str]) -> None:
        super().__init__(f"unknown job type: {', '.join(sorted(repr(name)[:100] for name in names))}")


class InvalidInput(WatchfloorError, ValueError):
    """A value was refused at the door; `field` names it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class KeyReused(WatchfloorError):
    """The idempotency key belongs to another request: same key, other body (A-57)."""


class UnknownTenant(WatchfloorError):
    """There is no tenant of that id."""

    def __init__(self) -> None:
        super().__init__("there is no such tenant")


class TenantNotReady(WatchfloorError):
    """The tenant is there, but not yet the place for what is its own: it has to be provisioned first."""

    def __init__(self) -> None:
        super().__init__("the tenant is not provisioned yet")


class StorageError(WatchfloorError):
    """An object could not be stored, read or deleted; says why to whoever is on call."""


class ObjectMissing(StorageError):
    """There is no object of that key."""

    def __init__(self) -> None:
        super().__init__("object storage: there is no such object")


class EnvelopeError(WatchfloorError):
    """A secret could not be sealed or opened; says why, and nothing of the secret or the key."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"secrets: {problem}")


class NotOpened(EnvelopeError):
    """The text is not what the key at hand sealed, or is presented for something that it was not sealed for."""


class NotTrainable(WatchfloorError):
    """Nothing can be learned from the dataset as it was asked; says why."""


class MailError(WatchfloorError):
    """A mail was not sent, or nobody can say whether it was; tells why, in no words but ours."""


class MailNotConfiguredError(MailError):
    """This process has no way to send mail: retried like any failure, as another process may have one (S2-122)."""


class EnqueuerFull(WatchfloorError):
    """So many callers wait already that this one was sent away; nothing was written for it."""


class JobCancelled(WatchfloorError):
    """Raised by a handler that stops because `cancel_requested()` became true."""


class ClaimLost(WatchfloorError):
    """The job may be another worker's by now, so this one goes no further; what it comes to is not written."""


class NoHandler(WatchfloorError):
    """The job's subscriber is not registered in the process that took it: an ordinary failure, which is retried (A-45).

    A worker takes only job types that have a handler in its process, so a job of another type waits and spends nothing.
    Jobs of events are of one type, whoever they are for, so each process registers all subscribers (S2-95, A-56).
    """


class LocalPostgresError(ConfigurationError):
    """The embedded server cannot be started; the message says what to do."""
