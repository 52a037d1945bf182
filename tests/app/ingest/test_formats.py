"""From bytes of a stated type to a table."""

from __future__ import annotations

import codecs

import pytest

from app.ingest.formats import Format
from app.ingest.table import Table
from worker.errors import InvalidInput

CITIES = "city,größe\nKöln,1\n"


def read(body: bytes, content_type: str = "text/csv") -> Table:
    return Format.stated(content_type).read(body)


def refusal(body: bytes, content_type: str = "text/csv") -> str:
    with pytest.raises(InvalidInput) as refused:
        read(body, content_type)
    return str(refused.value)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (CITIES.encode(), "text/csv"),
        (codecs.BOM_UTF8 + CITIES.encode(), 'Text/CSV; Charset="UTF-8"; header=present'),
        (CITIES.encode("utf-16"), "text/csv; charset=utf-16"),
        (codecs.BOM_UTF16_BE + CITIES.encode("utf-16-be"), "text/csv; charset=utf-16"),
        (CITIES.encode("cp1252"), "text/csv; charset=windows-1252"),
        (CITIES.encode("latin-1"), "text/csv; charset=iso-8859-1"),
    ],
)
def test_the_same_table_is_read_whatever_it_is_encoded_in(body: bytes, content_type: str) -> None:
    table = read(body, content_type)
    assert (table.columns, table.records) == (["city", "größe"], ['{"city":"Köln","größe":"1"}'])
    assert table.content_hash == read(CITIES.encode()).content_hash


def test_other_rows_other_names_and_another_format_are_other_content() -> None:
    rows = {read(body).content_hash for body in (b"a,b\n1,2", b"a,b\n1,3", b"b,a\n1,2", b"a,b\n1,2\n1,2", b"a\n1")}
    assert len(rows) == 5
    assert read(b'{"a":"1"}', "application/x-ndjson").content_hash not in rows


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        (b"a\n1", "text/html", "Content-Type: must be one of text/csv, application/jsonl"),
        (b"a\n1", "", "Content-Type: must be one of text/csv"),
        (b"a\n1", "text/csv; charset=utf-7", "Content-Type: charset must be utf-8, us-ascii, utf-16"),
        (b'{"a":1}', "application/jsonl; charset=utf-16", "Content-Type: charset must be utf-8, as JSON is"),
        (b"a\n1", "text/csv; header=absent", "Content-Type: header must be present"),
        (b"", "text/csv", "body: holds no rows"),
        (b"\n\n", "text/csv", "body: holds no rows"),
        (b"a,b\n", "text/csv", "body: holds no rows"),
        (b"\n", "application/jsonl", "body: holds no rows"),
        (b"{}\n{}\n", "application/jsonl", "body: holds no columns"),
        ("a\n1".encode("utf-16-be"), "text/csv; charset=utf-16", "line 1: begins with no byte order mark"),
        (b"a\n1\nK\xf6ln", "text/csv", "line 3: byte 0xf6 is not utf-8; state another charset, or save it as UTF-8"),
        ("a\nö".encode(), "text/csv; charset=us-ascii", "line 2: byte 0xc3 is not us-ascii"),
        ("a\n1".encode("utf-16"), "text/csv", "line 1: byte 0xff is not utf-8"),
    ],
)
def test_a_refusal_says_what_to_change(body: bytes, content_type: str, said: str) -> None:
    assert refusal(body, content_type).startswith(said)
