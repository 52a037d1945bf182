"""What browsers keep for ever: every static file under an address that changes when any of them does."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from worker.resources import folder

STYLESHEET = "app.css"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
PACKED_ALREADY = frozenset({".woff2"})

_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(rb"\s*\n\s*")


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is sent."""

    content: bytes
    media_type: str
    packed: bytes | None = None
    """The same in gzip, for whom that is less; packed once, and so as small as can be."""


class Assets:
    """The static files in memory; the stylesheets are joined in the order of `css/order.txt`."""

    def __init__(self, root: Path | None = None) -> None:
        root = root or folder("static")
        self._files = {name: _file(path.read_bytes(), path.suffix) for name, path in _served(root)}
        self._files[STYLESHEET] = _file(_stylesheet(root), ".css")
        self.version = _version(self._files)

    def address(self, name: str) -> str:
        """Where the page finds the file; KeyError for one that does not exist."""
        self._files[name]
        return f"/static/{self.version}/{name}"

    def find(self, version: str, name: str) -> File | None:
        """The file, if it is still the one that the address was made for."""
        return self._files.get(name) if version == self.version else None


def _file(content: bytes, suffix: str) -> File:
    packed = None if suffix in PACKED_ALREADY else gzip.compress(content, mtime=0)
    return File(content, MEDIA_TYPES[suffix], packed)


def _served(root: Path) -> list[tuple[str, Path]]:
    """Scripts, icons and fonts; no part of the stylesheet and nothing that only the build needs."""
    paths = (path for path in root.rglob("*") if path.suffix in MEDIA_TYPES and path.is_file())
    return [(path.relative_to(root).as_posix(), path) for path in sorted(paths) if path.suffix != ".css"]


def _stylesheet(root: Path) -> bytes:
    """All parts as one, without their comments and indents: a seventh of it as it is sent."""
    names = (root / "css/order.txt").read_text().split()
    joined = b"\n".join((root / "css" / name).read_bytes() for name in names)
    return _SPACE.sub(b"\n", _COMMENT.sub(b"", joined))


def _version(files: dict[str, File]) -> str:
    content = hashlib.sha256()
    for name in sorted(files):
        content.update(name.encode() + b"\0" + hashlib.sha256(files[name].content).digest())
    return content.hexdigest()[:12]
