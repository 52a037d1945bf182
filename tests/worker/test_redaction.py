"""What of payloads is closed to the eye, as registrations say."""

from __future__ import annotations

import pytest

from worker.errors import ConfigurationError
from worker.handlers import Registry
from worker.redaction import Redaction, redaction


@pytest.mark.parametrize(
    ("path", "closed"),
    [
        ("customer", False),
        ("customer.email", True),
        ("customer.email.local", True),
        ("customer.emails", False),
        ("items", False),
        ("items.0.card", True),
        ("items.12.card.number", True),
        ("items.0.sku", False),
    ],
)
def test_a_path_closes_what_is_there_and_all_within_it(path: str, closed: bool) -> None:
    found = redaction("job type 'x'", ["customer.email", "items.*.card"])
    assert found.covers(path.split(".")) is closed


@pytest.mark.parametrize("paths", ["email", ["a..b"], [""], ["a."], ["a" * 501], ["a"] * 101])
def test_a_path_that_can_match_nothing_is_refused_by_name(paths: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="job type 'x': redact"):
        redaction("job type 'x'", paths)


def test_a_registry_knows_what_each_of_its_handlers_closes() -> None:
    registry = Registry()
    registry.job_types.register("invoice", lambda job: None, redact=["customer.email"])
    registry.subscribers.register("order.created", "crm.sync", lambda job: None, redact=["phone"])
    assert registry.redaction(job_type="invoice") == Redaction((("customer", "email"),))
    assert registry.redaction(job_type="run_subscriber", subscriber_id="crm.sync") == Redaction((("phone",),))
    assert not registry.redaction(job_type="run_subscriber", subscriber_id="gone")
    assert not registry.redaction(job_type="gone")
    assert registry.closes(["phone"])
    assert not registry.closes(["phone"], handler_key="invoice")
    assert registry.closes(["phone", "home"], handler_key="gone")
