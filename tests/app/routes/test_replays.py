"""Replaying from the console: one, some, a whole kind; twice is harmless; who was first is told (A-52 to A-56)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from httpx2 import Response
from sqlalchemy import Connection, update
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.bulk_acts import undo, work
from worker.queries.schema import bulk_acts

GROUP = "f" * 16
OVER_LETTERS = {
    "HX-Request": "true",
    "HX-Target": "div#letters",
    "HX-Current-URL": f"http://localhost/dead-letters?group={GROUP}",
}
DIALOG = OVER_LETTERS | {"HX-Target": "dialog#dialog"}
BACK = f"/dead-letters?group={GROUP}"


def die(conn: Connection, **columns: object) -> UUID:
    return factories.job(conn, status=Status.FAILED, **{"finished_at": NOON - timedelta(minutes=1)} | columns)


def replay(client: TestClient, *jobs: UUID, **fields: Any) -> Response:
    headers = fields.pop("headers", {})
    return client.post("/replays", data={"job": [str(job) for job in jobs], "back": BACK, **fields}, headers=headers)


def told(client: TestClient, answer: Response) -> str:
    """What the page that an act leads back to says of it."""
    assert answer.status_code == 303
    text = client.get(answer.headers["location"]).text
    toast = text.partition('id="toasts"')[2].partition("<form")[0].partition("<button")[0]
    return plain(toast).partition(">")[2].replace(" .", ".").strip()


def test_the_form_says_how_many_whose_where_and_who_can_run_them(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, queue="mail")
    tenants = [factories.tenant(conn), factories.tenant(conn, "globex")]
    jobs = [die(conn, queue="mail", tenant_id=tenant) for tenant in tenants]
    said = plain(visitor().get("/replays/new", params={"job": [str(job) for job in jobs], "back": BACK}).text)
    assert "Replay 2 dead letters" in said
    assert "2 jobs of render_report for 2 tenants go back to mail with a fresh budget of 5 attempts." in said
    assert "1 live worker takes them, after the 1 job that is ready there." in said


def test_a_56_the_form_warns_when_nobody_can_run_it(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "gpu-1", component="gpu", job_types=["train"], stopped_at=NOON - timedelta(hours=1))
    said = plain(visitor().get(f"/replays/new?job={die(conn, job_type='train')}").text)
    assert "No live worker can run it: train waits in default until one starts" in said
    assert "The last that ran it, gpu," in said


def test_the_form_warns_of_a_pause_and_of_mail_sent_twice(visitor: Visitor, conn: Connection) -> None:
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down", now=NOON)
    sealed = {"schema": "watchfloor.email.v1", "ciphertext": "c2VhbGVk"}
    job = die(conn, job_type="send_email", queue="mail", payload=sealed)
    said = plain(visitor().get(f"/replays/new?job={job}").text)
    assert "mail is paused by mira: provider down" in said
    assert "This sends e-mail." in said


def test_the_dialog_gets_the_sheet_alone_and_redraws_what_lies_under_it(visitor: Visitor, conn: Connection) -> None:
    params = {"job": str(die(conn)), "back": BACK}
    text = visitor().get("/replays/new", params=params, headers=DIALOG).text
    assert text.lstrip().startswith('<form class="sheet"')
    assert 'hx-target="#letters"' in text
    elsewhere = DIALOG | {"HX-Current-URL": "http://localhost/"}
    assert 'hx-target="#main"' in visitor(name="lee").get("/replays/new", params=params, headers=elsewhere).text


def test_one_is_replayed_with_its_reason_and_the_page_says_so(visitor: Visitor, conn: Connection) -> None:
    job = die(conn)
    client = visitor(name="dana")
    answer = client.post(f"/dead-letters/{job}/replays", data={"reason": " fixed ", "back": f"/jobs/{job}"})
    assert told(client, answer) == "Replayed 1 job."
    assert answer.headers["location"].startswith(f"/jobs/{job}?done=")
    row = factories.stored(conn, job)
    assert (row.status, row.attempts, row.replays) == ("queued", 0, 1)
    (act,) = trail(conn, "replay")
    assert (act.actor, act.reason, act.jobs, act.outcome) == ("dana", "fixed", 1, "done")


def test_a_54_of_a_selection_only_the_dead_are_replayed(visitor: Visitor, conn: Connection) -> None:
    dead = [die(conn) for _ in range(2)]
    others = [factories.job(conn, status=status) for status in Status if status != Status.FAILED]
    before = [factories.stored(conn, job) for job in others]
    client = visitor()
    said = plain(client.get("/replays/new", params={"job": [str(job) for job in (*dead, *others)]}).text)
    assert "Replay 2 dead letters" in said
    assert "4 others are no dead letters and stay as they are." in said
    answer = replay(client, *dead, *others)
    assert told(client, answer) == "Replayed 2 jobs; 4 were past that already."
    assert [factories.stored(conn, job) for job in others] == before


def test_a_52_the_second_to_press_is_told_who_was_first(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(3)]
    dana, lee = visitor(name="dana"), visitor(name="lee")
    assert told(dana, replay(dana, jobs[0])) == "Replayed 1 job."
    assert told(lee, replay(lee, *jobs)) == "Replayed 2 jobs; 1 was already replayed by dana just now."
    assert told(lee, replay(lee, *jobs[:1])) == "It was already replayed by dana just now."
    assert [(act.actor, act.jobs) for act in trail(conn, "replay")] == [("dana", 1), ("lee", 2)]
    assert [factories.stored(conn, job).replays for job in jobs] == [1, 1, 1]


def test_what_an_act_came_to_is_told_to_its_own_operator_and_only_a_moment(visitor: Visitor, conn: Connection) -> None:
    client = visitor(name="dana")
    address = replay(client, die(conn)).headers["location"]
    assert "Replayed 1 job." in client.get(address).text
    assert "Replayed 1 job." not in visitor(name="lee").get(address).text
    then = NOON - timedelta(minutes=2)
    conn.execute(update(bulk_acts).values(chosen_at=then, ended_at=then))
    assert "Replayed 1 job." not in client.get(address).text


@pytest.mark.parametrize("query", ["done=x", "done=999", "done=" + "9" * 400, "skipped=-1&first=x", "done=<b>"])
def test_a_made_up_outcome_says_nothing(visitor: Visitor, query: str) -> None:
    answer = visitor().get(f"/dead-letters?{query}")
    assert answer.status_code == 200
    assert 'data-toast="' not in answer.text


def test_htmx_is_redrawn_through_the_redirect_with_a_toast_beside(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(2)]
    client = visitor()
    answer = replay(client, jobs[0], headers=OVER_LETTERS)
    text = client.get(answer.headers["location"], headers=OVER_LETTERS).text
    assert text.lstrip().startswith('<div class="stack" id="letters"')
    assert 'hx-swap-oob="beforeend:#toasts"' in text
    assert f'hx-get="{BACK}"' in text
    assert str(jobs[0]) not in text


def test_from_a_page_of_its_own_htmx_is_sent_back_to_the_list(visitor: Visitor, conn: Connection) -> None:
    headers = OVER_LETTERS | {"HX-Current-URL": "http://localhost/replays/new?job=x"}
    answer = replay(visitor(), die(conn), headers=headers)
    assert answer.headers["HX-Redirect"].startswith(BACK)


def test_a_53_a_group_is_what_it_was_when_the_page_was_drawn(visitor: Visitor, conn: Connection) -> None:
    shown = [die(conn) for _ in range(3)]
    other = die(conn, error_fingerprint="other")
    fields = {"group": GROUP, "before": NOON.isoformat(), "back": BACK}
    client = visitor()
    assert "Replay 3 dead letters" in plain(client.get("/replays/new", params=fields).text)
    later = die(conn, finished_at=NOON + timedelta(seconds=1))
    replay(visitor(name="lee"), shown[0])
    answer = client.post("/replays", data={**fields, "all": "1", "shown": "3"})
    assert told(client, answer) == "Replayed 2 jobs; 1 was past that already."
    assert [factories.stored(conn, job).status for job in (*shown, later, other)] == [*["queued"] * 3, *["failed"] * 2]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one transaction moves, made so small that a handful is a large set."""
    for module in (work, undo):
        monkeypatch.setattr(module, "AT_ONCE", 2)


