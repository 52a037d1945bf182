"""Which envelope a deployment has: by its settings, what is installed, and the time in which keys follow each other."""

from __future__ import annotations

from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import pytest

from tests.azure_vault import Vault
from tests.worker.envelope.complaints import JOB, SECRET, opening_fails, settings
from worker.deployment import Deployment
from worker.envelope import open_envelope, secret_encryption_readiness
from worker.errors import ConfigurationError
from worker.settings import WorkerSettings

AWS, AZURE = "kms://alias/floor?region=eu-central-1", "keyvault://floor.vault.azure.net/floor-key"


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither extra."""

    def find(name: str) -> ModuleSpec | None:
        if name == "azure.keyvault.keys":
            raise ModuleNotFoundError(name="azure")
        return None if name == "boto3" else find_spec(name)

    monkeypatch.setattr("worker.envelope.find_spec", find)


def test_without_keys_it_says_which_setting_is_missing() -> None:
    nothing = WorkerSettings(secret_keys=None)
    said = secret_encryption_readiness(nothing)
    assert said == "WATCHFLOOR_SECRET_KEYS is not set: without it nothing can be sealed, nor opened"
    with pytest.raises(ConfigurationError, match=f"^{said}$"):
        open_envelope(nothing)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("uri", "scheme", "extra"), [(AWS, "kms", "aws"), (AZURE, "keyvault", "azure")])
def test_without_the_extra_it_says_which(keys: list[str], uri: str, scheme: str, extra: str) -> None:
    said = f"WATCHFLOOR_SECRET_KEYS: {scheme}:// needs the extra: pip install 'watchfloor[{extra}]'"
    assert secret_encryption_readiness(settings(keys[0], uri)) == said
    with pytest.raises(ConfigurationError):
        open_envelope(settings(uri))


@pytest.mark.usefixtures("nothing_installed")
def test_local_keys_need_no_extra(keys: list[str]) -> None:
    assert secret_encryption_readiness(settings(*keys)) is None


@pytest.mark.parametrize("uri", [AWS, AZURE])
def test_with_the_extra_it_is_ready_and_nobody_was_asked(uri: str) -> None:
    assert secret_encryption_readiness(settings(uri)) is None
    open_envelope(settings(uri))


def test_a_deployment_moves_from_local_keys_to_a_vault_and_back(keys: list[str], vault: Vault) -> None:
    local, both, back = settings(keys[0]), settings(vault.uri(), keys[0]), settings(keys[0], vault.uri())
    before = open_envelope(local).seal(SECRET, bound_to=JOB)
    moving = open_envelope(both)
    after = moving.seal(SECRET, bound_to=JOB)
    assert "/unwrapkey" not in "".join(vault.asked)
    for each in (moving, open_envelope(back)):
        assert [each.open(sealed, bound_to=JOB) for sealed in (before, after)] == [SECRET] * 2
    assert "another kind of key" in opening_fails(open_envelope(settings(vault.uri())), before)
    assert "no key here fits" in opening_fails(open_envelope(local), after)


def test_a_vault_that_is_out_of_order_is_not_passed_over(keys: list[str], vault: Vault) -> None:
    both = settings(vault.uri(), keys[0])
    sealed = open_envelope(both).seal(SECRET, bound_to=JOB)
    vault.lets_keys_be_read = vault.lets_keys_be_used = False
    assert "may not do this here" in opening_fails(open_envelope(both), sealed)


def test_a_deployment_keeps_its_envelope(keys: list[str]) -> None:
    deployment = Deployment(settings(*keys))
    assert deployment.envelope() is deployment.envelope()
