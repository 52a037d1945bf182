"""Starting: a worker that cannot do what it would advertise does not start."""

import pytest
from cryptography.fernet import Fernet

from tests.worker.runtime.bench import registry, settings
from worker.errors import ConfigurationError
from worker.handlers import Registry, configured
from worker.runtime.startup import new_instance, validate


def nothing(job: object) -> None:
    """A handler."""


@pytest.fixture
def known() -> Registry:
    return registry(work=nothing, send_email=nothing)


def unready() -> None:
    raise ConfigurationError("MAIL_URI: no provider")


def test_it_takes_everything_that_has_a_handler_here(known: Registry) -> None:
    assert validate(settings(), known, {}) == {"work", "send_email"}


def test_subscribers_make_it_take_the_jobs_of_events(known: Registry) -> None:
    known.subscribers.register("order.paid", "orders.mail", nothing, job_type="mailer")
    assert validate(settings(), known, {}) == {"work", "send_email", "run_subscriber", "mailer"}


def test_s1_57_it_takes_only_what_it_is_configured_for(known: Registry) -> None:
    assert validate(settings(worker_job_types="work"), known, {}) == {"work"}


@pytest.mark.parametrize("name", ["nope", "render_report"])
def test_s1_58_an_unknown_type_refuses_the_start_and_is_named(known: Registry, name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"unknown job type: '{name}'"):
        validate(settings(worker_job_types=f"work,{name}"), known, {})


def test_a_type_without_a_handler_refuses_the_start(known: Registry) -> None:
    with pytest.raises(ConfigurationError, match="no handler here for train_tenant_model"):
        validate(settings(worker_job_types="work,train_tenant_model"), known, {})


def test_a_worker_with_nothing_to_run_does_not_start() -> None:
    with pytest.raises(ConfigurationError, match="nothing is registered"):
        validate(settings(), Registry(), {})


def test_s1_96_to_98_what_is_not_ready_refuses_the_start(known: Registry) -> None:
    with pytest.raises(ConfigurationError, match="MAIL_URI"):
        validate(settings(), known, {"send_email": unready})


def test_s1_99_readiness_is_asked_only_for_what_the_worker_takes(known: Registry) -> None:
    assert validate(settings(worker_job_types="work"), known, {"send_email": unready}) == {"work"}


@pytest.mark.parametrize("missing", ["mail_uri", "secret_keys"])
def test_what_is_built_in_and_was_not_registered_says_why_when_it_is_named(missing: str) -> None:
    values = {"mail_uri": "memory://", "secret_keys": Fernet.generate_key().decode(), "worker_job_types": "send_email"}
    whole = settings(**values)
    assert validate(whole, configured(whole)) == {"send_email"}
    half = settings(**{name: value for name, value in values.items() if name != missing})
    with pytest.raises(ConfigurationError, match=f"^send_email: WATCHFLOOR_{missing.upper()} is not set"):
        validate(half, configured(half))


def test_a_hosts_own_handler_for_mail_is_for_that_host_to_know(known: Registry) -> None:
    assert validate(settings(), known) == {"work", "send_email"}


def test_a_04_every_start_is_another_instance_of_the_same_component() -> None:
    first, second = (new_instance(settings(worker_component="mail"), frozenset({"b", "a"})) for _ in range(2))
    assert first.instance_id != second.instance_id
    assert (first.component, first.host, first.pid) == (second.component, second.host, second.pid)
    assert first.job_types == ("a", "b")
