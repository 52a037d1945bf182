"""Jobs as a file: all that match, nothing that a spreadsheet runs, and no more in memory than a batch (A-77)."""

from __future__ import annotations

import csv
import io
import json

import pytest
from sqlalchemy import Connection, Engine, event

from app import export
from tests import factories
from tests.app.conftest import Visitor
from worker.model import Status
from worker.queries.pages import jobs
from worker.queries.pages.filters import Filters

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'quoted", "＝1", 'a "quoted", line\nbreak', "plain", " "]


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_77_no_cell_is_run_and_each_gives_back_what_it_was(visitor: Visitor, conn: Connection) -> None:
    for text in FORMULAS:
        factories.job(conn, status=Status.FAILED, error_summary=text)
    answer = visitor("viewer").get("/jobs.csv?status=failed")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="jobs-20261129T120000Z.csv"'
    found = [line["error_summary"] for line in lines(answer.text)]
    assert not any(each.lstrip()[:1] in tuple("=+-@＝") for each in found)
    assert sorted(each.removeprefix("'") for each in found) == sorted(FORMULAS)


def test_a_file_holds_all_that_match_however_many_batches_they_take(
    visitor: Visitor, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BATCH", 3)
    wanted = {str(factories.job(conn, queue="mail", tenant_id=factories.tenant(conn))) for _ in range(1)}
    wanted |= {str(factories.job(conn, queue="mail")) for _ in range(7)}
    factories.job(conn, queue="other")
    client = visitor("viewer")
    text = client.get("/jobs.jsonl?queue=mail").text
    found = [json.loads(line) for line in text.splitlines()]
    assert {each["id"] for each in found} == wanted
    assert len(found) == len(wanted)
    assert {each["tenant"] for each in found} == {"acme", None}
    assert [line["id"] for line in lines(client.get("/jobs.csv?queue=mail").text)] == [each["id"] for each in found]


def test_a_file_carries_no_payload(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, payload={"order": "secret-order"})
    factories.unreadable(conn)
    assert "secret-order" not in visitor("viewer").get("/jobs.jsonl").text
    assert not {"payload", "metadata", "error_detail"} & set(export.COLUMNS)


def test_a_file_of_nothing_is_its_head(visitor: Visitor) -> None:
    assert lines(visitor("viewer").get("/jobs.csv?tenant=nobody").text) == []
    assert visitor("viewer", name="lee").get("/jobs.csv").text.startswith('"id","handler_key"')


def test_what_makes_no_sense_is_refused_before_anything_is_sent(visitor: Visitor) -> None:
    assert visitor("viewer").get("/jobs.csv?status=broken").status_code == 400


def test_between_two_batches_no_connection_is_held(
    conn: Connection, console_rw: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BATCH", 1)
    for _ in range(3):
        factories.job(conn)
    held: list[int] = []
    event.listen(console_rw, "checkout", lambda *_: held.append(1))
    event.listen(console_rw, "checkin", lambda *_: held.append(-1))
    pieces = export.batches(
        console_rw, Filters(), tenant_id=None, now=factories.NOON, write=lambda rows: str(len(rows))
    )
    assert [(piece, sum(held)) for piece in pieces] == [("1", 0)] * 3
