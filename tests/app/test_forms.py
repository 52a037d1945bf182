"""What a browser may post, and what becomes of everything else (A-80)."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.testclient import TestClient

from app.forms import MAX_BODY_BYTES
from app.web import Call, Route
from tests.app.conftest import browser, serve, signed_in
from worker.database import Connection as AnyConnection

URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}


def echo(call: Call, conn: AnyConnection) -> Response:
    return JSONResponse([[name, value] for name, value in call.form.multi_items()])


@pytest.fixture
def poster(app: Starlette, conn: Connection) -> TestClient:
    """An operator's browser, on a console that answers with what was posted."""
    serve(app, Route("POST", "/echo", echo, "operator"))
    return browser(app, signed_in(conn))


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        ({"data": {"job": ["1", "2"], "reason": "because é"}}, [["job", "1"], ["job", "2"], ["reason", "because é"]]),
        ({"data": {"a": ""}}, [["a", ""]]),
        ({}, []),
        ({"content": b"", "headers": {"Content-Type": "text/plain"}}, []),
        ({"content": b"a=1&&b&=2", "headers": URLENCODED}, [["a", "1"], ["b", ""], ["", "2"]]),
        ({"content": b"a=%ff%zz", "headers": URLENCODED}, [["a", "\ufffd%zz"]]),
    ],
    ids=["fields", "empty field", "nothing", "nothing as text", "odd separators", "no text"],
)
def test_a_form_is_read_as_it_was_sent(poster: TestClient, sent: dict[str, Any], fields: list[list[str]]) -> None:
    answer = poster.post("/echo", **sent)
    assert answer.status_code == 200
    assert answer.json() == fields


def multipart(body: bytes, content_type: str = "multipart/form-data; boundary=x") -> dict[str, Any]:
    return {"content": body, "headers": {"Content-Type": content_type}}


def part(value: bytes, head: bytes = b'Content-Disposition: form-data; name="a"') -> bytes:
    return b"--x\r\n" + head + b"\r\n\r\n" + value + b"\r\n--x--\r\n"


def test_a_form_in_parts_is_read_too(poster: TestClient) -> None:
    assert poster.post("/echo", **multipart(part("é".encode()))).json() == [["a", "é"]]


REFUSED: dict[str, tuple[dict[str, Any], int]] = {
    "1,001 fields": ({"content": b"&".join(b"a=%d" % each for each in range(1001)), "headers": URLENCODED}, 400),
    "a NUL": ({"data": {"a": "x\0y"}}, 400),
    "a NUL in a name": ({"data": {"\0": "x"}}, 400),
    "half a character": (multipart(part(b"\\ud800"), "multipart/form-data; boundary=x; charset=unicode_escape"), 400),
    "JSON": ({"json": {"a": 1}}, 415),
    "plain text": ({"content": b"a=1", "headers": {"Content-Type": "text/plain"}}, 415),
    "no type": ({"content": b"a=1"}, 415),
    "no boundary": (multipart(part(b"1"), "multipart/form-data"), 400),
    "a bad boundary": (multipart(b"--y\r\n\r\n"), 400),
    "a part without a name": (multipart(part(b"1", b"Content-Disposition: form-data")), 400),
    "a file": ({"files": {"a": ("x.txt", b"text")}}, 400),
    "a huge field": ({"data": {"a": "x" * (MAX_BODY_BYTES + 1)}}, 413),
    "a huge stream": ({"content": (b"x" * 65_536 for _ in range(40)), "headers": URLENCODED}, 413),
    "a false length": ({"content": b"a=1", "headers": {**URLENCODED, "Content-Length": "-1"}}, 413),
    "an absurd length": ({"content": b"a=1", "headers": {**URLENCODED, "Content-Length": "9" * 5000}}, 413),
}


@pytest.mark.parametrize(("sent", "status"), REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused_with_a_page_that_has_a_number(
    poster: TestClient, sent: dict[str, Any], status: int
) -> None:
    answer = poster.post("/echo", **sent)
    assert answer.status_code == status
    assert answer.headers["x-request-id"] in answer.text


def test_a_field_of_a_million_characters_is_read(poster: TestClient) -> None:
    assert poster.post("/echo", data={"a": "x" * 1_000_000}).json() == [["a", "x" * 1_000_000]]
