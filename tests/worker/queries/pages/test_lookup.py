"""What a word from the search box names."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from worker.queries.pages import lookup


def test_a_word_is_known_for_what_it_names(conn: Connection) -> None:
    tenant = factories.tenant(conn)
    event: Any = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    job = factories.job(conn, tenant_id=tenant, idempotency_key="invoice:7", **event)
    factories.worker_instance(conn, "w-1", component="renderer")
    asked = {
        str(job): ("job", str(job)),
        str(job).upper(): ("job", str(job)),
        "acme": ("tenant", "acme"),
        str(tenant): ("tenant", "acme"),
        "ev-1": ("event", "ev-1"),
        "invoice:7": ("key", "invoice:7"),
        "w-1": ("worker", "w-1"),
        "renderer": ("worker", "renderer"),
    }
    assert {word: lookup.look(conn, word=word) for word in asked} == asked


@pytest.mark.parametrize("word", ["timeout", "019b0000-0000-7000-8000-000000000000", "%", "'; --", "acm", "💥"])
def test_a_word_that_names_nothing_is_none(conn: Connection, word: str) -> None:
    factories.job(conn, tenant_id=factories.tenant(conn), idempotency_key="k")
    assert lookup.look(conn, word=word) is None
