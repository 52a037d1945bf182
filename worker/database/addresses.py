"""Addresses of one database: what is one of a server, and how each of its roles would have it."""

from __future__ import annotations

from pydantic import SecretStr
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from worker.database.engines import url_of


def is_server(text: str) -> bool:
    """Whether it is an address of a PostgreSQL."""
    try:
        url = make_url(url_of(text))
    except (ArgumentError, ValueError):
        return False
    return url.drivername == "postgresql+psycopg" and url.port != 0


def signing_in(address: str, *, role: str, password: SecretStr | None) -> str:
    """The same database for another role, whose password is the one that is given, and never the other's."""
    url = make_url(url_of(address))
    if url.username == role and password is None:
        return url.render_as_string(hide_password=False)
    own = url._replace(username=role, password=password.get_secret_value() if password else None)
    return own.render_as_string(hide_password=False)
