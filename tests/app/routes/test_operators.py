"""Operators: the list, letting somebody in, and what an admin may do to an account."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest
from httpx2 import Response
from sqlalchemy import Connection, Engine, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main
from app.routes.operator_access import LAST_ADMIN
from app.routes.operators import TAKEN
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import Visitor, browser, trail
from tests.app.mail import ORIGIN, mailing, mails, path_in
from tests.factories import NOON
from worker.queries.schema import operator_sessions, operators, platform_jobs, sign_in_links

ADDRESS = "robin.marker@example.org"


@pytest.fixture
def settings() -> ConsoleSettings:
    return mailing()


@pytest.fixture
def mute(console_rw: Engine, app_rw: Engine, swift: None) -> Starlette:
    """A console whose mail does not leave."""
    return main.create_app(ConsoleSettings.model_validate({}), engine=console_rw, work_engine=app_rw, now=NOON)


@pytest.fixture
def lee(visitor: Visitor) -> TestClient:
    """The browser of the only admin."""
    return visitor("admin", "lee")


def invite(client: TestClient, **fields: str) -> Response:
    return client.post("/operators", data={"name": "robin", "email": ADDRESS, "role": "operator", **fields})


def column(conn: Connection, name: str, of: str) -> Any:
    return conn.execute(select(operators.c[of]).where(operators.c.name == name)).scalar_one()


def page_of(conn: Connection, name: str) -> str:
    return f"/operators/{UUID(str(column(conn, name, 'id')))}"


def words(answer: Response) -> str:
    """The main part as it reads."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2]).split())


def test_an_admin_invites_by_mail_and_the_link_leads_where_the_setting_says(lee: TestClient, conn: Connection) -> None:
    answer = invite(lee)
    assert (answer.status_code, answer.headers["location"]) == (303, "/operators")
    [mail] = mails(conn)
    assert (mail.to, path_in(mail).startswith("/invitations/")) == (ADDRESS, True)
    assert [(row.actor, row.target, row.detail) for row in trail(conn, "operator-invite")] == [
        ("lee", "robin", {"role": "operator"})
    ]
    assert "robin invited operator" in words(lee.get("/operators"))


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        ({"status": "failed", "finished_at": NOON}, "The mail with the invitation could not be delivered."),
        ({"status": "cancelled", "finished_at": NOON}, "The mail with the invitation was cancelled, and not sent."),
        ({"status": "succeeded", "finished_at": NOON}, "The invitation was mailed"),
        ({}, "The invitation waits to be mailed"),
    ],
    ids=["dead", "cancelled", "sent", "waiting"],
)
def test_what_became_of_the_mail_is_said_on_the_account(
    lee: TestClient, conn: Connection, ended: dict[str, Any], says: str
) -> None:
    invite(lee)
    if ended:
        conn.execute(update(platform_jobs).values(**ended))
    answer = lee.get(page_of(conn, "robin"))
    job = conn.execute(select(platform_jobs.c.id)).scalar_one()
    assert says in words(answer)
    assert f'href="/jobs/{job}"' in answer.text
    assert "mail with" not in words(lee.get(page_of(conn, "lee")))


def test_of_mail_with_an_earlier_link_nothing_is_said(lee: TestClient, conn: Connection) -> None:
    invite(lee)
    conn.execute(update(platform_jobs).values(status="failed", finished_at=NOON))
    lee.post(f"{page_of(conn, 'robin')}/invitations")
    assert "The invitation waits to be mailed" in words(lee.get(page_of(conn, "robin")))


def test_whatever_host_a_request_names_the_link_does_not_follow(lee: TestClient, conn: Connection) -> None:
    lee.post("/operators", data={"name": "robin", "email": ADDRESS, "role": "viewer"}, headers={"Host": "127.0.0.1:1"})
    [mail] = mails(conn)
    assert "127.0.0.1" not in mail.body
    assert ORIGIN in mail.body