@pytest.mark.usefixtures("small")
def test_a_55_a_large_set_leads_to_its_own_page_and_is_moved_from_there(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(5)]
    fields = {"group": GROUP, "before": NOON.isoformat(), "back": BACK}
    client = visitor()
    assert "Replay 5 dead letters" in plain(client.get("/replays/new", params=fields).text)
    answer = client.post("/replays", data={**fields, "all": "1", "shown": "5"})
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/acts/")
    assert [factories.stored(conn, job).status for job in jobs] == ["failed"] * 5
    said = plain(client.get(answer.headers["location"]).text)
    assert "Replay of 5 jobs" in said
    assert "0 of 5" in said


def test_all_dead_letters_that_pass_a_filter_can_be_replayed_and_no_others(visitor: Visitor, conn: Connection) -> None:
    tenant = factories.tenant(conn)
    ours, other = die(conn, tenant_id=tenant), die(conn)
    fields = {"status": "failed", "tenant": "acme", "all": "1", "before": NOON.isoformat(), "back": "/jobs"}
    visitor().post("/replays", data=fields)
    assert (factories.stored(conn, ours).status, factories.stored(conn, other).status) == ("queued", "failed")


def test_when_nothing_can_be_replayed_there_is_no_button(visitor: Visitor, conn: Connection) -> None:
    text = visitor().get(f"/replays/new?job={factories.job(conn)}&back=/jobs").text
    assert "Nothing to replay" in text
    assert '<form class="sheet"' not in text


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({}, "job"),
        ({"job": "7"}, "job"),
        ({"all": "1"}, "before"),
        ({"group": GROUP, "before": "soon"}, "before"),
        ({"all": "1", "before": "2026-11-29"}, "status"),
        ({"all": "1", "before": "2026-11-29", "status": "succeeded"}, "status"),
        ({"all": "1", "before": "2026-11-29", "status": "failed", "tenant": "nobody"}, "tenant"),
        ({"job": str(new_id()), "back": "https://e.example/jobs"}, "back"),
        ({"job": str(new_id()), "back": "//e.example"}, "back"),
        ({"job": str(new_id()), "back": "/jobs\\@e.example"}, "back"),
        ({"job": str(new_id()), "back": "/sign-in"}, "back"),
    ],
)
def test_a_80_a_choice_that_makes_no_sense_is_refused_by_name(
    visitor: Visitor, conn: Connection, fields: dict[str, str], name: str
) -> None:
    dead = die(conn)
    client = visitor()
    for answer in (client.post("/replays", data=fields), client.get("/replays/new", params=fields)):
        assert answer.status_code == 400
        assert f"{name}:" in plain(answer.text)
    assert factories.stored(conn, dead).status == "failed"
    assert trail(conn) == []


def test_too_long_a_reason_is_refused_in_the_form(visitor: Visitor, conn: Connection) -> None:
    job = die(conn)
    answer = replay(visitor(), job, reason="x" * 501, headers=OVER_LETTERS)
    assert answer.status_code == 422
    assert answer.text.lstrip().startswith('<form class="sheet"')
    assert "Is longer than 500 characters." in answer.text
    assert factories.stored(conn, job).status == "failed"


def test_a_73_a_job_that_is_not_there_is_not_found(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    for job in (new_id(), "7"):
        assert client.post(f"/dead-letters/{job}/replays").status_code == 404
    assert trail(conn) == []


def test_a_viewer_may_neither_open_the_form_nor_replay(visitor: Visitor, conn: Connection) -> None:
    job = die(conn)
    client = visitor("viewer")
    answers = [
        client.get(f"/replays/new?job={job}"),
        client.post("/replays", data={"job": str(job)}),
        client.post(f"/dead-letters/{job}/replays"),
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert factories.stored(conn, job).status == "failed"
    assert [(act.action, act.outcome) for act in trail(conn)] == [("replays", "refused")] * 3
