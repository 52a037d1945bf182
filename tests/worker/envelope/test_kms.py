"""Secrets under a key in AWS KMS: Amazon's own SDK, at a server that knows KMS and at one that refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from boto3.session import Session

from tests import endpoints
from tests.endpoints import ACCESS_KEY, SECRET_KEY, Endpoint
from tests.json_peer import Answer, peer
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
from worker.envelope.kms import CONTEXT, Kms
from worker.envelope.sealed_text import SealedText
from worker.secret_keys import AwsKey

Open = Callable[..., Envelope]


@pytest.fixture(scope="module")
def kms(aws: Endpoint) -> Iterator[Any]:
    """Whoever may make keys there."""
    client = Session(ACCESS_KEY, SECRET_KEY, region_name="eu-central-1").client("kms", endpoint_url=aws.url)
    yield client
    client.close()


@pytest.fixture
def key(kms: Any) -> str:
    """The id of a new key."""
    return str(kms.create_key()["KeyMetadata"]["KeyId"])


@pytest.fixture
def at(aws: Endpoint) -> Open:
    """The envelope of a process that has just started with these keys."""
    return lambda *names: open_envelope(
        settings(*(f"kms://{name}?region=eu-central-1&endpoint={aws.url}" for name in names))
    )


def test_what_one_process_seals_another_opens(at: Open, key: str) -> None:
    sealed = at(key).seal(SECRET, bound_to=JOB)
    assert at(key).open(sealed, bound_to=JOB) == SECRET


def test_a_key_is_known_by_id_alias_and_arn(at: Open, kms: Any, key: str) -> None:
    kms.create_alias(AliasName="alias/floor", TargetKeyId=key)
    arn = kms.describe_key(KeyId=key)["KeyMetadata"]["Arn"]
    sealed = at("alias/floor").seal(SECRET, bound_to=JOB)
    assert [at(name).open(sealed, bound_to=JOB) for name in (key, arn, "alias/floor")] == [SECRET] * 3


@pytest.mark.parametrize("presented", [OTHER_JOB, OTHER_TENANT])
def test_it_opens_for_no_other_job_and_no_other_tenant(at: Open, key: str, presented: str) -> None:
    sealed = at(key).seal(SECRET, bound_to=JOB)
    assert opening_fails(at(key), sealed, bound_to=presented).endswith("sealed for something else")


@pytest.mark.parametrize("context", [{}, CONTEXT | {"purpose": "backups"}, CONTEXT | {"more": "x"}])
def test_a_data_key_of_another_encryption_context_opens_nothing(
    at: Open, kms: Any, key: str, context: dict[str, str]
) -> None:
    made = kms.generate_data_key(KeyId=key, KeySpec="AES_256", EncryptionContext=context)
    sealed = SealedText(Kms.kind, made["CiphertextBlob"], b"n" * 12, b"c" * 40).written()
    assert "sealed with another key" in opening_fails(at(key), sealed)


def test_a_secret_of_another_key_opens_once_that_is_named_too(at: Open, kms: Any, key: str) -> None:
    old = str(kms.create_key()["KeyMetadata"]["KeyId"])
    sealed = at(old).seal(SECRET, bound_to=JOB)
    assert f"sealed with another key than {key}" in opening_fails(at(key), sealed)
    assert at(key, old).open(sealed, bound_to=JOB) == SECRET
    assert at(key).open(at(key, old).seal(SECRET, bound_to=JOB), bound_to=JOB) == SECRET


def test_a_key_that_is_gone_is_named(at: Open, key: str) -> None:
    sealed = at(key).seal(SECRET, bound_to=JOB)
    for name in ("alias/gone", "00000000-0000-0000-0000-000000000000"):
        assert sealing_fails(at(name)) == f"secrets: AWS KMS: there is no key {name}"
        assert opening_fails(at(name), sealed) == f"secrets: AWS KMS: there is no key {name}"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("AccessDeniedException", "the credentials are wrong, or may not do this here (AccessDeniedException)"),
        ("DisabledException", "the key is disabled (DisabledException)"),
        ("KMSInvalidStateException", "the key is disabled, or about to be deleted (KMSInvalidStateException)"),
        ("UnrecognizedClientException", "the credentials are wrong (UnrecognizedClientException)"),
        ("SomethingNew", "the endpoint refused (SomethingNew)"),
    ],
)
def test_a_refusal_is_said_in_words_of_ours(code: str, said: str) -> None:
    refusal = Answer(400, {"__type": code, "message": f"ada@example.org may not, says {SECRET_KEY}"})
    with peer(lambda _: refusal) as host:
        refused = open_envelope(settings(f"kms://alias/floor?region=eu-central-1&endpoint=http://{host}"))
        assert sealing_fails(refused) == f"secrets: AWS KMS: {said}"


def test_nobody_there_and_a_server_that_hangs_are_told_apart() -> None:
    port = endpoints.free_port()
    nobody = settings(f"kms://alias/floor?region=eu-central-1&endpoint=http://127.0.0.1:{port}")
    assert "cannot be reached" in sealing_fails(open_envelope(nobody))
    with endpoints.hanging() as silent:
        slow = settings(f"kms://alias/floor?region=eu-central-1&endpoint={silent.url}", seconds=0.5)
        assert "hangs" in sealing_fails(open_envelope(slow))


def test_without_credentials_or_a_region_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch, aws: Endpoint) -> None:
    assert "set AWS_REGION" in sealing_fails(open_envelope(settings(f"kms://alias/floor?endpoint={aws.url}")))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    said = sealing_fails(open_envelope(settings(f"kms://alias/floor?region=eu-central-1&endpoint={aws.url}")))
    assert "set AWS_ACCESS_KEY_ID" in said


def test_the_key_service_is_not_asked_before_a_secret_is_sealed() -> None:
    with peer(lambda _: Answer(500)) as host:
        address = f"http://{host}"
    open_envelope(settings(f"kms://alias/floor?endpoint={address}"))
    assert Kms(AwsKey("alias/floor", endpoint=address), deadline_seconds=1).kind == ord("A")
