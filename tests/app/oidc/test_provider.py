"""Asking a provider: what it says of itself is checked, kept for a while, and never waited for for long."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from app.oidc import attempt as attempts
from app.oidc import opening
from app.oidc import provider as asking
from app.oidc.problems import NotTrusted, Unreachable
from app.oidc.provider import Provider
from app.settings import ConsoleSettings
from tests.factories import NOON
from tests.identity_provider import CLIENT_ID, CLIENT_SECRET, SUBJECT, IdentityProvider, key
from worker.errors import ConfigurationError


def settings(issuer: str, **given: Any) -> ConsoleSettings:
    known = {"url": "https://ops.example", "oidc_issuer": issuer, "oidc_client_id": CLIENT_ID}
    return ConsoleSettings.model_validate(
        known | {"oidc_client_secret": CLIENT_SECRET, "oidc_default_role": "viewer"} | given
    )


class Clock:
    """Stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def subject(asked: Provider, provider: IdentityProvider) -> str:
    """Of whom the provider speaks, at the end of a sign-in."""
    attempt = attempts.begun("/")
    query = parse_qs(urlsplit(provider.come_back(asked.address(attempt))).query)
    return str(asked.claims(attempt, query["code"][0], now=NOON.timestamp())["sub"])


def test_what_it_says_of_itself_is_asked_for_once_an_hour(provider: IdentityProvider) -> None:
    clock = Clock()
    asked = Provider(settings(provider.issuer), clock=clock)
    for clock.now in (0.0, 3599.0, 3601.0):
        assert subject(asked, provider) == SUBJECT
    assert provider.asked.count("/keys") == 2


def test_a_new_key_is_looked_for_but_not_by_every_stranger(provider: IdentityProvider) -> None:
    clock = Clock()
    asked = Provider(settings(provider.issuer), clock=clock)
    subject(asked, provider)
    provider.keys.append(key("second"))
    clock.now = 59.0
    with pytest.raises(NotTrusted, match="signature"):
        subject(asked, provider)
    clock.now = 61.0
    assert subject(asked, provider) == SUBJECT


@pytest.mark.parametrize(
    "says",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": "http://127.0.0.1/token"},
        {"jwks_uri": None},
        {"authorization_endpoint": 7},
    ],
    ids=str,
)
def test_one_that_describes_another_is_not_used(provider: IdentityProvider, says: dict[str, Any]) -> None:
    provider.says = says
    with pytest.raises(Unreachable):
        Provider(settings(provider.issuer)).address(attempts.begun("/"))


def test_one_whose_certificate_nobody_vouches_for_is_not_asked(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(Unreachable):
        Provider(settings(provider.issuer)).address(attempts.begun("/"))
    assert provider.asked == []


def test_one_that_does_not_answer_is_not_waited_for(
    provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "DEADLINE_SECONDS", 0.2)
    begun = time.monotonic()
    with provider.silence, pytest.raises(Unreachable):
        Provider(settings(provider.issuer)).address(attempts.begun("/"))
    assert time.monotonic() - begun < 5


def test_a_wrong_secret_is_said_to_be_one(provider: IdentityProvider) -> None:
    with pytest.raises(NotTrusted, match="does not know this console"):
        subject(Provider(settings(provider.issuer, oidc_client_secret="another")), provider)


def test_an_answer_without_a_token_is_none(provider: IdentityProvider) -> None:
    provider.sign = lambda claims: ""
    with pytest.raises(NotTrusted):
        subject(Provider(settings(provider.issuer)), provider)


def test_a_code_that_another_began_with_opens_nothing(provider: IdentityProvider) -> None:
    asked = Provider(settings(provider.issuer))
    query = parse_qs(urlsplit(provider.come_back(asked.address(attempts.begun("/")))).query)
    with pytest.raises(NotTrusted, match="the code was used"):
        asked.claims(attempts.begun("/"), query["code"][0], now=NOON.timestamp())


def test_a_check_asks_it_and_says_what_is_wrong(provider: IdentityProvider) -> None:
    assert opening.trial(settings(provider.issuer)) is None
    provider.status = 404
    assert opening.trial(settings(provider.issuer)) == "WATCHFLOOR_OIDC_ISSUER: it answered 404"


@pytest.mark.parametrize(("given", "words"), [({"url": None}, "WATCHFLOOR_URL"), ({}, "pip install")], ids=str)
def test_what_is_missing_is_named_at_start(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], words: str) -> None:
    monkeypatch.setattr(opening, "_PACKAGES", ("not_there",))
    with pytest.raises(ConfigurationError, match=words):
        opening.open_provider(settings("https://login.example", **given))


@pytest.mark.parametrize("odd", [{"kty": "AKP", "kid": "later"}, {"kty": "EC", "crv": "P-7"}, {}, None, 7], ids=str)
def test_a_key_of_a_kind_that_we_do_not_know_does_not_hide_the_others(provider: IdentityProvider, odd: Any) -> None:
    known = provider.answer

    def answer(path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        status, document = known(path, form, authorization)
        return status, {"keys": [odd, *document["keys"]]} if path == "/keys" else document

    provider.answer = answer  # type: ignore[method-assign] # a provider with more keys
    assert subject(Provider(settings(provider.issuer)), provider) == SUBJECT
