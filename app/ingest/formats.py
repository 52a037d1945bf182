"""Which formats there are, by the content type that states them, and how their bytes become text."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message

from app.ingest.csv_lines import read_csv
from app.ingest.json_lines import read_json_lines
from app.ingest.places import refused
from app.ingest.table import Table
from worker.errors import InvalidInput

_FORMATS = {
    "text/csv": "csv",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/json-lines": "jsonl",
}
MEDIA_TYPES = tuple(_FORMATS)

_READERS: dict[str, Callable[[str], Table]] = {"csv": read_csv, "jsonl": read_json_lines}
# Each maps every byte sequence it takes to one text; what drops or guesses is not among them
_CHARSETS = {
    "utf-8": "utf-8-sig",
    "us-ascii": "ascii",
    "utf-16": "utf-16",
    "iso-8859-1": "iso-8859-1",
    "windows-1252": "windows-1252",
}

_BYTE_ORDERS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Format:
    """What a content type states."""

    name: str
    charset: str

    @classmethod
    def stated(cls, content_type: str) -> Format:
        """The format of that content type; InvalidInput when it is none that is taken."""
        stated = Message()
        stated["content-type"] = content_type
        name = _FORMATS.get(stated.get_content_type())
        if name is None:
            raise InvalidInput("Content-Type", f"must be one of {', '.join(_FORMATS)}")
        charset = str(stated.get_param("charset", "utf-8")).lower()
        if charset not in (_CHARSETS if name == "csv" else ("utf-8",)):
            known = ", ".join(_CHARSETS) if name == "csv" else "utf-8, as JSON is"
            raise InvalidInput("Content-Type", f"charset must be {known}")
        if str(stated.get_param("header", "present")).lower() != "present":
            raise InvalidInput("Content-Type", "header must be present: the first line names the columns")
        return cls(name, charset)

    def read(self, body: bytes) -> Table:
        """The table that the bytes hold; InvalidInput names line and column of what cannot be taken."""
        table = _READERS[self.name](self._text(body))
        if not table.row_count:
            raise InvalidInput("body", "holds no rows")
        if not table.columns:
            raise InvalidInput("body", "holds no columns")
        return table

    def _text(self, body: bytes) -> str:
        encoding = _CHARSETS[self.charset]
        if encoding == "utf-16" and not body.startswith(_BYTE_ORDERS):
            raise refused("begins with no byte order mark, which utf-16 needs; save it as UTF-8", line=1)
        try:
            return body.decode(encoding)
        except UnicodeDecodeError as error:
            line = body[: error.start].decode(encoding, "ignore").count("\n") + 1
            found = f"byte {body[error.start]:#04x} is not {self.charset}" if error.start < len(body) else "ends early"
            raise refused(f"{found}; state another charset, or save it as UTF-8", line=line) from None
