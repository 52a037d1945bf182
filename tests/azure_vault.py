"""An Azure Key Vault to test the real SDKs on, and what gives its process an identity there.

It stands at 127.0.0.1, whose domain the SDK takes to be 0.0.1: so the check of the challenge is the real one, too.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.certificates import Certificate
from tests.json_peer import HOST, Answer, Asked, peer

KEY = "floor-key"
_TOKEN, _SECRET = "floor-token", "floor-identity"
_OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


@dataclass
class Vault:
    """One key and its versions, the latest last; `asked` has the path of whatever came with the right token."""

    host: str = ""
    versions: dict[str, rsa.RSAPrivateKey] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    lets_keys_be_read: bool = True
    lets_keys_be_used: bool = True
    challenge_domain: str = HOST.partition(".")[2]

    def uri(self, name: str = KEY, version: str = "") -> str:
        """The setting that names the key."""
        return f"keyvault://{self.host}/{name}" + (f"/{version}" if version else "")

    def rotate(self) -> str:
        """The name of a new version."""
        name = uuid4().hex
        self.versions[name] = rsa.generate_private_key(65537, 2048)
        return name

    def environment(self, certificate: Certificate) -> dict[str, str]:
        """What gives a process an identity, as App Service does, and has it trust the vault."""
        return {
            "AZURE_TOKEN_CREDENTIALS": "ManagedIdentityCredential",
            "IDENTITY_ENDPOINT": f"https://{self.host}/identity",
            "IDENTITY_HEADER": _SECRET,
            "REQUESTS_CA_BUNDLE": str(certificate.chain),
        }

    def answer(self, asked: Asked) -> Answer:
        """What Azure would say."""
        if asked.path == "/identity":
            return self._token(asked)
        if asked.headers.get("Authorization") != f"Bearer {_TOKEN}":
            return self._challenge()
        self.asked.append(asked.path)
        name, version, verb = (*asked.path.removeprefix("/keys/").split("/"), "", "")[:3]
        version = version or next(reversed(self.versions), "")
        if name != KEY or version not in self.versions:
            return _refusal(404, "KeyNotFound", f"{asked.path} was not found in {self.host}")
        return self._of_key(asked, version, verb)

    def _of_key(self, asked: Asked, version: str, verb: str) -> Answer:
        key, kid = self.versions[version], f"https://{self.host}/keys/{KEY}/{version}"
        if not (self.lets_keys_be_used if verb else self.lets_keys_be_read):
            return _refusal(403, "Forbidden", f"{_TOKEN} may not")
        if not verb:
            return Answer(200, {"key": _public(key, kid), "attributes": {"enabled": True}})
        assert asked.document["alg"] == "RSA-OAEP-256"
        value = _bytes(asked.document["value"])
        if verb == "wrapkey":
            return Answer(200, {"kid": kid, "value": _text(key.public_key().encrypt(value, _OAEP))})
        try:
            return Answer(200, {"kid": kid, "value": _text(key.decrypt(value, _OAEP))})
        except ValueError:
            return _refusal(400, "BadParameter", "the parameter is incorrect")

    def _token(self, asked: Asked) -> Answer:
        if asked.headers.get("X-IDENTITY-HEADER") != _SECRET:
            return _refusal(401, "unauthorized", "no such identity")
        later = int(time.time()) + 3600
        return Answer(200, {"access_token": _TOKEN, "expires_on": str(later), "token_type": "Bearer", "resource": "x"})

    def _challenge(self) -> Answer:
        domain = f"{self.challenge_domain}:{self.host.partition(':')[2]}"
        said = f'Bearer authorization="https://{self.host}/a-directory", resource="https://{domain}"'
        return Answer(401, {}, {"WWW-Authenticate": said})


@contextmanager
def vault(certificate: Certificate) -> Iterator[Vault]:
    """A vault whose key has one version."""
    made = Vault()
    made.rotate()
    with peer(made.answer, certificate) as made.host:
        yield made


def _refusal(status: int, code: str, message: str) -> Answer:
    return Answer(status, {"error": {"code": code, "message": message}})


def _public(key: rsa.RSAPrivateKey, kid: str) -> dict[str, object]:
    numbers = key.public_key().public_numbers()
    use = ["wrapKey", "unwrapKey"]
    return {"kid": kid, "kty": "RSA", "key_ops": use, "n": _text(_number(numbers.n)), "e": _text(_number(numbers.e))}


def _number(value: int) -> bytes:
    return value.to_bytes((value.bit_length() + 7) // 8)


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def _bytes(value: str) -> bytes:
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
