"""The programs that may come in."""

from __future__ import annotations

from datetime import datetime

from app.shapes import Shape


class OwnToken(Shape):
    """The token that was shown: its name and its scopes."""

    name: str
    scopes: list[str]


class TokenLine(Shape):
    """A token, whose secret is known to nobody here."""

    name: str
    scopes: list[str]
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    revoked_at: datetime | None


class TokenList(Shape):
    """Every token by name, the revoked too."""

    tokens: list[TokenLine]
