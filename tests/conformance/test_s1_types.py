"""S1, job types: one list of what there is, and which worker runs what."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from tests.conformance.acts import SEALED, take
from tests.factories import NOON, tenant
from tests.worker.runtime.bench import nothing
from worker import job_types
from worker.errors import UnknownJobType
from worker.job_types import EMAIL_JOB_TYPE, SUPPORTED_JOB_TYPES, JobTypes
from worker.queries.jobs import Enqueued, NewJob, enqueue

ROOT = Path(__file__).resolve().parents[2]
PROVISIONER, PRODUCT = ("provision_tenant",), ("materialize_insights", "send_email", "train_tenant_model")


def put(conn: Connection, new: NewJob) -> Enqueued:
    return enqueue(conn, JobTypes(), new, now=NOON)


def taken(conn: Connection, types: Sequence[str]) -> list[str]:
    """The types of what a worker with this allowlist gets."""
    return [each.job_type for each in take(conn, *types, limit=9)]


def test_s1_46_four_types_are_built_in() -> None:
    assert {EMAIL_JOB_TYPE, "materialize_insights", "provision_tenant", "train_tenant_model"} == SUPPORTED_JOB_TYPES
    assert EMAIL_JOB_TYPE == "send_email"


def listed(node: ast.List | ast.Tuple | ast.Set | ast.Dict) -> Sequence[ast.expr | None]:
    """What is listed; of a mapping, its keys."""
    return node.keys if isinstance(node, ast.Dict) else node.elts


def names_types(elements: Sequence[ast.expr | None]) -> bool:
    """Whether they spell out several types, or are all types by the names that `worker.job_types` has for them."""
    spelt = {each.value for each in elements if isinstance(each, ast.Constant)}
    named = {getattr(job_types, each.id, None) for each in elements if isinstance(each, ast.Name)}
    return len(SUPPORTED_JOB_TYPES & spelt) > 1 or named >= SUPPORTED_JOB_TYPES


def test_s1_47_there_is_one_list_of_job_types(conn: Connection) -> None:
    lists = {
        path.relative_to(ROOT).as_posix()
        for path in [*(ROOT / "app").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict) and names_types(listed(node))
    }
    assert lists == {"worker/job_types.py"}
    known = JobTypes()
    with pytest.raises(UnknownJobType):
        enqueue(conn, known, NewJob("nope"))
    known.register("nope", nothing)
    assert enqueue(conn, known, NewJob("nope")).created


@pytest.mark.parametrize("path", ["/password-reset/requests", "/password-reset", "/admin/password-reset/requests"])
def test_s1_50_password_resets_are_not_served(client: TestClient, path: str) -> None:
    assert {client.get(path).status_code, client.post(path).status_code} == {404}


def test_s1_61_provisioning_runs_on_the_provisioner_under_its_key(conn: Connection) -> None:
    acme = tenant(conn)
    new = NewJob("provision_tenant", tenant_id=acme, idempotency_key=f"provision:{acme}")
    made, again = (put(conn, new) for _ in range(2))
    assert (made.created, again.created, again.id) == (True, False, made.id)
    assert taken(conn, PRODUCT) == []
    assert taken(conn, PROVISIONER) == ["provision_tenant"]


def test_s1_62_training_runs_on_the_product_worker_under_its_key(conn: Connection) -> None:
    acme = tenant(conn)
    for config in ("c1", "c1", "c2"):
        key = f"train:{acme}:d1:{config}"
        put(conn, NewJob("train_tenant_model", {"config": config}, acme, idempotency_key=key))
    assert taken(conn, PROVISIONER) == []
    assert taken(conn, PRODUCT) == ["train_tenant_model"] * 2


def test_s1_63_insights_are_built_by_the_product_worker(conn: Connection) -> None:
    put(conn, NewJob("materialize_insights"))
    assert taken(conn, PROVISIONER) == []
    assert taken(conn, PRODUCT) == ["materialize_insights"]


def test_s1_64_mail_is_sent_by_the_product_worker(conn: Connection) -> None:
    put(conn, NewJob("send_email", SEALED))
    assert taken(conn, PROVISIONER) == []
    assert taken(conn, PRODUCT) == ["send_email"]
