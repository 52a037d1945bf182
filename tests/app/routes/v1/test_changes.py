"""What programs do: once under one key, only as far as their token goes, and never more than they were told."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.routes.v1 import CHANGES
from tests import factories
from tests.app.conftest import trail
from tests.app.routes.programs import problem, program, token
from worker.model import Status

V1 = "/api/v1"
MAIL = {"status": "failed", "queue": "mail"}


def dead(conn: Connection, **columns: Any) -> UUID:
    return factories.job(conn, status=Status.FAILED, **columns)


def test_all_that_match_are_looked_at_and_then_replayed(api: TestClient, conn: Connection) -> None:
    jobs = [dead(conn, queue="mail") for _ in range(3)]
    other = dead(conn)
    looked = api.post(f"{V1}/replays/previews", json={"filters": MAIL}).json()
    assert (looked["chosen"], looked["moves"], looked["queues"]) == (3, 3, {"mail": 3})
    assert looked["unserved"] == [{"job_type": "render_report", "queue": "mail"}]
    assert trail(conn, "replay") == []
    asked = {"filters": MAIL, "before": looked["before"], "shown": 3, "reason": "fixed"}
    act = api.post(f"{V1}/replays", json=asked)
    assert (act.status_code, act.json()["done"], act.json()["actor"]) == (201, 3, "token:deploy")
    assert {factories.stored(conn, each).status for each in jobs} == {Status.QUEUED}
    assert factories.stored(conn, other).status == Status.FAILED


def test_more_than_was_told_of_is_not_touched(api: TestClient, conn: Connection) -> None:
    jobs = [dead(conn, queue="mail") for _ in range(2)]
    refused = problem(api.post(f"{V1}/replays", json={"filters": MAIL, "shown": 1}), 422)
    assert "look again" in refused["detail"]
    assert {factories.stored(conn, each).status for each in jobs} == {Status.FAILED}


def test_a_repeat_under_the_same_key_finds_the_first_act(api: TestClient, conn: Connection) -> None:
    job, key = dead(conn), {"Idempotency-Key": "deploy-17"}
    asked = {"jobs": [str(job)], "reason": "fixed"}
    first, again = (api.post(f"{V1}/replays", json=asked, headers=key) for _ in range(2))
    assert (first.status_code, again.status_code, again.json()["id"]) == (201, 200, first.json()["id"])
    assert len(trail(conn, "replay")) == 1
    for changed in ({"reason": "another"}, {"jobs": [str(dead(conn))]}, {"mode": "one_first"}):
        problem(api.post(f"{V1}/replays", json=asked | changed, headers=key), 409)
    problem(api.post(f"{V1}/cancellations", json=asked, headers=key), 409)
    listed = api.post(f"{V1}/replays", json={"filters": MAIL, "reason": "fixed"}, headers=key)
    assert "another act" in problem(listed, 409)["detail"]
    problem(api.post(f"{V1}/replays", json=asked, headers={"Idempotency-Key": "two words"}), 422)


def test_the_same_key_of_another_token_is_another_key(app: Starlette, api: TestClient, conn: Connection) -> None:
    job, key = dead(conn), {"Idempotency-Key": "1"}
    assert api.post(f"{V1}/dead-letters/{job}/replays", headers=key).status_code == 201
    with program(app, token(conn, "other")) as other:
        assert other.post(f"{V1}/dead-letters/{job}/replays", headers=key).status_code == 201


def test_a_copy_is_made_once_under_one_key(api: TestClient, conn: Connection) -> None:
    key, asked = {"Idempotency-Key": "1"}, {"payload": {"dataset_id": "2"}, "reason": "typo"}
    job = dead(conn, job_type="materialize_insights", payload={"dataset_id": "1"}, tenant_id=factories.tenant(conn))
    first, again = (api.post(f"{V1}/jobs/{job}/copies", json=asked, headers=key) for _ in range(2))
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    assert factories.stored(conn, UUID(first.json()["id"])).payload == {"dataset_id": "2"}
    problem(api.post(f"{V1}/jobs/{job}/copies", json=asked | {"payload": {}}, headers=key), 409)
    assert len(trail(conn, "copy")) == 1


def test_what_would_not_be_kept_as_it_was_sent_is_refused(api: TestClient, conn: Connection) -> None:
    job, json = dead(conn, job_type="render_report"), {"Content-Type": "application/json"}
    for payload in ('{"a": 1, "a": 2}', '{"a": 0.12345678901234567890123}', '{"a": NaN}'):
        document = f'{{"payload": {payload}, "reason": "typo"}}'
        problem(api.post(f"{V1}/jobs/{job}/copies", content=document, headers=json), 422)
    twice = '{"filters": {"status": "failed", "queue": "mail"}, "filters": {"status": "failed"}}'
    problem(api.post(f"{V1}/replays", content=twice, headers=json), 422)
    assert trail(conn, "copy") == trail(conn, "replay") == []


REFUSED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("replays", {}),
    ("replays", {"jobs": [str(UUID(int=1))], "filters": MAIL}),
    ("replays", {"filters": {"status": "running"}}),
    ("replays", {"filters": MAIL, "mode": "rate"}),
    ("replays", {"filters": MAIL, "stop_after": 3}),
    ("replays", {"filters": {"tenant": "nobody", **MAIL}}),
    ("cancellations", {"filters": MAIL}),
    ("cancellations", {"filters": MAIL, "reason": " "}),
    ("reassignments", {"filters": {"status": "ready"}, "to": "no good"}),
    ("runs", {"filters": MAIL}),
)


def test_what_cannot_be_ordered_is_refused(api: TestClient) -> None:
    for noun, asked in REFUSED:
        for path in (noun, f"{noun}/previews"):
            problem(api.post(f"{V1}/{path}", json=asked), 422)


def test_a_change_reads_no_figures_and_a_look_reads_new_ones(app: Starlette, api: TestClient) -> None:
    sampler = app.state.console.sampler
    api.post(f"{V1}/queues/mail/pause", json={"reason": "a test"})
    taken = sampler.last
    api.post(f"{V1}/queues/mail/resume")
    assert sampler.last is taken
    assert api.post(f"{V1}/replays/previews", json={"filters": MAIL}).json()["chosen"] == 0
    assert sampler.last is not taken


def test_a_token_that_may_only_look_changes_nothing(app: Starlette, conn: Connection) -> None:
    with program(app, token(conn, "eyes", "viewer")) as eyes:
        for route in CHANGES:
            path = route.path.replace("{job}", str(UUID(int=1))).replace("{act}", str(UUID(int=1)))
            problem(eyes.post(path, json={}), 403)


def test_who_operates_manages_no_accounts(app: Starlette, conn: Connection) -> None:
    operator_id = factories.operator(conn)
    with program(app, token(conn, "hands", "operator")) as hands:
        assert hands.post(f"{V1}/queues/mail/pause", json={"reason": "a test"}).json() == {"changed": True}
        problem(hands.post(f"{V1}/operators/{operator_id}/disable"), 403)


def test_the_last_admin_stays_one_and_the_trail_tells_who_tried(api: TestClient, conn: Connection) -> None:
    lee = factories.operator(conn, "lee", "admin")
    problem(api.post(f"{V1}/operators/{lee}/role", json={"role": "viewer"}), 409)
    assert [(row.action, row.outcome, row.actor) for row in trail(conn)] == [
        ("token-add", "done", "cli:test"),
        ("operator-role", "refused", "token:deploy"),
    ]


def test_a_link_that_no_mail_carries_is_answered_once(api: TestClient, conn: Connection) -> None:
    made = api.post(f"{V1}/operators", json={"name": "robin", "role": "viewer"})
    assert made.status_code == 201
    assert "/invitations/" in made.json()["link"]
    problem(api.post(f"{V1}/operators", json={"name": "robin"}), 409)


def test_what_is_not_there_is_not_found(api: TestClient, conn: Connection) -> None:
    nothing, why = UUID(int=1), {"reason": "a test"}
    for path, body in {
        f"jobs/{nothing}/cancellations": why,
        f"jobs/{nothing}/copies": {"payload": {}, **why},
        f"jobs/{nothing}/reveals": why,
        f"acts/{nothing}/undos": {},
        "dead-letters/owners": {"group": "nothing"},
        "workers/nobody/drain": {},
        f"tenants/{nothing}/provisionings": {},
        f"operators/{nothing}/enable": {},
        "queues/no good/pause": why,
    }.items():
        problem(api.post(f"{V1}/{path}", json=body), 404)
    assert [row.action for row in trail(conn)] == ["token-add"]


def test_an_end_that_is_over_or_never_comes_is_refused(api: TestClient, conn: Connection) -> None:
    dead(conn, error_fingerprint="g" * 16)
    for until in ("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"):
        problem(api.post(f"{V1}/queues/mail/pause", json={"reason": "a test", "until": until}), 422)
        problem(api.post(f"{V1}/queues/mail/pause/end", json={"until": until}), 422)
        problem(api.post(f"{V1}/dead-letters/snoozes", json={"group": "g" * 16, "until": until}), 422)


def test_a_time_beyond_the_calendar_is_refused(api: TestClient) -> None:
    for before in ("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00"):
        problem(api.post(f"{V1}/replays", json={"filters": MAIL, "before": before}), 422)


def test_an_act_that_is_over_is_neither_aborted_nor_undone_twice(api: TestClient, conn: Connection) -> None:
    act = api.post(f"{V1}/dead-letters/{dead(conn)}/replays", json={"reason": "fixed"}).json()["id"]
    problem(api.post(f"{V1}/acts/{act}/aborts"), 409)
    assert api.post(f"{V1}/acts/{act}/undos").json()["state"] == "undone"
    problem(api.post(f"{V1}/acts/{act}/undos"), 409)


def test_a_payload_is_laid_open_to_whoever_says_why(api: TestClient, conn: Connection) -> None:
    job = dead(conn, payload={"total": 12345678901234567890123})
    shown = api.post(f"{V1}/jobs/{job}/reveals", json={"reason": "a ticket"})
    assert shown.json() == {"payload": {"total": 12345678901234567890123}}
    (kept,) = trail(conn, "reveal")
    assert (kept.actor, kept.reason) == ("token:deploy", "a ticket")
    problem(api.post(f"{V1}/jobs/{job}/reveals"), 422)
