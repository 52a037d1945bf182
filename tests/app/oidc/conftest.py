"""A provider that listens, and whose certificate is trusted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.certificates import Certificate, certificate
from tests.identity_provider import IdentityProvider, identity_provider


@pytest.fixture(scope="session")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """One certificate for all tests."""
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def provider(trusted: Certificate, monkeypatch: pytest.MonkeyPatch) -> Iterator[IdentityProvider]:
    """A provider of its own for each test."""
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted.chain))
    with identity_provider(trusted) as started:
        yield started
