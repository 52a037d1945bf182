"""Requests that are sent again by whoever did not hear the answer: what they made before has the id of their key."""

from __future__ import annotations

import re
from uuid import UUID, uuid5

from app.api import ApiCall
from worker.errors import InvalidInput

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[!-~]{1,200}", re.ASCII)
_NAMESPACE = UUID("7a3f6a0e-6d0b-4f5e-9a0c-5b1f5a9a7c11")


def made_id(call: ApiCall) -> UUID | None:
    """The id that this token's key gives to what the request makes; None without a key."""
    given = call.request.headers.getlist(HEADER)
    if not given:
        return None
    if len(given) > 1 or not _KEY.fullmatch(given[0]):
        raise InvalidInput(HEADER, "must be one key of 1 to 200 visible characters")
    return uuid5(_NAMESPACE, f"{call.actor.name}\n{given[0]}")
