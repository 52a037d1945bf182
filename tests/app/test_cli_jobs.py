"""Jobs and dead letters from a shell."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, select

from tests import factories
from tests.app.shell import Shell
from worker.model import Status, new_id
from worker.queries import saved_views, schema
from worker.queries.audit import Actor
from worker.queries.bulk_acts import work
from worker.queries.operators import Operator

TRAIL = select(schema.operator_actions).order_by(schema.operator_actions.c.id)
ESCAPES = "\x1b[2J\x07"
GROUP = "f" * 16
ORDER = {"order": {"number": 4242}}


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def dead(conn: Connection, **columns: object) -> UUID:
    return factories.job(conn, status=Status.FAILED, job_type="charge_card", queue="payments", **columns)


def test_jobs_are_listed_the_newest_first(shell: Shell, conn: Connection) -> None:
    now = datetime.now(UTC)
    ids = [factories.job(conn, created_at=now - timedelta(minutes=age)) for age in (3, 1, 2)]
    assert [each["id"] for each in shell.json("jobs", "list")["jobs"]] == [str(ids[1]), str(ids[2]), str(ids[0])]
    heading, *lines = shell.ok("jobs", "list").splitlines()
    assert heading.split() == ["ID", "STATE", "HANDLER", "QUEUE", "TENANT", "TRIES", "AGE", "ERROR"]
    assert [line.split()[0] for line in lines] == [str(ids[1]), str(ids[2]), str(ids[0])]


@pytest.mark.parametrize(
    "options",
    [
        ("--status", "failed"),
        ("--status", "dead_letter"),
        ("--type", "charge_card"),
        ("--queue", "payments"),
        ("--tenant", "acme"),
        ("--group", GROUP),
        ("--error", "template", "--error", "no such"),
        ("--key", "k-1"),
        ("--since", "1h"),
        ("queue:payments", "error:no such"),
        ("age:<1h", "payload.order.number:4242"),
    ],
)
def test_the_list_is_narrowed(shell: Shell, conn: Connection, options: tuple[str, ...]) -> None:
    factories.job(conn, created_at=datetime.now(UTC) - timedelta(days=2))
    tenant_id = factories.tenant(conn, "acme")
    wanted = dead(conn, tenant_id=tenant_id, idempotency_key="k-1", created_at=datetime.now(UTC), payload=ORDER)
    assert [each["id"] for each in shell.json("jobs", "list", *options)["jobs"]] == [str(wanted)]


def test_a_list_goes_on_where_it_ended(shell: Shell, conn: Connection) -> None:
    ids = {str(factories.job(conn)) for _ in range(51)}
    first = shell.json("jobs", "list")
    second = shell.json("jobs", "list", "--cursor", first["cursor"])
    assert {each["id"] for each in first["jobs"] + second["jobs"]} == ids
    assert (len(second["jobs"]), second["cursor"]) == (1, None)
    assert first["cursor"] in shell.ok("jobs", "list")


@pytest.mark.parametrize(
    ("options", "names"),
    [(("--status", "nope"), "status"), (("--cursor", "nope"), "cursor"), (("--since", "soon"), "since")],
)
def test_a_filter_that_means_nothing_is_refused(shell: Shell, options: tuple[str, ...], names: str) -> None:
    assert names in shell.refused("jobs", "list", *options, code=2)


def test_one_job_is_shown_with_everything_and_nothing_harmful(shell: Shell, conn: Connection) -> None:
    job_id = dead(conn, error_detail=f"app/x.py:1 in f\n    {ESCAPES}\nValueError: {ESCAPES}", payload={"a": ESCAPES})
    shell.ok("jobs", "replay", str(job_id), "--reason", f"because {ESCAPES}")
    shell.ok("jobs", "cancel", str(job_id), "--yes", "--reason", "not needed")
    text = shell.ok("jobs", "show", str(job_id))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "because \\x1b[2J\\x07" in text
    document = shell.json("jobs", "show", str(job_id))
    assert (document["state"], document["payload"], document["replays"]) == ("cancelled", {"a": ESCAPES}, 1)
    assert [each["action"] for each in document["actions"]] == ["cancel", "replay"]


def test_the_error_of_a_job_is_shown_line_by_line(shell: Shell, conn: Connection) -> None:
    job_id = dead(conn, error_detail="app/x.py:1 in f\nValueError: no")
    assert "error\n  app/x.py:1 in f\n  ValueError: no\n" in shell.ok("jobs", "show", str(job_id))


def test_a_sealed_mail_stays_sealed(shell: Shell, conn: Connection) -> None:
    sealed = {"schema": "watchfloor.email.v1", "ciphertext": "gAAAAAB0"}
    job_id = factories.job(conn, job_type="send_email", payload=sealed)
    assert "gAAAAAB" not in shell.ok("jobs", "show", str(job_id))
    assert shell.json("jobs", "show", str(job_id))["payload"] == "(encrypted)"


def test_a_job_that_is_not_there_is_said_so(shell: Shell) -> None:
    assert "no job" in shell.refused("jobs", "show", str(new_id()), code=1)
    assert shell("jobs", "show", "not-an-id").exit_code == 2


def test_a_replay_moves_what_is_dead_and_says_what_it_left(shell: Shell, conn: Connection) -> None:
    failed, queued = dead(conn), factories.job(conn)
    answer = shell.json("jobs", "replay", str(failed), str(queued), "--reason", "fixed")
    assert answer | {"act": None} == {"act": None, "replayed": [str(failed)], "skipped": [str(queued)]}
    assert factories.stored(conn, failed).status == Status.QUEUED
    action = conn.execute(TRAIL).one()
    assert (action.action, action.reason, action.jobs) == ("replay", "fixed", 1)
    assert action.actor.startswith("cli:")


@pytest.mark.parametrize("verb", [("jobs",), ("dead-letters",)])
def test_a_second_replay_changes_nothing_and_fails(shell: Shell, conn: Connection, verb: tuple[str]) -> None:
    failed = dead(conn)
    shell.ok(*verb, "replay", str(failed))
    assert "nothing was replayed" in shell.refused(*verb, "replay", str(failed), code=1)
    assert len(conn.execute(TRAIL).all()) == 1


def test_a_cancel_ends_what_waits_and_asks_what_runs(shell: Shell, conn: Connection) -> None:
    waiting, running = factories.job(conn), factories.job(conn, status=Status.RUNNING)
    over = factories.job(conn, status=Status.SUCCEEDED)
    answer = shell.json("jobs", "cancel", str(waiting), str(running), str(over), "--yes", "--reason", "a test")
    assert (answer["cancelled"], answer["requested"], answer["skipped"]) == (
        [str(waiting)],
        [str(running)],
        [str(over)],
    )
    assert factories.stored(conn, waiting).status == Status.CANCELLED
    assert factories.stored(conn, running).cancel_requested_at is not None


def test_a_cancel_without_a_yes_is_refused_where_nobody_can_answer(shell: Shell, conn: Connection) -> None:
    waiting = factories.job(conn)
    assert "--yes" in shell.refused("jobs", "cancel", str(waiting), "--reason", "a test", code=2)
    assert factories.stored(conn, waiting).status == Status.QUEUED


def test_what_is_over_cannot_be_cancelled(shell: Shell, conn: Connection) -> None:
    over = factories.job(conn, status=Status.SUCCEEDED)
    assert "nothing was cancelled" in shell.refused("jobs", "cancel", str(over), "--yes", "--reason", "a test", code=1)


def test_one_first_is_an_act_that_is_shown_aborted_and_undone(shell: Shell, conn: Connection) -> None:
    ids = [str(dead(conn)) for _ in range(3)]
    act = shell.json("jobs", "replay", *ids, "--one-first", "--reason", "fixed")
    assert (act["chosen"], act["state"]) == (3, "trial")
    (listed,) = shell.json("acts", "list")["acts"]
    assert (listed["id"], listed["left"], listed["reason"]) == (act["act"], 3, "fixed")
    with conn.engine.begin() as mine:
        work.step(mine)
    assert shell.json("acts", "show", act["act"])["done"] == 1
    assert shell.json("acts", "abort", act["act"])["state"] == "aborted"
    assert "nothing is left" in shell.refused("acts", "abort", act["act"], code=1)
    assert "stand still" in shell.refused("acts", "go-on", act["act"], code=1)
    assert shell.json("acts", "undo", act["act"])["undone"] == 1
    assert "nothing to undo" in shell.refused("acts", "undo", act["act"], code=1)
    assert "no act" in shell.refused("acts", "show", str(new_id()), code=1)
    assert [factories.stored(conn, UUID(each)).status for each in ids] == ["failed"] * 3


def test_a_replay_goes_one_first_or_at_a_rate_not_both(shell: Shell, conn: Connection) -> None:
    assert "--rate" in shell.refused("jobs", "replay", str(dead(conn)), "--one-first", "--rate", "2", code=2)


def test_dead_letters_are_listed_in_groups(shell: Shell, conn: Connection) -> None:
    for _ in range(3):
        dead(conn)
    dead(conn, error_fingerprint="a" * 16, error_summary=f"no funds {ESCAPES}")
    groups = {each["fingerprint"]: each["jobs"] for each in shell.json("dead-letters", "list")}
    assert groups == {GROUP: 3, "a" * 16: 1}
    text = shell.ok("dead-letters", "list")
    assert "ValueError: no such template" in text
    assert "\x1b" not in text


def test_a_group_is_replayed_as_a_whole_when_said_so(shell: Shell, conn: Connection) -> None:
    ids = {str(dead(conn)) for _ in range(3)}
    other = dead(conn, error_fingerprint="a" * 16)
    assert "--yes" in shell.refused("dead-letters", "replay", "--group", GROUP, code=2)
    answer = shell.json("dead-letters", "replay", "--group", GROUP, "--yes", "--reason", "fixed")
    assert set(answer["replayed"]) == ids
    assert factories.stored(conn, other).status == Status.FAILED


def test_a_group_is_given_up(shell: Shell, conn: Connection) -> None:
    job_id = dead(conn)
    given_up = shell.json("dead-letters", "cancel", "--group", GROUP, "--reason", "a test", "--yes")["cancelled"]
    assert given_up == [str(job_id)]
    assert factories.stored(conn, job_id).status == Status.CANCELLED


@pytest.mark.parametrize("options", [(), (str(new_id()), "--group", GROUP)])
def test_either_ids_or_a_group_are_needed(shell: Shell, options: tuple[str, ...]) -> None:
    assert "--group" in shell.refused("dead-letters", "replay", *options, "--yes", code=2)


def test_a_group_that_is_not_there_is_said_so(shell: Shell) -> None:
    assert "no dead letter" in shell.refused("dead-letters", "replay", "--group", "nope", "--yes", code=1)


def test_a_term_that_cannot_be_read_is_refused_by_its_word(shell: Shell) -> None:
    for word, problem in (("quue:mail", "Did you mean queue:?"), ("timeout", "has no name before it")):
        assert problem in shell.refused("jobs", "list", word, code=2)


def test_every_job_that_matches_is_handed_over(shell: Shell, conn: Connection) -> None:
    wanted = {str(dead(conn, error_summary="=1+1")) for _ in range(3)}
    factories.job(conn)
    lines = [
        json.loads(line) for line in shell.ok("jobs", "export", "queue:payments", "--format", "jsonl").splitlines()
    ]
    assert {each["id"] for each in lines} == wanted
    found = list(csv.DictReader(shell.ok("jobs", "export", "--queue", "payments").splitlines()))
    assert {each["id"] for each in found} == wanted
    assert {each["error_summary"] for each in found} == {"'=1+1"}


def test_a_copy_is_put_in_and_each_names_the_other(shell: Shell, conn: Connection) -> None:
    job = factories.job(conn, job_type="train_tenant_model", tenant_id=factories.tenant(conn))
    made = shell.json("jobs", "copy", str(job), "--payload", '{"a": 12345678901234567890123}', "--reason", "typo")
    assert made["copy_of"] == str(job)
    copy = factories.stored(conn, UUID(made["id"]))
    assert (copy.payload, copy.source) == ({"a": 12345678901234567890123}, "copy")
    assert made["id"] in shell.ok("jobs", "show", str(job))
    assert str(job) in shell.ok("jobs", "show", made["id"])
    assert [row.action for row in conn.execute(TRAIL)] == ["copy"]


def test_a_shared_view_narrows_the_list(shell: Shell, conn: Connection) -> None:
    mira = Operator(factories.operator(conn, "mira"), "mira", "operator")
    for name, shared in (("Payments", True), ("Mine", False)):
        saved_views.save(conn, owner=mira, name=name, query="queue=payments", shared=shared, actor=Actor("mira"))
    wanted = dead(conn)
    factories.job(conn)
    assert [each["id"] for each in shell.json("jobs", "list", "--view", "Payments")["jobs"]] == [str(wanted)]
    assert [each["name"] for each in shell.json("views", "list")["views"]] == ["Payments"]
    assert "nobody shares a view named 'Mine'" in shell.refused("jobs", "list", "--view", "Mine", code=1)


def test_a_payload_is_revealed_with_a_reason_that_is_kept(shell: Shell, conn: Connection) -> None:
    job = dead(conn)
    assert "--reveal needs --reason" in shell.refused("jobs", "show", str(job), "--reveal", code=2)
    shell.ok("jobs", "show", str(job), "--reveal", "--reason", "ticket 7")
    assert [(row.action, row.reason) for row in conn.execute(TRAIL)] == [("reveal", "ticket 7")]
