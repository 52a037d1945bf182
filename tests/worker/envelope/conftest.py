"""The envelopes that tests open, and the key services they are tried on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from tests import azure_vault, endpoints
from tests.azure_vault import Vault
from tests.certificates import Certificate, certificate
from tests.endpoints import CREDENTIALS, NOTHING_ELSE, Endpoint


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Credentials in the environment, and nowhere else."""
    monkeypatch.chdir(tmp_path)
    for name, value in {**CREDENTIALS, **NOTHING_ELSE}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def keys() -> list[str]:
    """Three Fernet keys."""
    return [Fernet.generate_key().decode() for _ in range(3)]


@pytest.fixture(scope="session")
def aws() -> Iterator[Endpoint]:
    """An AWS."""
    with endpoints.moto() as started:
        yield started


@pytest.fixture(scope="session")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of whatever listens here."""
    return certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def vault(trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """A vault in which this process has an identity."""
    with azure_vault.vault(trusted) as started:
        for name, value in started.environment(trusted).items():
            monkeypatch.setenv(name, value)
        yield started
