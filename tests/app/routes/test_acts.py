"""The page of an act: its progress, what stops it, what takes it back; and the forms that make large sets."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, insert, update
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import cells, plain
from tests.app.routes.test_replays import BACK, GROUP, OVER_LETTERS, die, told
from tests.factories import NOON
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.bulk_acts import undo, work
from worker.queries.schema import bulk_acts, job_steps, platform_jobs

WHOLE = {"group": GROUP, "before": NOON.isoformat(), "all": "1", "back": BACK}


def press(client: TestClient, *jobs: UUID, to: str = "/replays", **fields: Any) -> str:
    """Press and confirm; the address that it leads to."""
    answer = client.post(to, data={"job": [str(job) for job in jobs], "back": BACK} | fields)
    assert answer.status_code == 303
    return str(answer.headers["location"])


def act_of(location: str) -> str:
    return location.partition("done=")[2] or location.rpartition("/")[2]


def work_on(conn: Connection, seconds: int = 0) -> None:
    with conn.engine.begin() as mine:
        work.step(mine, now=NOON + timedelta(seconds=seconds))


def test_the_form_says_the_blast_radius(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    acme, globex = factories.tenant(conn), factories.tenant(conn, "globex")
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down", now=NOON)
    jobs = [die(conn, tenant_id=acme, replays=1), die(conn, tenant_id=acme), die(conn, tenant_id=globex, queue="mail")]
    jobs += [die(conn, job_type="train"), factories.job(conn, status=Status.RUNNING)]
    said = plain(visitor().get("/replays/new", params={"job": [str(job) for job in jobs], "back": BACK}).text)
    assert "Replay 4 of 5; 1 already running" in said
    assert "Would run 2 Would wait 1 until a worker can run them, 1 until their queue is resumed" in said
    assert "Tenants acme 50% , globex 25%" in said
    assert "Before 1 was replayed before" in said
    assert "Oldest 10 min" in said


def test_one_first_leads_to_the_act_which_moves_one_and_waits(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(3)]
    client = visitor(name="dana")
    location = press(client, **WHOLE, mode="one_first", reason="template is back")
    work_on(conn)
    said = plain(client.get(location).text)
    assert "Replay of 3 jobs" in said
    assert "one first, then the rest" in said
    assert "The other 2 wait for what becomes of the first." in said
    assert sorted(factories.stored(conn, job).status for job in jobs) == ["failed", "failed", "queued"]
    assert [(act.action, act.jobs) for act in trail(conn)] == [("replay", 3)]


@pytest.mark.parametrize("served", [True, False])
def test_the_page_says_where_nobody_can_run_the_one_that_the_others_wait_for(
    visitor: Visitor, conn: Connection, served: bool
) -> None:
    if served:
        factories.worker_instance(conn)
    for _ in range(3):
        die(conn)
    client = visitor()
    location = press(client, **WHOLE, mode="one_first")
    work_on(conn)
    said = plain(client.get(location).text)
    assert ("No live worker can run it: it waits until one starts." in said) is not served


def test_a_rate_with_its_rule_is_kept_with_the_act(visitor: Visitor, conn: Connection) -> None:
    for _ in range(4):
        die(conn)
    client = visitor()
    said = plain(client.get(press(client, **WHOLE, mode="rate", rate="2", stop_after="3")).text)
    assert "2 a second, until 3 fail alike" in said


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"mode": "rate", "rate": "0"}, "Must be a whole number from 1 to 500."),
        ({"mode": "rate", "rate": "many"}, "Must be a whole number from 1 to 500."),
        ({"mode": "one_first", "stop_after": "x"}, "Must be a whole number from 1 to 1,000."),
    ],
)
def test_a_pace_that_makes_no_sense_is_refused_in_the_form(
    visitor: Visitor, conn: Connection, fields: dict[str, str], words: str
) -> None:
    jobs = [die(conn) for _ in range(2)]
    data = {"job": [str(job) for job in jobs], "back": BACK, **fields}
    answer = visitor().post("/replays", data=data, headers=OVER_LETTERS)
    assert answer.status_code == 422
    assert words in answer.text
    assert trail(conn) == []


def test_an_act_is_aborted_from_its_page_and_the_rest_stays(visitor: Visitor, conn: Connection) -> None:
    for _ in range(3):
        die(conn)
    client = visitor(name="dana")
    location = press(client, **WHOLE, mode="rate", rate="1")
    work_on(conn)
    assert "Abort: leave 2 as they are" in plain(client.get(location).text)
    answer = visitor(name="lee").post(f"{location}/aborts")
    assert answer.headers["location"] == location
    said = plain(client.get(location).text)
    assert "Aborted by lee: 2 are as they were." in said
    assert "Abort: leave" not in said
    assert [act.action for act in trail(conn)] == ["replay", "abort"]


def test_the_page_says_who_did_what_to_the_act(visitor: Visitor, conn: Connection) -> None:
    for _ in range(3):
        die(conn)
    location = press(visitor(name="dana"), **WHOLE, mode="one_first", reason="template is back")
    work_on(conn)
    client = visitor(name="mira")
    client.post(f"{location}/aborts")
    client.post(f"{location}/undos")
    said = plain(client.get(location).text)
    assert re.search(r"What was done .*mira undid it .*mira aborted it .*dana chose 3 jobs template is back", said)


def test_undo_puts_the_jobs_back_and_the_page_says_so(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(2)]
    client = visitor(name="dana")
    location = press(client, *jobs)
    assert f'action="/acts/{act_of(location)}/undos"' in client.get(location).text
    answer = client.post(f"/acts/{act_of(location)}/undos", data={"back": BACK})
    assert told(client, answer) == "Undone: 2 jobs are as they were."
    assert [factories.stored(conn, job).status for job in jobs] == ["failed", "failed"]
    again = client.post(f"/acts/{act_of(location)}/undos", data={"back": BACK})
    assert told(client, again) == "Undone: 2 jobs are as they were."
    assert [act.action for act in trail(conn)] == ["replay", "undo"]


def test_undo_leads_back_to_the_list_as_its_reader_had_it(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    text = client.get(press(client, die(conn), back="/jobs?status=failed&queue=mail")).text
    assert 'name="back" value="/jobs?status=failed&amp;queue=mail"' in text


def test_from_a_page_that_tells_of_no_acts_the_way_leads_to_the_act(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    assert press(client, die(conn), back="/queues/mail").startswith("/acts/")


def test_over_htmx_the_toast_gives_way_to_what_undo_came_to(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    act = act_of(press(client, die(conn)))
    headers = OVER_LETTERS | {"HX-Target": "div"}
    text = client.post(f"/acts/{act}/undos", data={"back": BACK}, headers=headers).text
    assert text.lstrip().startswith('<div class="toast"')
    assert "Undone: 1 job is as it was." in plain(text)
    assert "/undos" not in text


def test_a_cancelled_selection_can_be_taken_back(visitor: Visitor, conn: Connection) -> None:
    waiting, running = factories.job(conn), factories.job(conn, status=Status.RUNNING)
    client = visitor()
    act = act_of(press(client, waiting, running, to="/cancellations", reason="by mistake"))
    assert factories.stored(conn, waiting).status == "cancelled"
    client.post(f"/acts/{act}/undos")
    assert factories.stored(conn, waiting).status == "queued"
    assert factories.stored(conn, running).cancel_requested_at is None


def test_the_page_lists_the_jobs_with_what_became_of_each(visitor: Visitor, conn: Connection) -> None:
    dead, running = die(conn), factories.job(conn, status=Status.RUNNING)
    client = visitor()
    text = client.get(f"/acts/{act_of(press(client, dead, running))}").text
    assert "Skipped 1: 1 running already" in plain(text)
    by_state = {row[1]: row[3] for row in cells(text)}
    assert by_state == {"done": "scheduled", "skipped running already": "running"}


def test_what_came_since_is_offered_apart(visitor: Visitor, conn: Connection) -> None:
    again, _ = die(conn), die(conn)
    client = visitor()
    location = press(client, **WHOLE)
    assert "since" not in plain(client.get(f"/acts/{act_of(location)}").text)
    with conn.engine.begin() as mine:
        undo.undo(mine, act_id=UUID(act_of(location)), actor=Actor("mira"), now=NOON)
    earlier = NOON - timedelta(seconds=30)
    conn.execute(update(bulk_acts).values(chosen_at=earlier))
    died = {"finished_at": NOON - timedelta(seconds=10)}
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == again).values(died))
    new = die(conn, **died)
    text = client.get(f"/acts/{act_of(location)}").text
    assert "+1 since" in plain(text)
    address = text.partition('<a class="link" href="/replays/new')[2].partition('"')[0].replace("&amp;", "&")
    form = client.get(f"/replays/new{address}")
    assert "Replay 1 dead letter" in plain(form.text)
    assert factories.stored(conn, new).status == "failed"


def test_waiting_jobs_of_a_queue_are_reassigned_whole_and_their_page_says_where(
    visitor: Visitor, conn: Connection
) -> None:
    jobs = [factories.job(conn, queue="mail") for _ in range(2)]
    other = factories.job(conn, queue="crm")
    client = visitor()
    fields = {"status": "ready", "queue": "mail", "all": "1", "before": NOON.isoformat(), "back": "/queues"}
    assert "Reassign 2 jobs" in plain(client.get("/reassignments/new", params=fields).text)
    refused = client.post("/reassignments", data={**fields, "to": "No Queue"})
    assert refused.status_code == 422
    assert client.post("/reassignments", data={**fields, "to": "slow"}).status_code == 303
    assert [factories.stored(conn, job).queue for job in (*jobs, other)] == ["slow", "slow", "crm"]


def test_a_scheduled_job_is_run_now(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn, scheduled=True, available_at=NOON + timedelta(hours=1))
    client = visitor()
    assert "Run 1 now" in plain(client.get(f"/runs/new?job={job}&back=/jobs/{job}").text)
    client.post(f"/jobs/{job}/runs", data={"back": f"/jobs/{job}"})
    row = factories.stored(conn, job)
    assert (row.available_at, row.scheduled) == (NOON, False)
    assert [act.action for act in trail(conn)] == ["run"]


def test_everybody_sees_the_acts_and_only_operators_stop_them(visitor: Visitor, conn: Connection) -> None:
    die(conn)
    location = press(visitor(name="dana"), **WHOLE, reason="fixed")
    viewer = visitor("viewer", name="vera")
    (row,) = cells(viewer.get("/acts").text)
    assert row[0].startswith("Replay")
    assert row[2:5] == ["dana", "1", "1"]
    act = act_of(location)
    assert f"/acts/{act}/undos" not in viewer.get(f"/acts/{act}").text
    for verb in ("aborts", "continuations", "undos"):
        assert viewer.post(f"/acts/{act}/{verb}").status_code == 403


def test_no_acts_yet_and_no_such_act(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    assert "No acts yet" in plain(client.get("/acts").text)
    assert client.get("/acts/7").status_code == 404
    assert client.get("/acts/01920000-0000-7000-8000-000000000000").status_code == 404


def test_the_form_of_a_replay_says_what_the_jobs_did_already(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn) for _ in range(3)]
    factories.attempt(conn, jobs[0], 1, outcome="superseded")
    for number, step in enumerate(("create_schema", "migrate"), 1):
        step_done(conn, jobs[1], number, step)
    step_done(conn, jobs[2], 1, "create_schema")
    said = plain(visitor().get("/replays/new", params={"job": [str(job) for job in jobs], "back": BACK}).text)
    assert "1 already ran to the end: a run of it went on after its lease was lost." in said
    assert "Steps that were taken and are not taken again: create_schema by 2, migrate by 1." in said


def step_done(conn: Connection, job: UUID, ordinal: int, step: str) -> None:
    row = {"job_id": job, "generation": 1, "ordinal": ordinal, "step": step, "outcome": "done"}
    conn.execute(insert(job_steps), row | {"started_at": NOON, "finished_at": NOON})


def test_what_died_again_after_the_form_was_drawn_is_left_out_and_said(visitor: Visitor, conn: Connection) -> None:
    jobs = [die(conn, finished_at=NOON + timedelta(seconds=seconds)) for seconds in (-1, 1)]
    location = press(client := visitor(name="dana"), *jobs, before=NOON.isoformat())
    assert "Replayed 1 job" in client.get(location).text
    said = plain(client.get(f"/acts/{act_of(location)}").text)
    assert "Skipped 1: 1 dead again since the form was drawn" in said
    assert f'name="before" value="{NOON.isoformat()}"' in client.get(f"/replays/new?job={jobs[1]}").text


@pytest.mark.parametrize(
    ("form", "status", "offers"),
    [("/runs/new", "scheduled", True), ("/reassignments/new", "queued", True), ("/cancellations/new", "queued", False)],
)
def test_each_form_offers_the_paces_that_mean_something(
    visitor: Visitor, conn: Connection, form: str, status: str, offers: bool
) -> None:
    for _ in range(2):
        factories.job(conn, available_at=NOON + timedelta(days=9), scheduled=True)
    fields = {"all": "1", "before": NOON.isoformat(), "status": status, "back": "/jobs"}
    text = visitor().get(form, params=fields).text
    assert ('value="one_first"' in text, 'name="stop_after"' in text, 'value="rate"' in text) == (offers, offers, True)
    assert ("Nothing that is cancelled runs" in text) is not offers


def test_a_pace_that_an_act_has_not_is_refused_in_its_form(visitor: Visitor, conn: Connection) -> None:
    ids = [str(factories.job(conn)) for _ in range(2)]
    fields = {"job": ids, "reason": "x", "mode": "one_first", "back": BACK}
    answer = visitor().post("/cancellations", data=fields)
    assert answer.status_code == 422
    assert "Of a cancelled job nothing comes" in plain(answer.text)
