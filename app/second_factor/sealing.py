"""What authenticators share with us, sealed: for an operator who has one, and for the page that sets one up."""

from __future__ import annotations

from app.console import Console
from worker.envelope import Envelope, secret_encryption_readiness
from worker.errors import ConfigurationError, EnvelopeError
from worker.queries.operators import Operator


def readiness(console: Console) -> str | None:
    """Why no secret can be kept here, in a sentence; None when it can."""
    return secret_encryption_readiness(console.settings)


def kept(console: Console, operator: Operator, secret: bytes) -> str:
    """The secret as the database has it, of no use for anybody else."""
    return _envelope(console).seal(secret, bound_to=_of(operator))


def opened(console: Console, operator: Operator, sealed: str) -> bytes:
    """The operator's secret again; EnvelopeError when it cannot be had."""
    return _envelope(console).open(sealed, bound_to=_of(operator))


def lent(console: Console, occasion: str, secret: bytes) -> str:
    """A secret that nobody has confirmed yet, as the page carries it: it is of use on this occasion alone."""
    return _envelope(console).seal(secret, bound_to=f"second factor offered to {occasion}")


def returned(console: Console, occasion: str, sealed: str) -> bytes:
    """What a page of this occasion carried; EnvelopeError when it comes from another."""
    return _envelope(console).open(sealed, bound_to=f"second factor offered to {occasion}")


def _envelope(console: Console) -> Envelope:
    """What seals here; EnvelopeError, too, where the keys are gone since a secret was sealed."""
    try:
        return console.deployment.envelope()
    except ConfigurationError as error:
        raise EnvelopeError(str(error)) from None


def _of(operator: Operator) -> str:
    return f"second factor of {operator.id}"