def test_without_keys_the_admin_sees_the_setting_and_the_link_once(
    mute: Starlette, lee: TestClient, conn: Connection
) -> None:
    client = browser(mute, "token of lee")
    assert "WATCHFLOOR_SECRET_KEYS is not set" in client.get("/operators/new").text
    answer = invite(client)
    found = re.search(r"http://127\.0\.0\.1:8000(/invitations/[\w-]+)", answer.text)
    assert found
    assert "It was not mailed. WATCHFLOOR_SECRET_KEYS is not set" in words(answer)
    assert conn.execute(select(platform_jobs.c.id)).all() == []
    assert found[1] not in client.get(page_of(conn, "robin")).text
    assert "Welcome, robin" in client.get(found[1]).text


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"name": ""}, "must be 1 to 100 printable characters"),
        *[
            ({"name": name}, "printable characters")
            for name in ("\u3164", "\u2800\u2800", "\u115f\u1160", "ro\uffa0bin")
        ],
        ({"name": "robin@example.org"}, "without a colon or an @"),
        ({"name": "LEE"}, TAKEN),
        ({"email": "not an address"}, "must be one address"),
        ({"email": "a@b.example\nBcc: c@d.example"}, "must be one address"),
        ({"role": "owner"}, "choose one of these"),
    ],
)
def test_what_cannot_be_an_account_adds_nothing(
    lee: TestClient, conn: Connection, fields: dict[str, str], says: str
) -> None:
    answer = invite(lee, **fields)
    assert (answer.status_code, says in answer.text) == (422, True)
    assert conn.execute(select(operators.c.name)).scalars().all() == ["lee"]
    assert trail(conn) == []


def test_an_address_that_is_taken_is_not_taken_twice(lee: TestClient, conn: Connection) -> None:
    invite(lee)
    assert TAKEN in invite(lee, name="kim", email=ADDRESS.upper()).text
    assert len(mails(conn)) == 1


def test_a_new_invitation_replaces_the_one_before(lee: TestClient, conn: Connection) -> None:
    invite(lee)
    assert lee.post(f"{page_of(conn, 'robin')}/invitations").status_code == 200
    first, second = (path_in(each) for each in mails(conn))
    assert (lee.get(first).status_code, lee.get(second).status_code) == (410, 200)
    conn.execute(update(operators).values(invited_at=None))
    assert lee.post(f"{page_of(conn, 'robin')}/invitations").status_code == 409


def test_an_admin_has_a_link_to_a_new_password_mailed(lee: TestClient, conn: Connection) -> None:
    factories.operator(conn, "dana", email="dana@example.org")
    answer = lee.post(f"{page_of(conn, 'dana')}/password-resets")
    [mail] = mails(conn)
    assert (mail.to, "/password-resets/" in mail.body) == ("dana@example.org", True)
    assert path_in(mail) not in answer.text
    assert [row.target for row in trail(conn, "password-link")] == ["dana"]


def test_somebody_without_an_address_gets_the_link_from_the_admin(lee: TestClient, conn: Connection) -> None:
    factories.operator(conn, "dana")
    answer = lee.post(f"{page_of(conn, 'dana')}/password-resets")
    assert "has no e-mail address" in answer.text
    assert f"{ORIGIN}/password-resets/" in answer.text


def test_disabling_ends_sessions_and_links_at_once(lee: TestClient, visitor: Visitor, conn: Connection) -> None:
    dana = visitor("operator", "dana")
    conn.execute(update(operators).where(operators.c.name == "dana").values(email="dana@example.org"))
    lee.post(f"{page_of(conn, 'dana')}/password-resets")
    assert "Disable dana" in lee.get(f"{page_of(conn, 'dana')}/disable").text
    answer = lee.post(f"{page_of(conn, 'dana')}/disable")
    assert answer.headers["location"] == page_of(conn, "dana")
    assert dana.get("/account").status_code == 303
    assert conn.execute(select(sign_in_links)).all() == []
    assert conn.execute(select(operator_sessions.c.operator_id)).scalars().all() == [column(conn, "lee", "id")]
    assert "disabled" in words(lee.get(page_of(conn, "dana")))
    lee.post(f"{page_of(conn, 'dana')}/enable")
    assert column(conn, "dana", "disabled_at") is None


