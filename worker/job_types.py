"""The one list of job types: what may be enqueued, and what this process can run (S1-46, S1-47)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worker.backoff import DIRECT, Backoff
from worker.errors import ConfigurationError, UnknownJobType
from worker.guidance import UNSAID, Guidance, Replay, guidance
from worker.model import DEFAULT_MAX_ATTEMPTS, DEFAULT_QUEUE, RUN_SUBSCRIBER, Job
from worker.redaction import OPEN, Redaction, redaction
from worker.settings import QUEUE_NAME, attempts_budget, queue_name

Handler = Callable[[Job], Any]

EMAIL_JOB_TYPE = "send_email"
MATERIALIZE_JOB_TYPE = "materialize_insights"
PROVISION_JOB_TYPE = "provision_tenant"
TRAIN_JOB_TYPE = "train_tenant_model"
BUILT_IN_REPLAY: Mapping[str, Replay] = {
    EMAIL_JOB_TYPE: "keyed",
    MATERIALIZE_JOB_TYPE: "safe",
    PROVISION_JOB_TYPE: "safe",
    TRAIN_JOB_TYPE: "safe",
}
"""What a repeat of the built-in handlers does; a host's own handler of such a type says it for itself."""
SUPPORTED_JOB_TYPES = frozenset(BUILT_IN_REPLAY)


@dataclass(frozen=True, slots=True)
class JobType:
    """A kind of work: who runs it here (nobody when `handler` is None), where it waits and how often it is tried."""

    name: str
    handler: Handler | None = None
    queue: str = DEFAULT_QUEUE
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    backoff: Backoff = DIRECT
    guidance: Guidance = UNSAID
    redaction: Redaction = OPEN


class JobTypes:
    """The four built in and those that handler modules register; nothing else is enqueued, claimed or advertised."""

    def __init__(self, *, max_attempts: int = DEFAULT_MAX_ATTEMPTS) -> None:
        self._max_attempts = max_attempts
        self._types = {
            name: JobType(name, max_attempts=max_attempts, guidance=Guidance(replay=replay))
            for name, replay in BUILT_IN_REPLAY.items()
        }

    def register(
        self,
        name: str,
        handler: Handler,
        *,
        queue: str = DEFAULT_QUEUE,
        max_attempts: int | None = None,
        backoff: Backoff = DIRECT,
        runbook: str | None = None,
        owner: str | None = None,
        replay: Replay | None = None,
        redact: Sequence[str] = (),
    ) -> None:
        """Make `handler` what runs jobs of this type; a second handler for one type is refused.

        Without `max_attempts` the deployment's WATCHFLOOR_MAX_ATTEMPTS counts. The last four are for people on call:
        what `redact` names of a payload, as in `customer.email` or `items.*.card`, they see only when they ask to.
        """
        if name == RUN_SUBSCRIBER or not QUEUE_NAME.fullmatch(name):
            raise ConfigurationError(f"job type {name!r}: must be a-z 0-9 . _ - and not {RUN_SUBSCRIBER}")
        if not callable(handler):
            raise ConfigurationError(f"job type {name!r}: the handler is not callable")
        if (known := self._types.get(name)) and known.handler:
            raise ConfigurationError(f"job type {name!r} has a handler already")
        budget = self._max_attempts if max_attempts is None else attempts_budget(max_attempts)
        told = guidance(f"job type {name!r}", runbook=runbook, owner=owner, replay=replay)
        closed = redaction(f"job type {name!r}", redact)
        self._types[name] = JobType(name, handler, queue_name(queue), budget, backoff, told, closed)

    def get(self, name: str) -> JobType:
        """The job type of that name; UnknownJobType otherwise."""
        try:
            return self._types[name]
        except KeyError:
            raise UnknownJobType({name}) from None

    def handler(self, name: str) -> Handler | None:
        """What runs jobs of this type here, if anything does."""
        known = self._types.get(name)
        return known.handler if known else None

    def check(self, names: Iterable[str]) -> frozenset[str]:
        """The names, when all are known (`run_subscriber` included); UnknownJobType names the others (S1-58)."""
        wanted = frozenset(names)
        if unknown := wanted - self._types.keys() - {RUN_SUBSCRIBER}:
            raise UnknownJobType(set(unknown))
        return wanted

    def all(self) -> Iterable[JobType]:
        """Every type that is known."""
        return self._types.values()

    def runnable(self) -> frozenset[str]:
        """The types this process has a handler for, `run_subscriber` aside."""
        return frozenset(name for name, kind in self._types.items() if kind.handler)
