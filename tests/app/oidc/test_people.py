"""Who somebody is by a provider's claims."""

from __future__ import annotations

from typing import Any

import pytest

from app.oidc.people import person
from app.oidc.problems import NotAdmitted
from app.oidc.settings import OidcSettings
from tests.identity_provider import DANA

ISSUER = {"iss": "https://login.example"}


def settings(**given: Any) -> OidcSettings:
    known = {"oidc_issuer": ISSUER["iss"], "oidc_client_id": "x", "oidc_roles": "oncall=operator, a=b=admin"}
    return OidcSettings.model_validate(known | given)


def role(claims: dict[str, Any], **given: Any) -> str:
    return person(DANA | ISSUER | claims, settings(**given)).role


def name(**claims: Any) -> str:
    unnamed = {"preferred_username": None, "name": None}
    return person(DANA | ISSUER | unnamed | claims, settings()).name


def test_the_highest_role_of_all_groups_counts() -> None:
    assert role({"groups": ["oncall", "a=b", "other"]}) == "admin"
    assert role({"groups": "oncall"}) == "operator"


@pytest.mark.parametrize("groups", [["everyone"], [], None, "on", {"oncall": 1}, [["oncall"]], ["ONCALL"], 7], ids=str)
def test_who_has_none_of_the_groups_stays_out_or_gets_what_all_get(groups: Any) -> None:
    with pytest.raises(NotAdmitted, match="no role here"):
        role({"groups": groups})
    assert role({"groups": groups}, oidc_default_role="viewer") == "viewer"


def test_a_claim_may_lie_within_another_or_have_dots_in_its_name() -> None:
    assert role({"realm": {"roles": ["oncall"]}}, oidc_role_claim="realm.roles") == "operator"
    assert role({"https://x.example/roles": ["oncall"]}, oidc_role_claim="https://x.example/roles") == "operator"
    with pytest.raises(NotAdmitted):
        role({"realm": ["oncall"]}, oidc_role_claim="realm.roles")


@pytest.mark.parametrize(
    ("claims", "called"),
    [
        ({"preferred_username": "dana"}, "dana"),
        ({"preferred_username": "dana@floor.example", "name": "Dana D."}, "dana"),
        ({"name": "Dana D."}, "Dana D."),
        ({"email": "d.d@floor.example"}, "d.d"),
        ({"preferred_username": "cli:root"}, "cli root"),
        ({"preferred_username": " \x1b[2J\n ", "name": "Dana"}, "\ufffd[2J"),
        ({"preferred_username": 7, "email": None, "sub": "12345678901"}, "operator 12345678"),
        ({"preferred_username": "@", "email": None}, "operator 24828976"),
        ({"name": "d" * 500}, "d" * 77 + "..."),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_name_is_what_colleagues_say_and_never_an_address(claims: dict[str, Any], called: str) -> None:
    assert name(**claims) == called


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "dana@floor.example.evil.example"},
        {"email": "dana@evil-floor.example"},
        {"email": "dana@floor.example@evil.example"},
        {"email": "floor.example"},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email": None},
        {"email": ["dana@floor.example"]},
    ],
    ids=str,
)
def test_only_checked_addresses_of_the_named_domains_come_in(claims: dict[str, Any]) -> None:
    with pytest.raises(NotAdmitted, match="Only addresses of this organisation"):
        role(claims, oidc_domains="floor.example")


def test_a_domain_is_a_domain_in_whatever_case() -> None:
    assert role({"email": "dana@FLOOR.example"}, oidc_domains="other.example, Floor.Example") == "operator"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"oidc_issuer": "http://login.example"}, "https"),
        ({"oidc_issuer": "https://login.example/?tenant=1"}, "without a query"),
        ({"oidc_client_id": None}, "OIDC_CLIENT_ID"),
        ({"oidc_roles": None}, "OIDC_DEFAULT_ROLE"),
        ({"oidc_roles": "oncall"}, "oncall=operator"),
        ({"oidc_roles": "oncall=root"}, "viewer"),
        ({"oidc_scopes": "profile"}, "openid"),
    ],
    ids=str,
)
def test_settings_that_let_nobody_in_or_everybody_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        settings(**given)


@pytest.mark.parametrize(
    ("sub", "called"),
    [
        ("urn:example:7", "operator urn exam"),
        ("dana@floor.example", "operator dana"),
        ("\x1b[2J\n", "operator \ufffd[2J"),
        (":::::", "operator"),
    ],
)
def test_a_subject_that_has_to_do_for_a_name_is_cleaned_like_one(sub: str, called: str) -> None:
    assert name(sub=sub, email=None) == called


@pytest.mark.parametrize("taken", ["nobody", "Nobody", "watchfloor", " NOBODY "])
def test_nobody_is_called_what_the_trail_says_when_it_was_no_operator(taken: str) -> None:
    assert name(preferred_username=taken, name="Dana D.", email=None) == "Dana D."
    assert name(preferred_username=taken, name=None, email=None) == "operator 24828976"


@pytest.mark.parametrize("email", ["dana@floor.example\x00", "dana@x@floor.example", "da na@floor.example", "@", "d@"])
def test_what_is_no_address_is_nobodys(email: str) -> None:
    assert person(DANA | ISSUER | {"email": email}, settings()).email is None
