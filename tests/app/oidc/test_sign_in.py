"""Signing in at a provider: the accounts of those who come, and what is said to those who cannot."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from httpx2 import Response
from sqlalchemy import Connection, Engine, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main
from app.entrance import TRIES_PER_ADDRESS
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import browser, trail
from tests.factories import NOON
from tests.identity_provider import CLIENT_ID, CLIENT_SECRET, SUBJECT, IdentityProvider
from worker.queries.schema import operator_identities, operator_sessions, operators, rate_counters

ROLES = "oncall=operator, platform-admins=admin"


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, swift: None, provider: IdentityProvider) -> Starlette:
    return console(console_rw, app_rw, provider)


def console(pages: Engine, work: Engine, provider: IdentityProvider, **settings: Any) -> Starlette:
    """The console at noon, at which the provider's people come in."""
    given = {
        "url": "http://localhost",
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "oidc_roles": ROLES,
    }
    known = ConsoleSettings.model_validate(given | settings)
    return main.create_app(known, engine=pages, work_engine=work, now=NOON)


def begin(client: TestClient, following: str = "/") -> str:
    """The provider's address, to which the browser is sent."""
    return client.get("/sign-in/oidc", params={"next": following}).headers["location"]


def come(client: TestClient, provider: IdentityProvider, following: str = "/") -> Response:
    """Sign in at the provider, and come back."""
    return client.get(provider.come_back(begin(client, following)))


def everybody(conn: Connection) -> list[tuple[str, str]]:
    rows = conn.execute(select(operators.c.name, operators.c.role).order_by(operators.c.name)).all()
    return [(row.name, row.role) for row in rows]


def refused(conn: Connection, answer: Response, words: str, status: int = 422) -> None:
    """Nobody came in, the page says why, and so does the trail, without a name."""
    assert (answer.status_code, words in answer.text) == (status, True), answer.text
    assert conn.execute(select(operator_sessions)).all() == []
    row = trail(conn, "sign-in")[-1]
    assert (row.actor, row.outcome, row.target) == ("nobody", "refused", None)


