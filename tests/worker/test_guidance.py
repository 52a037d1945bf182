"""What a registration tells the people on call."""

import pytest

from worker.errors import ConfigurationError
from worker.guidance import Guidance
from worker.handlers import Registry
from worker.job_types import JobTypes
from worker.model import Job


def run(job: Job) -> None:
    """Do nothing."""


def test_what_is_declared_beside_a_handler_is_known_by_job_type_and_by_subscriber() -> None:
    registry = Registry()
    registry.job_types.register(
        "charge", run, runbook="https://wiki.example/charge#again", owner="payments", replay="ask"
    )
    registry.subscribers.register("order.paid", "orders.mail", run, owner="post", replay="keyed")
    assert registry.guidance(job_type="charge") == Guidance("https://wiki.example/charge#again", "payments", "ask")
    told = registry.guidance(job_type="run_subscriber", subscriber_id="orders.mail")
    assert told == Guidance(None, "post", "keyed")


def test_nothing_is_declared_of_what_this_process_does_not_know() -> None:
    registry = Registry()
    found = [registry.guidance(job_type="nope"), registry.guidance(job_type="charge", subscriber_id="nobody")]
    assert found == [Guidance(), Guidance()]
    assert not any(found)


def test_of_the_built_in_types_a_replay_is_known_even_where_they_do_not_run() -> None:
    types = JobTypes()
    assert [types.get(name).guidance.replay for name in ("send_email", "provision_tenant")] == ["keyed", "safe"]


def test_a_hosts_own_handler_of_a_built_in_type_promises_nothing_by_itself() -> None:
    types = JobTypes()
    types.register("send_email", run)
    assert types.get("send_email").guidance == Guidance()


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "wiki/charge", "https://", "https://a b", "https://who:secret@host/", "x" * 501]
)
def test_a_runbook_that_no_link_should_lead_to_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError, match="'charge': the runbook"):
        JobTypes().register("charge", run, runbook=address)


@pytest.mark.parametrize("told", [{"owner": ""}, {"owner": "a\nb"}, {"owner": "x" * 101}, {"replay": "maybe"}])
def test_an_owner_or_a_promise_that_cannot_be_shown_is_refused(told: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"'orders\.mail': "):
        Registry().subscribers.register("order.paid", "orders.mail", run, **told)  # type: ignore[arg-type]  # the point
