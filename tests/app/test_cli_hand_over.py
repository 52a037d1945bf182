"""A shift told in a shell."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.app.shell import Shell
from worker.queries import queues
from worker.queries.audit import Actor


def test_a_shift_is_told_as_text_and_as_a_document(url: str, conn: Connection) -> None:
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down")
    text = Shell(url).ok("hand-over", WATCHFLOOR_URL="https://console.floor.example")
    assert "- mira: 1 queue paused" in text
    assert "Queue mail is paused by mira until somebody resumes it: provider down; 0 waiting" in text
    assert text.splitlines()[-1].startswith("https://console.floor.example/hand-over?since=")
    told = Shell(url).json("hand-over", "--since", "12h")
    assert (told["people"], told["open"]["paused"][0]["queue"]) == ({"mira": "1 queue paused"}, "mail")
    assert told["done"]["Queues"][0]["href"] == "/queues/mail"
    assert Shell(url).json("hand-over", "--since", "2020-01-01T00:00Z", "--until", "2020-01-02T00:00Z")["people"] == {}


def test_a_shift_that_is_to_come_is_refused(url: str, conn: Connection) -> None:
    assert "--since must be before" in Shell(url).refused("hand-over", "--since", "2999-01-01T00:00Z", code=2)