def test_who_comes_for_the_first_time_gets_an_account_with_the_role_of_their_group(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    assert 'href="/sign-in/oidc?next=/queues"' in client.get("/sign-in?next=/queues").text
    entered = come(client, provider, "/queues")
    assert (entered.status_code, entered.headers["location"]) == (303, "/queues")
    assert "dana" in client.get("/account").text
    assert everybody(conn) == [("dana", "operator")]
    assert [(row.action, row.actor, row.target) for row in trail(conn)] == [
        ("operator-add", "oidc:127.0.0.1", "dana"),
        ("operator-identity", "oidc:127.0.0.1", "dana"),
        ("sign-in", "dana", "dana"),
    ]
    assert not any("floor.example" in str(row) for row in trail(conn))


def test_the_provider_is_asked_with_a_challenge_and_two_secrets_that_are_new_each_time(
    client: TestClient, provider: IdentityProvider
) -> None:
    asked = [parse_qs(urlsplit(begin(client)).query) for _ in range(2)]
    assert asked[0]["redirect_uri"] == ["http://localhost/sign-in/oidc/callback"]
    assert asked[0]["scope"] == ["openid profile email"]
    for name in ("state", "nonce", "code_challenge"):
        assert asked[0][name] != asked[1][name]
        assert len(asked[0][name][0]) >= 43


def test_who_comes_again_is_the_same_whatever_they_are_called_now(
    client: TestClient, app: Starlette, provider: IdentityProvider, conn: Connection
) -> None:
    come(client, provider)
    provider.person |= {"preferred_username": "renamed", "email": "other@floor.example"}
    come(browser(app), provider)
    assert everybody(conn) == [("dana", "operator")]


def test_the_role_follows_the_provider_at_each_sign_in(
    client: TestClient, app: Starlette, provider: IdentityProvider, conn: Connection
) -> None:
    factories.operator(conn, "lee", "admin", last_seen_at=factories.NOON)
    roles = []
    for groups in (["oncall"], ["oncall", "platform-admins"], ["oncall"]):
        provider.person["groups"] = groups
        come(browser(app), provider)
        roles.append(dict(everybody(conn))["dana"])
    assert roles == ["operator", "admin", "operator"]
    assert [row.actor for row in trail(conn, "operator-role")] == ["oidc:127.0.0.1"] * 2


def test_the_last_admin_stays_one_whatever_the_provider_says(
    app: Starlette, provider: IdentityProvider, conn: Connection
) -> None:
    for groups in (["platform-admins"], ["oncall"]):
        provider.person["groups"] = groups
        assert come(browser(app), provider).status_code == 303
    assert everybody(conn) == [("dana", "admin")]
    assert trail(conn, "operator-role")[-1].outcome == "refused"


def test_who_has_no_group_here_stays_out(client: TestClient, provider: IdentityProvider, conn: Connection) -> None:
    for groups in (["everyone"], [], None, "on", {"oncall": 1}, [["oncall"]]):
        provider.person["groups"] = groups
        refused(conn, come(client, provider), "has no role here", 403)
    assert everybody(conn) == []


def test_a_disabled_account_stays_out_under_its_subject_and_under_its_name(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    come(client, provider)
    conn.execute(operator_sessions.delete())
    conn.execute(update(operators).values(disabled_at=NOON))
    refused(conn, come(client, provider), "is disabled", 403)
    provider.person["sub"] = "another subject"
    refused(conn, come(client, provider), "is disabled", 403)
    assert everybody(conn) == [("dana", "operator")]


def test_a_name_alone_opens_nobodys_account(client: TestClient, provider: IdentityProvider, conn: Connection) -> None:
    local = factories.operator(conn, "Dana", "admin")
    come(client, provider)
    assert everybody(conn) == [("Dana", "admin"), ("dana 2", "operator")]
    assert conn.execute(select(operator_identities.c.operator_id)).scalar_one() != local


def test_an_invited_operator_is_found_by_an_address_that_the_provider_has_checked(
    client: TestClient, app: Starlette, provider: IdentityProvider, conn: Connection
) -> None:
    invited = factories.operator(conn, "Dana of the night", "operator", email="Dana@Floor.example", invited_at=NOON)
    provider.person["email_verified"] = False
    come(browser(app), provider)
    assert len(everybody(conn)) == 2
    provider.person |= {"email_verified": True, "sub": "2"}
    come(client, provider)
    assert len(everybody(conn)) == 2
    owner = conn.execute(select(operator_identities.c.operator_id).where(operator_identities.c.subject == "2"))
    assert owner.scalar_one() == invited
    joined = conn.execute(select(operators.c.invited_at).where(operators.c.id == invited))
    assert joined.scalar_one() is None


@pytest.mark.parametrize("lies", [{"nonce": "another"}, {"aud": "another"}], ids=["nonce", "audience"])
def test_a_token_that_is_not_for_this_sign_in_lets_nobody_in(
    client: TestClient, provider: IdentityProvider, conn: Connection, lies: dict[str, Any]
) -> None:
    provider.lies = lies
    refused(conn, come(client, provider), "cannot be trusted")
    assert everybody(conn) == []


def test_a_state_of_another_browser_or_none_is_refused_before_the_provider_is_asked(
    client: TestClient, app: Starlette, provider: IdentityProvider, conn: Connection
) -> None:
    mine, victim = provider.come_back(begin(client)), browser(app)
    refused(conn, victim.get(mine), "begun elsewhere", 403)
    begin(victim)
    refused(conn, victim.get(mine), "begun elsewhere", 403)
    refused(conn, victim.get("/sign-in/oidc/callback?code=x"), "begun elsewhere", 403)
    victim.cookies.set("watchfloor-oidc", "nonsense", domain="localhost.local")
    refused(conn, victim.get(mine), "begun elsewhere", 403)
    assert "/token" not in provider.asked


def test_an_answer_is_of_use_once(client: TestClient, provider: IdentityProvider, conn: Connection) -> None:
    address = provider.come_back(begin(client))
    assert client.get(address).status_code == 303
    conn.execute(operator_sessions.delete())
    refused(conn, client.get(address), "begun elsewhere", 403)


def test_a_code_that_was_used_by_somebody_else_is_refused_without_the_providers_own_words(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    address = provider.come_back(begin(client))
    provider.codes.clear()
    answer = client.get(address)
    refused(conn, answer, "the code was used")
    assert "alert(1)" not in answer.text


def test_who_is_turned_away_at_the_provider_reads_so(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    state = parse_qs(urlsplit(begin(client)).query)["state"][0]
    query = {"error": "access_denied", "error_description": "<b>no</b>", "state": state}
    answer = client.get("/sign-in/oidc/callback", params=query)
    refused(conn, answer, "did not let you in", 403)
    assert "<b>no</b>" not in answer.text


def test_an_answer_in_another_issuers_name_is_refused(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    address = provider.come_back(begin(client)).replace("iss=https", "iss=http")
    refused(conn, client.get(address), "another provider")
    assert "/token" not in provider.asked


def test_a_provider_that_fails_leaves_the_password_and_is_asked_again(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    provider.status = 500
    answer = client.get("/sign-in/oidc")
    refused(conn, answer, "cannot be reached now", 503)
    assert 'name="password"' in answer.text
    assert trail(conn, "sign-in")[-1].reason == "Provider: it answered 500."
    provider.status = 200
    assert come(client, provider).status_code == 303


def test_without_a_provider_there_is_no_such_way(
    console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None
) -> None:
    client = browser(main.create_app(settings, engine=console_rw, work_engine=app_rw, now=NOON))
    assert client.get("/sign-in/oidc").status_code == 404
    assert "/sign-in/oidc" not in client.get("/sign-in").text


def test_the_way_in_leads_to_no_other_place_than_a_page_of_ours(client: TestClient, provider: IdentityProvider) -> None:
    assert come(client, provider, "//evil.example").headers["location"] == "/"


def test_the_subject_and_not_the_session_is_what_is_kept(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    come(client, provider)
    [row] = conn.execute(select(operator_identities)).all()
    assert (row.issuer, row.subject) == (provider.issuer, SUBJECT)


@pytest.mark.parametrize(
    "odd",
    [
        "{}",
        "[]",
        "7",
        '{"state": 1, "nonce": "n", "verifier": "v", "following": "/"}',
        "[" * 9000,
        '{"state": "\\ud800", "nonce": "n", "verifier": "v", "following": "/"}',
        '{"state": "s", "nonce": "n", "verifier": "\\u0000", "following": "/"}',
    ],
    ids=lambda text: text[:12],
)
def test_a_cookie_that_is_none_of_ours_begins_nothing(client: TestClient, conn: Connection, odd: str) -> None:
    client.cookies.set("watchfloor-oidc", base64.urlsafe_b64encode(odd.encode()).decode(), domain="localhost.local")
    refused(conn, client.get("/sign-in/oidc/callback?code=c&state=s"), "begun elsewhere", 403)


@pytest.mark.parametrize("email", ["dana@floor.example\x00", "d@" * 9000], ids=["nul", "long"])
def test_an_address_that_cannot_be_is_passed_over(client: TestClient, provider: IdentityProvider, email: str) -> None:
    provider.person["email"] = email
    assert come(client, provider).status_code == 303


def test_a_stranger_cannot_have_the_provider_asked_without_end(
    client: TestClient, provider: IdentityProvider, conn: Connection
) -> None:
    begin(client)
    minute = {"minute": NOON.replace(second=0, microsecond=0)}
    conn.execute(rate_counters.insert().values(key="sign-in from testclient", uses=TRIES_PER_ADDRESS, **minute))
    asked = len(provider.asked)
    answers = [come(client, provider).status_code for _ in range(2)]
    assert (answers, len(provider.asked)) == ([429, 429], asked)
    assert [row.outcome for row in trail(conn, "sign-in")] == ["refused"]
