"""Who gets which address and which secret: the product worker no owner's, the provisioner no mail's and no key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.commands.refusals import Misconfigured
from app.settings import ConsoleSettings
from app.split.shares import CONSOLE, PRODUCT, PROVISIONER, Addresses, addresses, require_apart, shares

OWNER_URL = "postgresql://admin:root-secret@db.example:5433/floor?sslmode=require"
KNOWN = Addresses("owner-address", "work-address", "pages-address")
AROUND = {
    "PATH": "/bin",
    "PGPASSWORD": "pg-secret",
    "PGSSLROOTCERT": "/ca.pem",
    "DATABASE_URL": "work-address",
    "CONSOLE_DATABASE_URL": "pages-address",
    "MIGRATIONS_DATABASE_URL": "owner-address",
    "watchfloor_owner_password": "owner-secret",
    "WATCHFLOOR_APP_RW_PASSWORD": "work-secret",
    "WATCHFLOOR_CONSOLE_RW_PASSWORD": "pages-secret",
    "WATCHFLOOR_MAIL_URI": "smtp://mail",
    "WATCHFLOOR_SECRET_KEYS": "key-secret",
    "WATCHFLOOR_WORKER_QUEUES": "mail",
    "AWS_SECRET_ACCESS_KEY": "object-secret",
}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder without a `.env`."""
    monkeypatch.chdir(tmp_path)


def environments(settings: ConsoleSettings | None = None) -> dict[str, Mapping[str, str]]:
    """The environment of each process."""
    return {each.name: each.environment for each in shares(settings or ConsoleSettings(), KNOWN, AROUND)}


def test_s1_66_and_s1_67_only_the_provisioner_has_the_owners_address() -> None:
    having = {name for name, each in environments().items() if "owner-address" in each.values()}
    assert having == {PROVISIONER}


def test_only_the_console_has_the_address_of_the_pages() -> None:
    having = {name for name, each in environments().items() if "pages-address" in each.values()}
    assert having == {CONSOLE}


def test_all_work_at_the_same_address() -> None:
    assert {each["DATABASE_URL"] for each in environments().values()} == {"work-address"}


def test_the_roles_passwords_are_nobodys_but_those_who_migrate() -> None:
    values = {value for each in environments().values() for value in each.values()}
    assert values.isdisjoint({"owner-secret", "work-secret", "pages-secret", "pg-secret"})


def test_s1_71_the_provisioner_has_no_mail_and_no_key_and_the_console_no_objects() -> None:
    known = environments()
    assert {name for name, each in known.items() if "smtp://mail" in each.values()} == {CONSOLE, PRODUCT}
    assert {name for name, each in known.items() if "key-secret" in each.values()} == {CONSOLE, PRODUCT}
    assert {name for name, each in known.items() if "object-secret" in each.values()} == {PROVISIONER, PRODUCT}


def test_what_is_not_set_apart_is_shared() -> None:
    for each in environments().values():
        assert (each["PATH"], each["PGSSLROOTCERT"]) == ("/bin", "/ca.pem")


def test_the_workers_share_the_job_types_and_the_console_requires_all_of_them() -> None:
    known = environments()
    assert known[PROVISIONER]["WATCHFLOOR_WORKER_JOB_TYPES"] == "provision_tenant"
    product = known[PRODUCT]["WATCHFLOOR_WORKER_JOB_TYPES"].split(",")
    assert "materialize_insights" in product
    assert "provision_tenant" not in product
    assert set(known[CONSOLE]["WATCHFLOOR_REQUIRED_JOB_TYPES"].split(",")) == {*product, "provision_tenant"}


def test_the_settings_of_workers_are_the_product_workers() -> None:
    known = environments(ConsoleSettings(worker_job_types=("send_digest",), required_job_types=()))
    assert known[PRODUCT]["WATCHFLOOR_WORKER_JOB_TYPES"] == "send_digest"
    assert known[PRODUCT]["WATCHFLOOR_WORKER_QUEUES"] == "mail"
    assert "WATCHFLOOR_WORKER_QUEUES" not in known[PROVISIONER]
    assert known[CONSOLE]["WATCHFLOOR_REQUIRED_JOB_TYPES"] == ""


def test_each_role_signs_in_to_the_owners_database_with_its_own_name_and_password() -> None:
    known = addresses(ConsoleSettings(app_rw_password=SecretStr("work-secret")), OWNER_URL)
    rest = "@db.example:5433/floor?sslmode=require"
    assert known.owner == f"postgresql+psycopg://watchfloor_owner{rest}"
    assert known.work == f"postgresql+psycopg://app_rw:work-secret{rest}"
    assert known.pages == f"postgresql+psycopg://console_rw{rest}"


def test_an_owner_that_signs_in_as_itself_keeps_its_password() -> None:
    own = "postgresql+psycopg://watchfloor_owner:own-secret@db.example/floor"
    assert addresses(ConsoleSettings(), own).owner == own


def test_an_address_that_is_given_is_taken() -> None:
    settings = ConsoleSettings(database_url=SecretStr("work-address"), console_database_url=SecretStr("pages-address"))
    known = addresses(settings, OWNER_URL)
    assert (known.work, known.pages) == ("work-address", "pages-address")


@pytest.mark.parametrize("name", ["MIGRATIONS_DATABASE_URL", "WATCHFLOOR_OWNER_PASSWORD"])
def test_what_is_the_owners_must_not_be_in_a_file_that_all_read(tmp_path: Path, name: str) -> None:
    (tmp_path / ".env").write_text(f"{name}=secret-text\n")
    with pytest.raises(Misconfigured, match=f"^{name}: ") as refusal:
        require_apart(ConsoleSettings(), {})
    assert "secret-text" not in str(refusal.value)
    require_apart(ConsoleSettings(), {name.lower(): "secret-text"})
