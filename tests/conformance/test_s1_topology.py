"""S1, the two workers in containers: what each waits for, and the wall between them."""

from __future__ import annotations

import pytest

from tests.compose import services, waits

WORKERS = ("product-worker", "provisioner-worker")
COMPLETED, HEALTHY, STARTED = "service_completed_successfully", "service_healthy", "service_started"


def environment(name: str) -> dict[str, str]:
    """What the service is given."""
    found: dict[str, str] = services()[name]["environment"]
    return found


def test_s1_65_the_two_workers_have_different_credentials_and_networks() -> None:
    product, provisioner = map(environment, WORKERS)
    assert provisioner.keys() - product.keys() == {"MIGRATIONS_DATABASE_URL"}
    assert product.keys() - provisioner.keys() == {
        "WATCHFLOOR_BATCH_SIZE",
        "WATCHFLOOR_MAIL_URI",
        "WATCHFLOOR_SECRET_KEYS",
    }
    assert "//watchfloor_owner:" in provisioner["MIGRATIONS_DATABASE_URL"]
    assert "//app_rw:" in product["DATABASE_URL"]
    assert set(services()["provisioner-worker"]["networks"]) < set(services()["product-worker"]["networks"])


def test_s1_65_the_provisioner_reaches_nothing_but_the_data() -> None:
    networks = set(services()["provisioner-worker"]["networks"])
    beside = {name for name, each in services().items() if networks & set(each["networks"])}
    assert beside == {"postgres", "minio", "minio-init", "migrate", "api", *WORKERS}


def test_s1_67_the_owners_address_is_nowhere_else() -> None:
    having = {name for name, each in services().items() if "MIGRATIONS_DATABASE_URL" in each.get("environment", {})}
    assert having == {"provisioner-worker", "migrate"}
    assert "watchfloor_owner" not in str(environment("api")) + str(environment("product-worker"))


def test_s1_131_both_workers_are_one_image_and_one_command() -> None:
    first, second = (services()[name] for name in WORKERS)
    assert (first["build"], first["image"], first["command"]) == (second["build"], second["image"], second["command"])
    assert first["command"] == [
        "worker"
    ]  # of `watchfloor`, where the seed says `python scripts/run_pipeline_worker.py`
    assert first["build"]["context"] == "."  # whose Dockerfile is the only one


@pytest.mark.parametrize("name", WORKERS)
def test_s1_132_both_workers_are_started_again_unless_stopped(name: str) -> None:
    assert services()[name]["restart"] == "unless-stopped"


def test_s1_133_the_product_worker_waits_for_mail_schema_objects_and_redis() -> None:
    assert waits("product-worker") == {
        "mailpit": HEALTHY,
        "migrate": COMPLETED,
        "minio-init": COMPLETED,
        "redis": HEALTHY,
    }


def test_s1_134_the_provisioner_waits_for_schema_and_objects_alone() -> None:
    assert waits("provisioner-worker") == {"migrate": COMPLETED, "minio-init": COMPLETED}


def test_s1_135_the_api_waits_until_both_workers_have_started() -> None:
    assert waits("api") == dict.fromkeys(WORKERS, STARTED)
    needed = environment("api")["WATCHFLOOR_REQUIRED_JOB_TYPES"].split(",")
    taken = [each for name in WORKERS for each in environment(name)["WATCHFLOOR_WORKER_JOB_TYPES"].split(",")]
    assert sorted(needed) == sorted(taken)
