"""Secrets under a key in an Azure Key Vault: Azure's own SDKs, over TLS, with the challenge and an identity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests import endpoints
from tests.azure_vault import KEY, Vault
from tests.worker.envelope.complaints import (
    JOB,
    OTHER_JOB,
    OTHER_TENANT,
    SECRET,
    opening_fails,
    sealing_fails,
    settings,
)
from worker.envelope import Envelope, open_envelope
from worker.envelope.keyvault import KeyVault
from worker.envelope.sealed_text import SealedText

Open = Callable[..., Envelope]


@pytest.fixture
def at() -> Open:
    """The envelope of a process that has just started with these keys."""
    return lambda *uris, seconds=20.0: open_envelope(settings(*uris, seconds=seconds))


def test_what_one_process_seals_another_opens(at: Open, vault: Vault) -> None:
    sealed = at(vault.uri()).seal(SECRET, bound_to=JOB)
    assert at(vault.uri()).open(sealed, bound_to=JOB) == SECRET
    (version,) = vault.versions
    assert f"/keys/{KEY}/{version}/unwrapkey" in vault.asked


@pytest.mark.parametrize("presented", [OTHER_JOB, OTHER_TENANT])
def test_it_opens_for_no_other_job_and_no_other_tenant(at: Open, vault: Vault, presented: str) -> None:
    envelope = at(vault.uri())
    sealed = envelope.seal(SECRET, bound_to=JOB)
    assert opening_fails(envelope, sealed, bound_to=presented).endswith("sealed for something else")


def test_the_latest_version_seals_and_each_opens_what_it_sealed(at: Open, vault: Vault) -> None:
    (first,) = vault.versions
    before = at(vault.uri()).seal(SECRET, bound_to=JOB)
    second = vault.rotate()
    after = at(vault.uri()).seal(SECRET, bound_to=JOB)
    assert [at(vault.uri()).open(sealed, bound_to=JOB) for sealed in (before, after)] == [SECRET] * 2
    assert [path.split("/")[3] for path in vault.asked if path.endswith("/unwrapkey")] == [first, second]


def test_a_version_that_is_named_seals_though_there_is_a_later_one(at: Open, vault: Vault) -> None:
    (first,) = vault.versions
    vault.rotate()
    sealed = at(vault.uri(version=first)).seal(SECRET, bound_to=JOB)
    assert at(vault.uri()).open(sealed, bound_to=JOB) == SECRET
    assert vault.asked[-1] == f"/keys/{KEY}/{first}/unwrapkey"


def test_a_version_that_is_gone_takes_its_secrets_along(at: Open, vault: Vault) -> None:
    sealed = at(vault.uri()).seal(SECRET, bound_to=JOB)
    vault.versions.clear()
    assert "with a version that is gone" in opening_fails(at(vault.uri()), sealed)
    assert sealing_fails(at(vault.uri())) == f"secrets: Azure Key Vault: there is no key {KEY} (KeyNotFound)"


def test_a_secret_of_another_vault_is_not_opened(at: Open, vault: Vault) -> None:
    (version,) = vault.versions
    sealed = SealedText(KeyVault.kind, version.encode() + b"/" + b"w" * 256, b"n" * 12, b"c" * 40).written()
    assert f"sealed with another key than {KEY}" in opening_fails(at(vault.uri()), sealed)


def test_a_version_leads_to_no_other_path_of_the_vault(at: Open, vault: Vault) -> None:
    sealed = SealedText(KeyVault.kind, b"../../secrets/admin/" + b"w" * 256, b"n" * 12, b"c" * 40).written()
    assert opening_fails(at(vault.uri()), sealed).endswith("the text was changed")
    assert vault.asked == []


def test_a_refusal_is_said_in_words_of_ours(at: Open, vault: Vault) -> None:
    vault.lets_keys_be_read = vault.lets_keys_be_used = False
    (version,) = vault.versions
    said = sealing_fails(at(vault.uri(version=version)))
    assert said == "secrets: Azure Key Vault: the credentials may not do this here (Forbidden)"


def test_whoever_may_use_a_key_but_not_read_it_names_its_version(at: Open, vault: Vault) -> None:
    vault.lets_keys_be_read = False
    (version,) = vault.versions
    assert "name a version" in sealing_fails(at(vault.uri()))
    sealed = at(vault.uri(version=version)).seal(SECRET, bound_to=JOB)
    assert at(vault.uri()).open(sealed, bound_to=JOB) == SECRET


def test_a_vault_that_asks_for_a_token_for_somebody_else_gets_none(at: Open, vault: Vault) -> None:
    vault.challenge_domain = "elsewhere.example"
    assert "whoever answers is no vault" in sealing_fails(at(vault.uri()))
    assert vault.asked == []


def test_without_an_identity_it_says_what_to_set(at: Open, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")
    assert "set AZURE_CLIENT_ID" in sealing_fails(at(vault.uri()))


def test_a_certificate_that_nobody_vouches_for_is_refused(
    at: Open, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    assert "its certificate trusted" in sealing_fails(at(vault.uri()))


def test_a_vault_that_hangs_is_waited_for_only_so_long(at: Open, vault: Vault) -> None:
    with endpoints.hanging() as silent:
        host = silent.url.partition("://")[2]
        assert "hangs" in sealing_fails(at(f"keyvault://{host}/{KEY}", seconds=0.5))
