"""Whatever a program sends, the answer is one that the document of the API tells of, and nothing ever breaks.

Requests are made from the document, right ones and wrong ones, the same in every run; and more of them by
`WATCHFLOOR_API_EXAMPLES=200 pytest tests/app/routes/v1/test_any_request.py`.
"""

from __future__ import annotations

import os
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks
from sqlalchemy import ColumnElement, Connection, select
from starlette.testclient import TestClient

from worker.queries.schema import bulk_acts, operators, platform_jobs, saved_views, tenants, worker_instances

EXAMPLES = int(os.environ.get("WATCHFLOOR_API_EXAMPLES", "2"))
REFUSALS = [400, 401, 403, 404, 405, 409, 413, 414, 415, 422, 429]
CONFIG = {"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}}
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
"""All but that what is right is accepted: whether there is such a job, and whether it can be moved, no schema says."""
KNOWN: dict[str, ColumnElement[Any]] = {
    "job": platform_jobs.c.id,
    "act": bulk_acts.c.id,
    "tenant": tenants.c.id,
    "operator": operators.c.id,
    "queue": platform_jobs.c.queue,
    "type": platform_jobs.c.handler_key,
    "instance": worker_instances.c.instance_id,
    "group": platform_jobs.c.error_fingerprint,
    "view": saved_views.c.id,
}


@pytest.mark.postgresql
def test_whatever_is_sent_is_answered_as_the_document_says(morning: TestClient, conn: Connection) -> None:
    config = schemathesis.Config.from_dict(CONFIG)
    document = schemathesis.openapi.from_asgi("/api/v1/openapi.json", morning.app, config=config)
    known = {name: str(conn.execute(select(column).limit(1)).scalar()) for name, column in KNOWN.items()}
    for found in document.get_all_operations():
        assert isinstance(found, Ok), found
        ask(morning, found.ok().as_strategy(generation_mode=GenerationMode.POSITIVE), known)
        if found.ok().path != "/metrics":  # whoever scrapes may add parameters
            ask(morning, found.ok().as_strategy(generation_mode=GenerationMode.NEGATIVE), {})


def ask(program: TestClient, cases: Any, there: dict[str, str]) -> None:
    """Send some of these requests, about what is there where that is given."""

    @hypothesis.settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=cases)
    def asked(case: Case[Any]) -> None:
        case.path_parameters.update({name: there[name] for name in case.path_parameters.keys() & there.keys()})
        answer = case.call(headers={"Authorization": program.headers["Authorization"]})
        case.validate_response(answer, checks=CHECKS)

    asked()
