"""The keys of secrets, as one setting says them: Fernet keys, `kms://…` and `keyvault://…`, with commas between.

Plain rules, so that the settings can refuse a value before anything starts. What they say never repeats the value,
because it has keys in it.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, urlsplit

_AWS_KEY = re.compile(r"[A-Za-z0-9_:/-]{1,300}", re.ASCII)
_ARN = re.compile(r"arn:[a-z-]+:kms:(?P<region>[a-z0-9-]+):\d{12}:(key|alias)/.+", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
_VAULT = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}(:[0-9]{1,5})?", re.ASCII)
_VAULT_KEY = re.compile(r"/(?P<name>[A-Za-z0-9-]{1,127})(/(?P<version>[A-Za-z0-9]{1,64}))?", re.ASCII)
_FORMS = "must be Fernet keys, kms://key?region=… or keyvault://vault/key, with commas between"


@dataclass(frozen=True)
class LocalKey:
    """A Fernet key, which is all that it takes to open what it sealed."""

    key: str = field(repr=False)


@dataclass(frozen=True)
class AwsKey:
    """A key in AWS KMS, by id, ARN or alias; whose credentials count is the SDK's to find out."""

    name: str
    region: str | None = None
    endpoint: str | None = None


@dataclass(frozen=True)
class VaultKey:
    """A key in an Azure Key Vault; without a version the latest seals, and each opens what it sealed."""

    vault: str
    name: str
    version: str | None = None


SecretKey = LocalKey | AwsKey | VaultKey


def keys_of(value: str) -> tuple[SecretKey, ...]:
    """The keys, of which the first seals and all open; ValueError says what is wrong with them."""
    return tuple(_key(each.strip()) for each in value.split(","))


def _key(value: str) -> SecretKey:
    try:
        parts = urlsplit(value)
    except ValueError:
        raise ValueError(_FORMS) from None
    if "@" in parts.netloc:
        raise ValueError("must hold no credentials of AWS or Azure: they come from the environment")
    if parts.scheme == "kms":
        return _of_aws(parts)
    if parts.scheme == "keyvault":
        return _of_vault(parts)
    return _local(value)


def _local(value: str) -> LocalKey:
    try:
        key = base64.b64decode(value, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(_FORMS) from None
    if len(key) != 32:
        raise ValueError(_FORMS)
    return LocalKey(value)


def _of_aws(parts: SplitResult) -> AwsKey:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    name = parts.netloc + parts.path
    if not _AWS_KEY.fullmatch(name) or parts.fragment:
        raise ValueError("a key in AWS KMS is kms://id, kms://alias/name or kms://arn:aws:kms:…")
    if options.keys() - {"region", "endpoint"}:
        raise ValueError("behind ? there may be region= and endpoint=, and nothing else")
    in_arn = _ARN.fullmatch(name)
    region = options.get("region") or (in_arn["region"] if in_arn else None)
    if region is not None and not _REGION.fullmatch(region):
        raise ValueError("a region is a name such as eu-central-1")
    return AwsKey(name, region, _endpoint(options.get("endpoint")))


def _endpoint(address: str | None) -> str | None:
    if address is not None and not re.fullmatch(r"https?://[A-Za-z0-9.-]+(:\d{1,5})?/?", address, re.ASCII):
        raise ValueError("an endpoint is http://host:port or https://host, without credentials or anything behind it")
    return address


def _of_vault(parts: SplitResult) -> VaultKey:
    key = _VAULT_KEY.fullmatch(parts.path)
    if not _VAULT.fullmatch(parts.netloc) or not key or parts.query or parts.fragment:
        raise ValueError("a key in a vault is keyvault://name.vault.azure.net/key, with /version behind it or nothing")
    return VaultKey(parts.netloc, key["name"], key["version"])
