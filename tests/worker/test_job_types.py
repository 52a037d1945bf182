"""The one list of job types, and what a registration may say."""

import pytest

from worker.errors import ConfigurationError, UnknownJobType
from worker.handlers import configured
from worker.job_types import SUPPORTED_JOB_TYPES, JobTypes
from worker.model import Job
from worker.settings import WorkerSettings


def run(job: Job) -> None:
    """Do nothing."""


def test_s1_46_the_built_in_types_are_the_four() -> None:
    assert {"send_email", "materialize_insights", "provision_tenant", "train_tenant_model"} == SUPPORTED_JOB_TYPES


def test_s1_58_unknown_types_are_all_named() -> None:
    with pytest.raises(UnknownJobType, match="'nope', 'other'"):
        JobTypes().check(["send_email", "other", "nope"])


def test_the_deployments_budget_of_attempts_counts_where_a_registration_names_none() -> None:
    registry = configured(WorkerSettings(max_attempts=9))
    registry.job_types.register("plain", run)
    registry.job_types.register("own", run, max_attempts=2)
    registry.subscribers.register("order.created", "crm.sync", run)
    kinds = [registry.job_types.get(name).max_attempts for name in ("plain", "own", "send_email")]
    assert (kinds, registry.subscribers.of("order.created")[0].max_attempts) == ([9, 2, 9], 9)


@pytest.mark.parametrize("budget", [0, -1, True, 1001, 1.5, "3"])
def test_a_44_a_budget_out_of_range_is_refused_at_registration(budget: int) -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        JobTypes().register("plain", run, max_attempts=budget)


@pytest.mark.parametrize("name", ["run_subscriber", "Mail", "", "a b", "x" * 101])
def test_a_name_that_no_job_type_can_have_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError):
        JobTypes().register(name, run)


def test_a_second_handler_for_one_type_is_refused() -> None:
    types = JobTypes()
    types.register("plain", run)
    with pytest.raises(ConfigurationError, match="handler already"):
        types.register("plain", run)
