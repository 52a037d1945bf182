"""What an envelope says when it cannot do what it is asked: never a secret, a key, an address or another's words."""

from __future__ import annotations

from tests.endpoints import SECRET_KEY
from worker.envelope import Envelope
from worker.errors import EnvelopeError
from worker.settings import WorkerSettings

SECRET = b"to: ada@example.org"
JOB, OTHER_JOB, OTHER_TENANT = "job 1 of acme", "job 2 of acme", "job 1 of globex"
FOREIGN = ("ada@", SECRET_KEY, "://", "127.0.0.1", "floor-token", "floor-identity", "\n")


def said_of(failure: EnvelopeError) -> str:
    """Its sentence."""
    said = str(failure)
    assert said.startswith("secrets: ")
    assert [text for text in FOREIGN if text in said] == []
    assert failure.__suppress_context__ or failure.__context__ is None
    return said


def sealing_fails(envelope: Envelope) -> str:
    """What is said when nothing can be sealed."""
    try:
        envelope.seal(SECRET, bound_to=JOB)
    except EnvelopeError as failure:
        return said_of(failure)
    raise AssertionError("it was sealed")


def opening_fails(envelope: Envelope, sealed: str, *, bound_to: str = JOB) -> str:
    """What is said when this cannot be opened."""
    try:
        envelope.open(sealed, bound_to=bound_to)
    except EnvelopeError as failure:
        return said_of(failure)
    raise AssertionError("it was opened")


def settings(*keys: str, seconds: float = 20) -> WorkerSettings:
    """A deployment with these keys."""
    return WorkerSettings.model_validate({"secret_keys": ",".join(keys), "secret_deadline_seconds": seconds})
