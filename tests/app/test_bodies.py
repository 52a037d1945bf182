"""What a program sends: bounded, of the right type, and refused in words that do not repeat it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Message

from app import bodies
from app.api import ApiCall
from app.bodies import Body
from app.documents import Document
from app.errors import Refused
from tests.app.routes.programs import SECRET, problem, serve_api


class Order(Body):
    number: int
    note: str = ""


def echo(call: ApiCall) -> Response:
    return Document(call.read(Order).model_dump())


def stream(size: int) -> Iterator[bytes]:
    yield from (b"x" * 1000 for _ in range(size // 1000))


def count(call: ApiCall) -> Response:
    return Document({"bytes": len(call.body.read())})


@pytest.mark.parametrize(
    ("body", "at_fault"),
    [
        ({}, ["number"]), ({"number": "1"}, ["number"]), ({"number": SECRET}, ["number"]),
        ({"number": 1.5}, ["number"]), ({"number": 1, "nuber": SECRET}, ["nuber"]), ([], [""]), ("text", [""]),
        ({"note": 1, "x": SECRET}, ["number", "note", "x"]),
    ],
)  # fmt: skip
def test_a_document_that_is_not_what_is_taken_is_refused_member_by_member(
    app: Starlette, api: TestClient, body: Any, at_fault: list[str]
) -> None:
    serve_api(app, echo, body=Order)
    found = problem(api.post("/admin/probe", json=body), 422)
    assert [each["field"] for each in found["errors"]] == at_fault
    assert all(each["detail"] for each in found["errors"])


@pytest.mark.parametrize("body", [b"{", b"\xff", b"{'a': 1}", b"{} {}", b'{"note": "\\ud800"}', b"[" * 9000, b" "])
def test_what_is_not_json_is_refused(app: Starlette, api: TestClient, body: bytes) -> None:
    serve_api(app, echo, body=Order)
    answer = api.post("/admin/probe", content=body, headers={"Content-Type": "application/json; charset=utf-8"})
    assert "not JSON" in problem(answer, 400)["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    ],
)  # fmt: skip
def test_another_type_is_refused_and_the_right_one_named(
    app: Starlette, api: TestClient, headers: dict[str, str]
) -> None:
    serve_api(app, echo, body=Order)
    answer = api.post("/admin/probe", content=b'{"number": 1}', headers=headers)
    problem(answer, 415)
    assert answer.headers["accept"] == "application/json"


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_body_beyond_the_bound_is_refused(app: Starlette, api: TestClient, in_pieces: bool) -> None:
    serve_api(app, echo, body=Order, max_body_bytes=10_000)
    content = stream(11_000) if in_pieces else b"x" * 11_000
    answer = api.post("/admin/probe", content=content, headers={"Content-Type": "application/json"})
    assert "10,000" in problem(answer, 413)["detail"]


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_route_may_take_more_than_any_form_and_leaves_nothing_on_the_disk(
    app: Starlette, api: TestClient, in_pieces: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    serve_api(app, count, max_body_bytes=5_000_000, media_types=("text/csv",))
    content = stream(4_000_000) if in_pieces else b"x" * 4_000_000
    answer = api.post("/admin/probe", content=content, headers={"Content-Type": "text/csv"})
    assert answer.json() == {"bytes": 4_000_000}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("length", ["x", "-1", "1" * 30, "99999999"])
def test_a_length_that_cannot_be_is_refused(app: Starlette, api: TestClient, length: str) -> None:
    serve_api(app, echo, body=Order)
    problem(api.post("/admin/probe", headers={"Content-Length": length}), 413)


@pytest.mark.anyio
async def test_a_body_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MAX_SECONDS", 0.01)

    async def nothing() -> Message:
        await anyio.sleep_forever()
        return {}

    request = Request({"type": "http", "headers": []}, nothing)
    with pytest.raises(Refused) as refusal:
        async with bodies.received(request, max_bytes=10, media_types=()):
            pass
    assert refusal.value.status == 408
