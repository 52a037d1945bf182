"""The queue as it should be: a few dictionaries that the database is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from tests.worker.queries.machine.cast import SUBSCRIBERS, Taker
from tests.worker.queries.machine.known import LEASE, Known
from worker.model import DEFAULT_QUEUE, RUN_SUBSCRIBER, AttemptOutcome, Event, Status, new_id
from worker.queries.claims import Renewed
from worker.queries.jobs import Enqueued, NewJob
from worker.queries.outbox import Relayed
from worker.queries.results import Result
from worker.queries.spans import Legacy

ANY = Legacy()
RETENTION_DAYS = 30
_PARKED = timedelta(seconds=60)
_LOST = {
    Status.QUEUED: AttemptOutcome.LEASE_EXPIRED,
    Status.FAILED: AttemptOutcome.DEAD_LETTER,
    Status.CANCELLED: AttemptOutcome.CANCELLED,
}
"""How an attempt whose lease ended is counted, by what became of its job."""


@dataclass
class Published:
    """An event as the outbox should have it."""

    event: Event
    created_at: datetime
    relayed_at: datetime | None = None
    retry_at: datetime | None = None
    relay_attempts: int = 0


class Model:
    """Every transition of the queue, one method each, with the answer that the database must give."""

    def __init__(self) -> None:
        self.jobs: dict[UUID, Known] = {}
        self.bodies: dict[UUID, object] = {}
        self.events: dict[str, Published] = {}
        self.pauses: dict[str, datetime | None] = {}
        self.counted: Counter[tuple[datetime, str, str, str]] = Counter()
        self.actions = 0

    def in_status(self, status: Status) -> list[UUID]:
        """The jobs in that state."""
        return [each.id for each in self.jobs.values() if each.status == status]

    def enqueue(self, new: NewJob, now: datetime, *, retry_terminal: bool = False) -> Enqueued | None:
        """A new job or the one that has the key; None when the key belongs to another request."""
        if known := self._of_key(new):
            if self.bodies[known.id] != (new.job_type, new.payload):
                return None
            if retry_terminal and known.status in (Status.FAILED, Status.CANCELLED):
                known.requeue(now)
            return Enqueued(known.id, created=False, status=known.status)
        job_id, budget, queue = new.id or new_id(), new.max_attempts or 5, new.queue or "default"
        available_at = now + timedelta(seconds=new.delay_seconds)
        known = Known(job_id, new.job_type, queue, budget, now, available_at, new.tenant_id, new.idempotency_key)
        self.jobs[job_id], self.bodies[job_id] = known, (new.job_type, new.payload)
        return Enqueued(job_id, created=True, status=Status.QUEUED)

    def publish(self, event: Event, now: datetime) -> bool:
        """Whether the event is new."""
        return self.events.setdefault(event.event_id, Published(event, now)).event is event

    def relay(self, made: Sequence[tuple[UUID, str, str]], now: datetime) -> Relayed:
        """Fan out what nobody has; `made` are the ids that the database gave to (event, subscriber)."""
        ids = {(event_id, subscriber_id): job_id for job_id, event_id, subscriber_id in made}
        waiting = [each for each in self.events.values() if not each.relayed_at and (each.retry_at or now) <= now]
        taken = [each for each in waiting if SUBSCRIBERS.of(each.event.event_type)]
        before = len(self.jobs)
        for each in waiting:
            if each in taken:
                self._fan_out(each, ids, now)
            else:
                each.retry_at = now + _PARKED * 2 ** min(each.relay_attempts, 6)
                each.relay_attempts += 1
        return Relayed(len(taken), len(self.jobs) - before, 0, len(waiting) - len(taken))

    def claim(
        self, taker: Taker, after: str, limit: int, now: datetime, legacy: Legacy = ANY, begins: Known | None = None
    ) -> list[UUID]:
        """The oldest first within a queue (S1-38), the queue after the cursor first (S2-34), paused ones never.

        With `begins`, its queue's line is looked at from there on.
        """
        due = [each for each in self.jobs.values() if self._is_due(each, now) and wants(taker, each, legacy)]
        if begins:
            due = [each for each in due if each.queue != begins.queue or each.place >= begins.place]
        turn = sorted(due, key=lambda each: (each.queue <= after, each.queue, each.place))
        for each in turn[:limit]:
            each.claim(taker.name, now)
        return [each.id for each in turn[:limit]]

    def renew(self, taker: str, claims: Sequence[tuple[UUID, int]], now: datetime) -> dict[UUID, Renewed]:
        """Extend what is held."""
        held = {}
        for known in self._held(taker, claims):
            known.lease_expires_at = now + LEASE
            held[known.id] = Renewed(known.generation, known.cancel_requested_at is not None)
        return held

    def held(self, taker: str, claim: tuple[UUID, int]) -> Known | None:
        """The job of a claim that counts."""
        known = self.jobs.get(claim[0])
        return known if known and known.is_held(taker, claim[1]) else None

    def release(self, taker: str, claims: Sequence[tuple[UUID, int]], now: datetime) -> set[UUID]:
        """Give back what is held."""
        held = self._held(taker, claims)
        for known in held:
            known.release(now)
        return {known.id for known in held}

    def finish(self, taker: str, results: Sequence[Result], now: datetime) -> dict[UUID, Status]:
        """End what is held and count it; of what is lost, say so."""
        ended: dict[UUID, Status] = {}
        held = [self.held(taker, result.job.claim) for result in results]
        for result, known in zip(results, held, strict=True):
            if known:
                error = result.failure.error_type if result.failure else None
                known.finish(result.outcome, result.status, int(result.retry_delay_seconds or 0), error, now)
                ended[known.id] = known.status
                self._count(known, known.history[-1].outcome, now)
            elif (lost := self.jobs.get(result.job.id)) and lost.supersede(taker, result.job.generation):
                self._count(lost, AttemptOutcome.SUPERSEDED, now)
        return ended

    def recover(self, limit: int, now: datetime) -> dict[UUID, Status]:
        """Return what silent workers hold."""
        stale = sorted((each for each in self.jobs.values() if each.is_stale(now)), key=lambda each: each.id)[:limit]
        for known in stale:
            known.recover(now)
            self._count(known, _LOST[known.status], now)
        return {known.id: known.status for known in stale}

    def replay(self, ids: Sequence[UUID], now: datetime) -> set[UUID]:
        """Give dead letters a new budget."""
        dead = [known for known in self._some(ids) if known.status == Status.FAILED]
        for known in dead:
            known.requeue(now)
        self.actions += bool(dead)
        return {known.id for known in dead}

    def cancel(self, ids: Sequence[UUID], now: datetime) -> tuple[set[UUID], set[UUID]]:
        """Cancel what does not run, ask what does; which were which."""
        running = {
            each.id for each in self._some(ids) if each.status == Status.RUNNING and not each.cancel_requested_at
        }
        idle = {each.id for each in self._some(ids) if each.status in (Status.QUEUED, Status.FAILED)}
        for known in self._some([*running, *idle]):
            known.cancel(now)
        self.actions += bool(running or idle)
        return idle, running

    def pause(self, queue: str, until: datetime | None, now: datetime) -> bool:
        """Whether it was open until now."""
        if self._is_paused(queue, now):
            return False
        self.pauses[queue] = until
        self.actions += 1
        return True

    def resume(self, queue: str) -> bool:
        """Whether there was a pause, in force or lapsed."""
        if queue not in self.pauses:
            return False
        del self.pauses[queue]
        self.actions += 1
        return True

    def prune(self, now: datetime) -> dict[str, int]:
        """Forget old events, then what came from them and ended well; never dead letters, never direct jobs.

        How many minutes of the statistics go is not told, as those of tenants are counted with them; which, is held.
        """
        old = now - timedelta(days=RETENTION_DAYS)
        events = [key for key, each in self.events.items() if each.relayed_at and each.relayed_at < old]
        for key in events:
            del self.events[key]
        jobs = [each for each in self.jobs.values() if self._is_prunable(each, old)]
        for known in jobs:
            del self.jobs[known.id]
        until = min((key[0] for key in self.counted), default=now) + timedelta(days=1)  # a day at a time
        minutes = [key for key in self.counted if key[0] < min(now - timedelta(days=90), until)]
        for minute in minutes:
            del self.counted[minute]
        return {"events": len(events), "jobs": len(jobs)}

    def _of_key(self, new: NewJob) -> Known | None:
        wanted = (new.tenant_id, new.idempotency_key)
        same = (each for each in self.jobs.values() if (each.tenant_id, each.idempotency_key) == wanted)
        return next(same, None) if new.idempotency_key else None

    def _fan_out(self, published: Published, ids: dict[tuple[str, str], UUID], now: datetime) -> None:
        event = published.event
        published.relayed_at, published.retry_at = now, None
        for each in SUBSCRIBERS.of(event.event_type):
            job_id = ids[event.event_id, each.subscriber_id]
            known = Known(job_id, RUN_SUBSCRIBER, each.queue, each.max_attempts, now, now)
            known = replace(known, event_id=event.event_id, subscriber_id=each.subscriber_id)
            self.jobs.setdefault(job_id, known)

    def _held(self, taker: str, claims: Sequence[tuple[UUID, int]]) -> list[Known]:
        return [known for claim in claims if (known := self.held(taker, claim))]

    def _some(self, ids: Sequence[UUID]) -> list[Known]:
        return [self.jobs[each] for each in dict.fromkeys(ids) if each in self.jobs]

    def _is_due(self, known: Known, now: datetime) -> bool:
        return known.status == Status.QUEUED and known.available_at <= now and not self._is_paused(known.queue, now)

    def _is_paused(self, queue: str, now: datetime) -> bool:
        return queue in self.pauses and ((until := self.pauses[queue]) is None or until > now)

    def _is_prunable(self, known: Known, old: datetime) -> bool:
        ended_well = known.status in (Status.SUCCEEDED, Status.CANCELLED)
        is_old = known.finished_at is not None and known.finished_at < old
        return known.event_id is not None and known.event_id not in self.events and ended_well and is_old

    def _count(self, known: Known, outcome: AttemptOutcome, now: datetime) -> None:
        minute = now.replace(second=0, microsecond=0)
        self.counted[minute, known.handler_key, known.queue, outcome] += 1


def wants(taker: Taker, known: Known, legacy: Legacy) -> bool:
    """By type and by queue; in `default`, a selective worker adopts some and leaves others out (S2-89 to S2-94)."""
    if known.job_type not in taker.job_types:
        return False
    if taker.queues is None or known.queue != DEFAULT_QUEUE:
        return taker.queues is None or known.queue in taker.queues
    if DEFAULT_QUEUE in taker.queues:
        return known.subscriber_id not in legacy.exclude
    return known.subscriber_id in legacy.adopt
