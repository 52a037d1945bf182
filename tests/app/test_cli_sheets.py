"""What pages tell, told by a shell: what needs a person, the trail, one job type, one tenant, one account."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection

from app import sentences
from app.templating import environment
from tests import factories
from tests.app.conftest import signed_in, trail
from tests.app.shell import Shell
from tests.factories import NOON
from worker.model import Status
from worker.queries import provisioning
from worker.queries.pages import readiness
from worker.queries.pages.attention import Item


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_the_overview_says_what_the_page_says(shell: Shell, conn: Connection) -> None:
    now = readiness.clock(conn)
    factories.worker_instance(conn, job_types=["render_report"], last_heartbeat_at=now)
    factories.job(conn, job_type="send_digest", queue="mail", available_at=now - timedelta(hours=1))
    told = shell.json("overview")
    unserved = next(each for each in told["attention"] if each["kind"] == "unserved")
    assert (unserved["level"], unserved["page"]) == ("urgent", "/workers")
    assert "send_digest" in unserved["what"]
    assert (told["people"], told["figures"]["ready"]) == (len(told["attention"]), 1)
    assert "a person" in shell.ok("overview").splitlines()[0]


def test_a_quiet_overview_says_so(shell: Shell, conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=readiness.clock(conn))
    assert shell.ok("overview").startswith("nothing needs a person\n")


def test_a_sentence_keeps_what_looks_like_markup() -> None:
    facts = {"of": SimpleNamespace(name="a<b>c", host=None), "seconds": 9}
    (told,) = sentences.told(environment(str), [Item("clock", "warn", facts)], now=NOON)
    assert "a<b>c" in told.what


def test_the_trail_is_read_and_narrowed(shell: Shell, conn: Connection) -> None:
    job_id = factories.job(conn)
    shell.ok("jobs", "cancel", str(job_id), "--yes", "--reason", "not needed")
    shell.ok("queues", "pause", "mail", "--reason", "provider is down")
    assert [each["action"] for each in shell.json("audit")["acts"]] == ["pause", "cancel"]
    (found,) = shell.json("audit", "--job", str(job_id))["acts"]
    assert (found["action"], found["reason"], found["jobs"]) == ("cancel", "not needed", 1)
    assert "provider is down" in shell.ok("audit", "--action", "pause")
    assert "slug" in shell.refused("audit", "--tenant", "nobody", code=1)
    assert "job" in shell.refused("audit", "--job", "nonsense", code=2)


def test_a_job_type_says_what_waits_and_why(shell: Shell, conn: Connection) -> None:
    factories.job(conn, job_type="send_digest", queue="mail", available_at=readiness.clock(conn))
    (listed,) = shell.json("job-types", "list", "--find", "digest")["job_types"]
    assert (listed["name"], listed["ready"]) == ("send_digest", 1)
    known = shell.json("job-types", "show", "send_digest")
    assert [(each["queue"], each["ready"]) for each in known["queues"]] == [("mail", 1)]
    assert known["waits"][0]["cause"] == "unserved"
    assert "no live worker runs them" in shell.ok("job-types", "show", "send_digest")


def test_a_tenant_is_shown_and_its_provisioning_tried_and_stopped(shell: Shell, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme", onboarding_status="provisioning")
    later = readiness.clock(conn) + timedelta(hours=1)
    key: dict[str, Any] = {"job_type": "provision_tenant", "idempotency_key": provisioning.key_of(tenant_id)}
    job_id = factories.job(conn, tenant_id=tenant_id, attempts=1, available_at=later, scheduled=True, **key)
    known = shell.json("tenants", "show", "acme")
    assert (known["id"], known["job_id"], [each["id"] for each in known["jobs"]]) == (
        str(tenant_id),
        str(job_id),
        [str(job_id)],
    )
    assert "provision_tenant" in shell.ok("tenants", "show", "acme")
    assert [shell.json("tenants", "try-now", "acme")["changed"] for _ in range(2)] == [True, False]
    assert "--yes" in shell.refused("tenants", "cancel", "acme", "--reason", "a test", code=2)
    cancel = ("tenants", "cancel", "acme", "--reason", "a test", "--yes")
    assert [shell.json(*cancel)["changed"] for _ in range(2)] == [True, False]
    assert [each.action for each in trail(conn)] == ["try-now", "cancel"]
    assert factories.stored(conn, job_id).status == Status.CANCELLED
    assert "nobody" in shell.refused("tenants", "show", "nobody", code=1)


def test_an_account_is_shown_with_where_it_is_signed_in(shell: Shell, conn: Connection) -> None:
    signed_in(conn, "dana", "admin")
    known = shell.json("operators", "show", "dana")
    assert (known["role"], known["state"], len(known["sessions"])) == ("admin", "active", 1)
    assert "token_hash" not in known["sessions"][0]
    assert "127.0.0.1" in shell.ok("operators", "show", "dana")


def test_links_are_sent_again_to_whom_they_are_for(shell: Shell, conn: Connection) -> None:
    first = shell.json("operators", "invite", "robin")["link"]
    again = shell.json("operators", "invite-again", "robin")["link"]
    assert again != first
    assert "password" in shell.refused("operators", "reset-password", "robin", code=1)
    signed_in(conn, "dana")
    assert "/password-resets/" in shell.ok("operators", "reset-password", "dana")
    assert "has not come yet" in shell.refused("operators", "invite-again", "dana", code=1)
    assert [each.action for each in trail(conn)] == ["operator-invite", "operator-invite", "password-link"]


def test_the_jobs_of_an_act_are_listed(shell: Shell, conn: Connection) -> None:
    ids = [str(factories.job(conn, status=Status.FAILED)) for _ in range(2)]
    act = shell.json("jobs", "replay", *ids)["act"]
    listed = shell.json("acts", "jobs", act)["jobs"]
    assert [(each["job_id"], each["came_to"]) for each in listed] == [(each, "done") for each in sorted(ids)]
    assert ids[0] in shell.ok("acts", "jobs", act)


def test_another_limit_is_tried(shell: Shell, conn: Connection) -> None:
    found = shell.json("findings", "--try", "behind", "5")["findings"]
    assert {each["finding"]: each["would"] for each in found if each["tried"]} == {"behind": 0}
    assert shell("findings", "--try", "behind", "0").exit_code == 2


def test_one_tenant_is_looked_at_alone(shell: Shell, conn: Connection) -> None:
    now = readiness.clock(conn)
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    for owner, queue in ((acme, "mail"), (globex, "mail"), (globex, "slow")):
        factories.job(conn, tenant_id=owner, queue=queue, available_at=now - timedelta(minutes=1))
        factories.job(conn, tenant_id=owner, queue=queue, status=Status.FAILED)
    own = ("--tenant", "acme")
    assert [(each["queue"], each["ready"]) for each in shell.json("queues", "list", *own)] == [("mail", 1)]
    assert [each["ready"] for each in shell.json("queues", "show", "mail", *own)["handlers"]] == [1]
    assert shell.json("job-types", "list", *own)["job_types"][0]["ready"] == 1
    assert shell.json("overview", *own)["figures"]["ready"] == 1
    at = factories.worker_instance(conn)
    for owner in (acme, globex, globex):
        factories.job(conn, tenant_id=owner, status=Status.RUNNING, locked_by=at)
    assert [(each["busy"], each["of_tenant"]) for each in shell.json("workers", "list", *own)] == [(3, 1)]
    assert [each["tenant"] for each in shell.json("workers", "show", at, *own)["running"]] == ["acme"]
    assert [each["jobs"] for each in shell.json("dead-letters", "list", *own)] == [1]
    group = ("--group", "f" * 16)
    moved = shell.json("dead-letters", "replay", *group, *own, "--yes")["replayed"]
    assert [factories.stored(conn, UUID(each)).tenant_id for each in moved] == [acme]
    assert [len(shell.json("acts", "list", "--tenant", slug)["acts"]) for slug in ("acme", "globex")] == [1, 0]
    assert shell.json("hand-over", *own)["dead_letters"] == 0
    assert "/in/acme/hand-over?" in shell.ok("hand-over", *own)
    assert "slug" in shell.refused("overview", "--tenant", "nobody", code=1)
