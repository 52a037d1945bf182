"""What can be done about a group of dead letters: every act goes back to the page as it was, is audited, and is refused
to those who only look."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, insert
from starlette.applications import Starlette

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.failures import fingerprint
from worker.model import Status
from worker.queries import groups
from worker.queries.audit import Actor
from worker.queries.pages import groups as inbox
from worker.queries.schema import releases

HANDLER, KIND, SAID, OTHER = "send_digest", "Timeout", "host 1 is down", "no answer from the host"
A, B = fingerprint(HANDLER, KIND, SAID), fingerprint(HANDLER, KIND, OTHER)
BACK = f"/dead-letters?group={A}"
DIALOG = {"HX-Request": "true", "HX-Target": "dialog#dialog", "HX-Current-URL": "http://localhost/dead-letters"}
LEE = Actor("lee")


def die(conn: Connection, summary: str = SAID, minutes_ago: int = 1) -> None:
    said = {"error_type": KIND, "error_summary": summary, "error_fingerprint": fingerprint(HANDLER, KIND, summary)}
    at = NOON - timedelta(minutes=minutes_ago)
    factories.job(conn, status=Status.FAILED, job_type=HANDLER, finished_at=at, **said)


def group(conn: Connection, name: str = A) -> Any:
    return inbox.one(conn, fingerprint=name, now=NOON)


def test_the_open_group_is_taken_and_given_back_by_the_same_key(visitor: Visitor, conn: Connection) -> None:
    die(conn)
    client = visitor(name="dana")
    assert "Nobody has it" in plain(client.get(BACK).text)
    answer = client.post("/dead-letters/owners", data={"group": A, "back": BACK, "seen_with": ""})
    assert (answer.status_code, answer.headers["location"]) == (303, BACK)
    text = client.get(BACK).text
    assert "dana has it" in plain(text)
    assert text.count('data-key="t"') == 1
    client.post("/dead-letters/owners/removals", data={"group": A, "back": BACK, "seen_with": "dana"})
    assert (group(conn).state, group(conn).assignee) == ("new", None)
    assert [row.actor for row in (*trail(conn, "take"), *trail(conn, "give-back"))] == ["dana", "dana"]


def test_whoever_takes_what_was_taken_meanwhile_sees_who_has_it(visitor: Visitor, conn: Connection) -> None:
    die(conn)
    groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    client = visitor(name="dana")
    client.post("/dead-letters/owners", data={"group": A, "back": BACK, "seen_with": ""})
    text = plain(client.get(BACK).text)
    assert "lee has it" in text
    assert "Take from lee" in text


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"way": "time", "span": "4h"}, "Sleeps until Nov 29, 16:00"),
        ({"way": "rate", "rate": "5"}, "Sleeps until more than 5 die in an hour"),
        ({"way": "next"}, "Sleeps until it happens again"),
    ],
)
def test_a_snoozed_group_says_until_when_and_can_be_woken(
    visitor: Visitor, conn: Connection, form: dict[str, str], told: str
) -> None:
    die(conn)
    client = visitor(name="dana")
    client.post("/dead-letters/snoozes", data={"group": A, "back": BACK, "reason": "vendor", **form})
    said = plain(client.get(BACK).text)
    assert told.partition(" Nov")[0] in said
    assert "by dana" in said
    assert "Nothing is open" in plain(client.get("/dead-letters").text)
    assert [row.reason for row in trail(conn, "snooze")] == ["vendor"]
    client.post("/dead-letters/reopenings", data={"group": A, "back": BACK})
    assert group(conn).state == "new"


@pytest.mark.parametrize(
    ("path", "form", "problem"),
    [
        ("snoozes", {"way": "rate", "rate": "0"}, "must be from 1 to 1,000 an hour"),
        ("snoozes", {"way": "rate", "rate": "many"}, "must be a number from 1 to 1,000"),
        ("snoozes", {"way": "time", "span": "9y"}, "choose one of these"),
        ("snoozes", {"way": "time", "span": "4h", "rate": "5"}, "or leave this empty"),
        ("resolutions", {"way": "release", "release": " "}, "say which"),
        ("notes", {"note": "x" * 2001}, "is longer than 2000 characters"),
        ("merges", {"into": A}, "is the same group"),
    ],
)
def test_what_cannot_be_done_is_said_beside_the_field(
    visitor: Visitor, conn: Connection, path: str, form: dict[str, str], problem: str
) -> None:
    die(conn)
    die(conn, OTHER)
    answer = visitor().post(f"/dead-letters/{path}", data={"group": A, "back": BACK, **form}, headers=DIALOG)
    assert answer.status_code == 422
    assert problem in answer.text
    assert answer.text.lstrip().startswith('<form class="sheet"')


def test_a_resolved_group_is_among_the_resolved_and_comes_back_by_itself(visitor: Visitor, conn: Connection) -> None:
    die(conn)
    conn.execute(insert(releases), {"name": "2026.12", "at": NOON - timedelta(hours=1), "told_by": "lee"})
    client = visitor(name="dana")
    assert (
        "The newest that is known is 2026.12."
        in client.get(f"/dead-letters/resolutions/new?group={A}&back={BACK}").text
    )
    form = {"group": A, "back": BACK, "way": "release", "release": "2026.12"}
    client.post("/dead-letters/resolutions", data=form)
    assert "resolved in 2026.12" in plain(client.get("/dead-letters?view=resolved").text)
    said = plain(client.get(f"/dead-letters?view=resolved&group={A}").text)
    assert "Where that release has not come by" in said
    die(conn, minutes_ago=-1)
    assert "came back after 2026.12" in plain(client.get("/dead-letters").text)


def test_a_note_is_kept_in_its_lines_and_shown_as_text(visitor: Visitor, conn: Connection) -> None:
    die(conn)
    client = visitor()
    client.post("/dead-letters/notes", data={"group": A, "back": BACK, "note": "ask <storage>\r\nor lee"})
    assert "ask &lt;storage&gt;\nor lee" in client.get(BACK).text
    assert "ask &lt;storage&gt;" in client.get(f"/dead-letters/notes/new?group={A}&back={BACK}", headers=DIALOG).text


def test_a_group_that_joined_another_says_where_it_went_and_can_be_taken_out(
    visitor: Visitor, conn: Connection
) -> None:
    die(conn)
    die(conn, OTHER, 2)
    client = visitor()
    assert OTHER in client.get(f"/dead-letters/merges/new?group={A}&back={BACK}", headers=DIALOG).text
    client.post("/dead-letters/merges", data={"group": A, "back": BACK, "into": B})
    assert group(conn, B).jobs == 2
    gone = plain(client.get(BACK).text)
    assert "It joined another group" in gone
    assert "Joined by Timeout: host ‹n› is down" in plain(client.get(f"/dead-letters?group={B}").text)
    client.post("/dead-letters/merges/removals", data={"group": A, "back": BACK})
    assert (group(conn, A).jobs, group(conn, B).jobs) == (1, 1)


@pytest.mark.parametrize(("messages", "told"), [(6, "and 1 more"), (20, "and 15 more"), (21, "and more")])
def test_a_group_of_many_messages_shows_five_and_says_how_many_more_there_are(
    visitor: Visitor, conn: Connection, messages: int, told: str
) -> None:
    for number in range(messages):
        die(conn, f"host {number} is down")
    assert told in plain(visitor().get(BACK).text)


def test_messages_can_be_kept_apart_and_the_parts_that_were_made_alike_are_marked(
    visitor: Visitor, conn: Connection
) -> None:
    die(conn)
    die(conn, "host 2 is down", 2)
    client = visitor()
    text = client.get(BACK).text
    assert 'host <mark title="any number">2' in text or 'host <mark title="any number">1' in text
    assert "A group for each message" in text
    client.post("/dead-letters/splits", data={"group": A, "back": BACK})
    assert len(inbox.read(conn, now=NOON)) == 2
    assert "Its messages are a group each" in plain(client.get(BACK).text)
    client.post("/dead-letters/splits/removals", data={"group": A, "back": BACK})
    assert [each.fingerprint for each in inbox.read(conn, now=NOON)] == [A]


def test_the_text_for_a_channel_says_all_that_a_reader_without_the_console_needs(
    visitor: Visitor, conn: Connection
) -> None:
    conn.execute(insert(releases), {"name": "7.2", "at": NOON - timedelta(minutes=9), "told_by": "lee"})
    tenant = factories.tenant(conn)
    said = {"error_type": KIND, "error_summary": SAID, "error_fingerprint": A, "queue": "mail"}
    at = NOON - timedelta(minutes=5)
    factories.job(conn, status=Status.FAILED, job_type=HANDLER, finished_at=at, tenant_id=tenant, **said)
    groups.take(conn, fingerprint=A, actor=LEE, now=NOON)
    text = visitor().get(BACK).text.partition('data-copy="Timeout')[2].partition('"')[0]
    assert text.splitlines() == [
        ": host 1 is down",
        "1 dead letter of send_digest on mail, 1 tenant (acme 1)",
        "first 2026-11-29 11:55:00 UTC, last 2026-11-29 11:55:00 UTC; began 4m after release 7.2",
        "lee has it",
        f"http://localhost/dead-letters?group={A}",
        "as of 2026-11-29 12:00:00 UTC",
    ]


@pytest.mark.parametrize(
    "path", ["owners", "owners/removals", "snoozes", "resolutions", "reopenings", "notes", "merges"]
)
def test_who_only_looks_changes_nothing_and_is_told_why(visitor: Visitor, conn: Connection, path: str) -> None:
    die(conn)
    client = visitor("viewer")
    answer = client.post(f"/dead-letters/{path}", data={"group": A, "back": BACK, "into": B})
    assert answer.status_code == 403
    text = client.get(BACK).text
    assert "Needs the role of operator" in text
    assert 'data-key="t"' not in text


@pytest.mark.parametrize("form", [{"group": "", "back": BACK}, {"group": A, "back": "https://elsewhere/"}])
def test_a_72_and_a_80_a_form_without_sense_is_refused(
    visitor: Visitor, conn: Connection, form: dict[str, str]
) -> None:
    assert visitor().post("/dead-letters/owners", data=form).status_code == 400


def test_the_views_count_groups_and_mine_are_those_that_i_have(visitor: Visitor, conn: Connection) -> None:
    die(conn)
    die(conn, OTHER, 2)
    groups.take(conn, fingerprint=A, actor=Actor("dana"), now=NOON)
    client = visitor(name="dana")
    text = client.get("/dead-letters?view=mine").text
    assert "Open 2 Mine 1 Snoozed 0 Resolved 0 All 2" in plain(text)
    assert text.count('id="group-') == 1
    assert client.get("/dead-letters?view=none").status_code == 400


def test_what_was_declared_beside_the_handler_is_told_to_whoever_is_on_call(
    app: Starlette, visitor: Visitor, conn: Connection
) -> None:
    told: dict[str, Any] = {"runbook": "https://wiki.example/digest", "owner": "growth", "replay": "ask"}
    app.state.console.registry.job_types.register(HANDLER, lambda job: None, **told)
    die(conn)
    text = visitor().get(BACK).text
    assert 'href="https://wiki.example/digest" rel="noreferrer"' in text
    assert "Owner growth" in plain(text)
    assert "may do again what the first run did: ask the owner before" in plain(text)
