"""What a provider says of somebody: believed only with its signature, for us, about this sign-in, and in time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from app.oidc.problems import NotTrusted

SKEW_SECONDS = 60
"""So far may the provider's clock be from ours."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
"""Each with a key that only the provider has: `none`, and what we could have signed ourselves, are not among them."""
MAX_SUBJECT = 255

WORDS = {
    "iss": "it comes from another provider",
    "aud": "it is meant for another program",
    "azp": "it is meant for another program",
    "nonce": "it answers another sign-in",
    "exp": "its time is over",
    "nbf": "its time has not come: the clocks differ",
    "iat": "it was made in the future: the clocks differ",
    "sub": "it does not say of whom it speaks",
    "at_hash": "its parts do not belong together",
}
UNSIGNED = "its signature does not hold"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a token has to agree with."""

    issuer: str
    client_id: str
    nonce: str
    access_token: str | None
    algorithms: Collection[str]


class UnknownKey(Exception):
    """It is signed with a key that was not there when we last looked."""


def verified(token: str, keys: KeySet, expected: Expected, *, now: float) -> Mapping[str, Any]:
    """The claims of a token that may be believed; NotTrusted says why it may not, UnknownKey to look for new keys."""
    try:
        read = jwt.decode(token, keys, algorithms=[each for each in ALGORITHMS if each in expected.algorithms])
    except InvalidKeyIdError:
        raise UnknownKey from None
    except (JoseError, ValueError, TypeError):
        raise NotTrusted(UNSIGNED) from None
    claims = CodeIDToken(read.claims, read.header, _options(expected), _parameters(expected))
    try:
        claims.validate(now=int(now), leeway=SKEW_SECONDS)
    except ClaimError as error:
        raise NotTrusted(WORDS.get(error.claim, "it is not complete")) from None
    if not 0 < len(claims["sub"]) <= MAX_SUBJECT or not claims["sub"].isprintable():
        raise NotTrusted(WORDS["sub"])
    return dict(claims)


def _options(expected: Expected) -> dict[str, Any]:
    return {
        "iss": {"essential": True, "value": expected.issuer},
        "aud": {"essential": True, "value": expected.client_id},
    }


def _parameters(expected: Expected) -> dict[str, Any]:
    return {"nonce": expected.nonce, "client_id": expected.client_id, "access_token": expected.access_token}
