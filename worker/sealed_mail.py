"""The only form in which a mail may be stored (S1-121): a plain rule, for the door and for whoever opens it."""

from __future__ import annotations

import re
from typing import TypeGuard

EMAIL_SCHEMA = "watchfloor.email.v1"

_BASE64 = re.compile(r"([A-Za-z0-9_+/-]{4})*([A-Za-z0-9_+/-]{2}==|[A-Za-z0-9_+/-]{3}=|[A-Za-z0-9_+/-]{4})", re.ASCII)


def is_sealed(payload: object) -> TypeGuard[dict[str, str]]:
    """Whether it is the schema's name and base64, and nothing else that could be an address."""
    return (
        isinstance(payload, dict)
        and payload.keys() == {"schema", "ciphertext"}
        and payload["schema"] == EMAIL_SCHEMA
        and isinstance(payload["ciphertext"], str)
        and _BASE64.fullmatch(payload["ciphertext"]) is not None
    )
