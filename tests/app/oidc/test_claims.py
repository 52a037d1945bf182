"""Tokens that are believed, and all the others."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey

from app.oidc.claims import Expected, UnknownKey, verified
from app.oidc.problems import NotTrusted
from tests.factories import NOON
from tests.identity_provider import CLIENT_ID, CLIENT_SECRET, key

NOW = int(NOON.timestamp())
ISSUER = "https://login.example"
EXPECTED = Expected(ISSUER, CLIENT_ID, "the nonce", "the access token", ("ES256", "HS256", "none"))
KEY = key("first")
TRUTH = {"iss": ISSUER, "aud": CLIENT_ID, "sub": "2482", "iat": NOW, "exp": NOW + 300, "nonce": "the nonce"}


def believed(token: str, expected: Expected = EXPECTED) -> Any:
    return verified(token, KeySet([KEY]), expected, now=float(NOW))


def signed(**lies: Any) -> str:
    claims = {name: value for name, value in {**TRUTH, **lies}.items() if value is not None}
    return jwt.encode({"alg": "ES256", "kid": "first"}, claims, KEY)


def test_the_truth_is_believed() -> None:
    assert believed(signed()) == TRUTH
    assert believed(signed(aud=[CLIENT_ID]))["sub"] == "2482"
    assert believed(signed(aud=["another", CLIENT_ID], azp=CLIENT_ID))["sub"] == "2482"


@pytest.mark.parametrize(
    ("lies", "words"),
    [
        ({"nonce": "another"}, "answers another sign-in"),
        ({"nonce": None}, "answers another sign-in"),
        ({"aud": "another"}, "meant for another program"),
        ({"aud": ["another"]}, "meant for another program"),
        ({"aud": [CLIENT_ID, "another"]}, "meant for another program"),
        ({"aud": [CLIENT_ID, "another"], "azp": "another"}, "meant for another program"),
        ({"aud": None}, "meant for another program"),
        ({"aud": 7}, "meant for another program"),
        ({"iss": "https://evil.example"}, "comes from another provider"),
        ({"iss": f"{ISSUER}/"}, "comes from another provider"),
        ({"iss": None}, "comes from another provider"),
        ({"exp": NOW - 60}, "its time is over"),
        ({"exp": None}, "its time is over"),
        ({"exp": "tomorrow"}, "its time is over"),
        ({"iat": NOW + 61}, "made in the future"),
        ({"nbf": NOW + 61}, "has not come"),
        ({"sub": None}, "of whom it speaks"),
        ({"sub": ""}, "of whom it speaks"),
        ({"sub": 7}, "of whom it speaks"),
        ({"sub": ["2482"]}, "of whom it speaks"),
        ({"sub": "24\x0082"}, "of whom it speaks"),
        ({"sub": "s" * 256}, "of whom it speaks"),
        ({"at_hash": "AAAA"}, "do not belong together"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_token_that_is_not_for_this_sign_in_is_not(lies: dict[str, Any], words: str) -> None:
    with pytest.raises(NotTrusted, match=words):
        believed(signed(**lies))


def test_clocks_may_be_a_minute_apart() -> None:
    assert believed(signed(exp=NOW - 59, iat=NOW + 60, nbf=NOW + 60))


def unsigned(algorithm: str = "none") -> str:
    parts = ({"alg": algorithm, "kid": "first"}, TRUTH)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."


def with_our_secret() -> str:
    shared = OctKey.import_key(CLIENT_SECRET * 2)
    return jwt.encode({"alg": "HS256", "kid": "first"}, TRUTH, shared, algorithms=["HS256"])


def with_the_public_key_as_a_secret() -> str:
    shared = OctKey.import_key(KEY.as_pem(private=False).replace(b"-----", b""))
    return jwt.encode({"alg": "HS256", "kid": "first"}, TRUTH, shared, algorithms=["HS256"])


def by_another() -> str:
    return jwt.encode({"alg": "ES256", "kid": "first"}, TRUTH, key("first"))


def by_another_whose_key_lies_within() -> str:
    brought = key("first")
    return jwt.encode({"alg": "ES256", "kid": "first", "jwk": brought.as_dict(private=False)}, TRUTH, brought)


def changed() -> str:
    head, _, signature = signed().split(".")
    body = base64.urlsafe_b64encode(json.dumps(TRUTH | {"sub": "1"}).encode()).rstrip(b"=").decode()
    return f"{head}.{body}.{signature}"


FORGED = {
    "none": unsigned,
    "none in capitals": lambda: unsigned("None"),
    "no signature": lambda: unsigned("ES256"),
    "with our secret": with_our_secret,
    "with the public key": with_the_public_key_as_a_secret,
    "by another": by_another,
    "a key within": by_another_whose_key_lies_within,
    "changed": changed,
    "nonsense": lambda: "a.b.c",
    "nothing": lambda: "",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_token_that_the_provider_did_not_sign_is_not(forge: Any) -> None:
    with pytest.raises(NotTrusted, match="signature does not hold"):
        believed(forge())


def test_a_token_in_an_algorithm_that_the_provider_does_not_use_is_not() -> None:
    with pytest.raises(NotTrusted, match="signature does not hold"):
        believed(signed(), Expected(ISSUER, CLIENT_ID, "the nonce", None, ("RS256",)))


def test_a_key_that_we_do_not_know_yet_is_asked_for() -> None:
    newer = key("second")
    with pytest.raises(UnknownKey):
        believed(jwt.encode({"alg": "ES256", "kid": "second"}, TRUTH, newer))
