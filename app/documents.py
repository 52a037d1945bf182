"""What the API answers: JSON documents, times in UTC and ids as text."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from starlette.responses import JSONResponse


class Document(JSONResponse):
    """One value as JSON; models, dataclasses and mappings are objects."""

    def render(self, content: Any) -> bytes:
        """The bytes of the value."""
        text = json.dumps(content, default=_plain, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="backslashreplace")  # half a character, which JSON has a name for


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} is not JSON")
