"""Chance that is the same on every run of the same job, so that what fails once fails again for the same reason."""

from __future__ import annotations

from hashlib import blake2s
from uuid import UUID


def share(job_id: UUID, of_what: str) -> float:
    """A number from 0 to 1, fixed for the job and the question."""
    drawn = blake2s(job_id.bytes + of_what.encode(), digest_size=6).digest()
    return int.from_bytes(drawn) / 256**6


def between(job_id: UUID, of_what: str, least: float, most: float) -> float:
    """A number between the two, fixed likewise; small ones are more frequent than large ones."""
    return least + (most - least) * share(job_id, of_what) ** 2
