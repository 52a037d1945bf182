"""The keys of secrets as a setting says them."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest
from cryptography.fernet import Fernet
from pydantic import ValidationError

from worker.secret_keys import AwsKey, LocalKey, SecretKey, VaultKey, keys_of
from worker.settings import WorkerSettings

LOCAL = urlsafe_b64encode(bytes(range(32))).decode()
ARN = "arn:aws:kms:eu-west-1:123456789012:key/0b1c"


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (LOCAL, LocalKey(LOCAL)),
        (f" {LOCAL} ", LocalKey(LOCAL)),
        ("kms://0b1c-22", AwsKey("0b1c-22")),
        ("kms://alias/floor?region=eu-central-1", AwsKey("alias/floor", "eu-central-1")),
        (f"kms://{ARN}", AwsKey(ARN, "eu-west-1")),
        ("kms://k?endpoint=http://127.0.0.1:9", AwsKey("k", None, "http://127.0.0.1:9")),
        ("keyvault://floor.vault.azure.net/mail", VaultKey("floor.vault.azure.net", "mail")),
        ("keyvault://127.0.0.1:4433/mail/0a1b", VaultKey("127.0.0.1:4433", "mail", "0a1b")),
    ],
)
def test_a_key_is_one_of_three_kinds(value: str, key: SecretKey) -> None:
    assert keys_of(value) == (key,)


def test_several_keys_are_in_the_order_given() -> None:
    other = Fernet.generate_key().decode()
    assert keys_of(f"kms://k,{LOCAL}, {other}") == (AwsKey("k"), LocalKey(LOCAL), LocalKey(other))


@pytest.mark.parametrize(
    "value",
    [
        "",
        ",",
        f"{LOCAL},",
        LOCAL[:-4],
        LOCAL + "AAAA",
        LOCAL.replace("=", "!"),
        "hunter2",
        "vault://hunter2",
        "kms://",
        "kms://hunter2:pw@k",
        "kms://k#hunter2",
        "kms://k?hunter2=1",
        "kms://k?region=hunter2%2F",
        "kms://k?endpoint=ftp://hunter2",
        "kms://k?endpoint=http://u:hunter2@h",
        "kms://[hunter2",
        "keyvault://floor.vault.azure.net",
        "keyvault://floor.vault.azure.net/a/b/hunter2",
        "keyvault://floor.vault.azure.net/a?hunter2",
        "keyvault://hunter2@floor.vault.azure.net/a",
        "keyvault://floor.vault.azure.net/../hunter2",
    ],
)
def test_what_is_no_key_is_refused_and_never_repeated(value: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        WorkerSettings.model_validate({"secret_keys": value})
    said = str(refusal.value)
    assert "secret_keys" in said
    assert "hunter2" not in said
    assert LOCAL[:-5] not in said


def test_a_key_is_shown_nowhere() -> None:
    settings = WorkerSettings.model_validate({"secret_keys": LOCAL})
    assert LOCAL not in repr(settings) + repr(keys_of(LOCAL)) + settings.model_dump_json()