def test_the_last_admin_is_told_so_and_stays(lee: TestClient, conn: Connection) -> None:
    mine = page_of(conn, "lee")
    for act, form in (("disable", {}), ("role", {"role": "viewer"})):
        answer = lee.post(f"{mine}/{act}", data=form)
        assert (answer.status_code, LAST_ADMIN in answer.text) == (422, True)
    assert (column(conn, "lee", "role"), column(conn, "lee", "disabled_at")) == ("admin", None)
    assert [row.outcome for row in trail(conn)] == ["refused", "refused"]


def test_a_new_role_takes_effect_at_once(lee: TestClient, visitor: Visitor, conn: Connection) -> None:
    dana = visitor("operator", "dana")
    lee.post(f"{page_of(conn, 'dana')}/role", data={"role": "admin"})
    assert dana.get("/account").status_code == 303
    assert column(conn, "dana", "role") == "admin"


def test_the_page_says_who_did_what_to_the_account(lee: TestClient, visitor: Visitor, conn: Connection) -> None:
    visitor("operator", "dana")
    where = page_of(conn, "dana")
    assert "Nothing yet" in words(lee.get(where))
    lee.post(f"{where}/role", data={"role": "viewer"})
    lee.post(f"{where}/disable")
    said = words(lee.get(where))
    assert re.search(r"What was done .*lee disabled dana .*lee set the role of dana: viewer", said)


def test_an_admin_signs_somebody_out_everywhere(lee: TestClient, visitor: Visitor, conn: Connection) -> None:
    dana = visitor("operator", "dana")
    assert "tests 127.0.0.1" in words(lee.get(page_of(conn, "dana")))
    lee.post(f"{page_of(conn, 'dana')}/sign-out")
    assert dana.get("/account").status_code == 303
    assert "No browser is signed in as dana now." in words(lee.get(page_of(conn, "dana")))


def test_an_address_is_changed_unless_it_is_somebodys(lee: TestClient, conn: Connection) -> None:
    factories.operator(conn, "dana", email="dana@example.org")
    factories.operator(conn, "eve")
    assert lee.post(f"{page_of(conn, 'eve')}/address", data={"email": "eve@example.org"}).status_code == 303
    for text, says in (("DANA@example.org", "Somebody else takes mail"), ("nonsense", "must be one address")):
        answer = lee.post(f"{page_of(conn, 'eve')}/address", data={"email": text})
        assert (answer.status_code, says in answer.text) == (422, True)
    assert column(conn, "eve", "email") == "eve@example.org"
    assert lee.post(f"{page_of(conn, 'eve')}/address", data={"email": ""}).status_code == 303
    assert column(conn, "eve", "email") is None


def test_addresses_are_shown_to_admins_alone_and_never_in_the_trail(
    lee: TestClient, visitor: Visitor, conn: Connection
) -> None:
    invite(lee)
    assert ADDRESS in lee.get("/operators").text
    for path in ("/", "/jobs", "/audit", "/account", "/workers"):
        assert "marker" not in lee.get(path).text
    assert visitor("operator", "dana").get("/operators").status_code == 403


def test_an_act_answers_with_the_account_as_it_is_now(lee: TestClient, conn: Connection) -> None:
    factories.operator(conn, "dana", disabled_at=NOON)
    page = page_of(conn, "dana")
    over = {"HX-Request": "true", "HX-Target": "div#account", "HX-Current-URL": f"http://localhost{page}"}
    answer = lee.post(f"{page}/enable", headers=over, follow_redirects=True)
    assert answer.text.lstrip().startswith('<div class="stack" id="account"')
    assert "active" in answer.text


def test_many_operators_are_paged_by_name(lee: TestClient, conn: Connection) -> None:
    for number in range(60):
        factories.operator(conn, f"Op {number:02}")
    first = lee.get("/operators").text
    assert "Op 49" not in first
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older
    second = lee.get(older[1].replace("&amp;", "&")).text
    assert ("Op 59" in second, "Op 48" in second) == (True, False)


def test_nobody_of_that_id_is_not_found(lee: TestClient) -> None:
    path = f"/operators/{UUID(int=7)}"
    assert lee.get(path).status_code == 404
    assert {lee.post(f"{path}/{act}").status_code for act in ("enable", "disable", "role", "sign-out")} == {404}
