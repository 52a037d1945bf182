"""The SQLite file that DATABASE_URL names."""

from __future__ import annotations

from pathlib import Path

from app.commands.refusals import Misconfigured

ADDRESSES = "must be like postgresql://user:password@host:5432/name or sqlite:///path/to/file"
_BEGINS = b"SQLite format 3\0"


def path_of(address: str, *, create: bool) -> Path:
    """The file's one name; Misconfigured unless it is there, or may be made, and is a database."""
    scheme, _, name = address.partition(":///")
    if scheme not in ("sqlite", "sqlite+pysqlite") or not name or name == ":memory:" or "?" in name:
        raise Misconfigured(f"DATABASE_URL: {ADDRESSES}")
    path = Path(name).resolve()  # else two processes could have it by two names
    try:
        _require_file(path, create=create)
    except OSError as error:
        raise Misconfigured(f"DATABASE_URL: the SQLite file cannot be used ({error.strerror})") from None
    return path


def _require_file(path: Path, *, create: bool) -> None:
    if not path.parent.is_dir():
        raise Misconfigured("DATABASE_URL: the folder for the SQLite file does not exist")
    if not path.exists():
        if not create:
            raise Misconfigured("DATABASE_URL: no such SQLite file; start one with `watchfloor up`")
        path.touch(mode=0o600)  # as it will hold what the jobs hold
    with path.open("rb") as file:
        if file.read(len(_BEGINS)) not in (_BEGINS, b""):
            raise Misconfigured("DATABASE_URL: the file is not a SQLite database")
