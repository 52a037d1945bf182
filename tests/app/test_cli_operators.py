"""Accounts from a shell."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, select

from tests import factories
from tests.app.conftest import Visitor, browser
from tests.app.shell import Shell
from tests.post import KEY
from worker.queries import recovery_codes, schema, second_factors
from worker.queries.audit import SYSTEM

TRAIL = select(schema.operator_actions).order_by(schema.operator_actions.c.id)


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_an_operator_is_added_with_a_link_that_the_console_knows(shell: Shell, conn: Connection, app: object) -> None:
    added = shell.json("operators", "add", "dana", "--role", "viewer", "--url", "https://ops.example.org")
    assert added["link"].startswith("https://ops.example.org/sign-in/link/")
    page = browser(app).get(added["link"].removeprefix("https://ops.example.org"))  # type: ignore[arg-type]
    assert page.status_code == 200
    assert "dana" in page.text
    assert [(each.action, each.target) for each in conn.execute(TRAIL)] == [("operator-add", "dana")]


def test_a_link_points_at_host_and_port(shell: Shell) -> None:
    links = [
        shell.json("operators", "add", name, **environment)["link"]
        for name, environment in {
            "a": {},
            "b": {"HOST": "::", "PORT": "9000"},
            "c": {"HOST": "::1"},
        }.items()
    ]
    assert [link.partition("/sign-in")[0] for link in links] == [
        "http://127.0.0.1:8000",
        "http://localhost:9000",
        "http://[::1]:8000",
    ]


def test_a_name_is_taken_in_whatever_case(shell: Shell) -> None:
    shell.ok("operators", "add", "dana")
    assert "Dana" in shell.refused("operators", "add", "Dana", code=1)


@pytest.mark.parametrize(
    "name", ["", "  ", "cli:root", "dana@example.org", "x\x1b[2J", "a" * 101, "Nobody", "watchfloor"]
)
def test_a_name_that_could_be_mistaken_is_refused(shell: Shell, name: str) -> None:
    assert "name" in shell.refused("operators", "add", name, code=2)


def test_operators_are_listed_without_their_secrets(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "dana", "admin", password="$argon2id$secret")
    (dana,) = shell.json("operators", "list")
    assert (dana["name"], dana["role"], dana["disabled_at"]) == ("dana", "admin", None)
    assert "argon2" not in str(dana)
    assert "dana" in shell.ok("operators", "list")


def test_a_disabled_operator_gets_no_link(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "dana")
    assert shell.json("operators", "disable", "DANA", "--yes")["changed"] is True
    assert shell.json("operators", "disable", "dana", "--yes")["changed"] is False
    assert "disabled" in shell.refused("operators", "link", "dana", code=1)


def test_a_new_link_is_in_the_trail(shell: Shell, conn: Connection, visitor: Visitor) -> None:
    factories.operator(conn, "dana")
    assert "/sign-in/link/" in shell.ok("operators", "link", "dana", "--hours", "1")
    action = conn.execute(TRAIL).one()
    assert (action.action, action.target) == ("sign-in-link", "dana")


@pytest.mark.parametrize("verb", ["disable", "link"])
def test_nobody_of_that_name_is_said_so(shell: Shell, verb: str) -> None:
    options = ("--yes",) if verb == "disable" else ()
    assert "nobody" in shell.refused("operators", verb, "ghost", *options, code=1)


def test_nobody_is_disabled_without_a_yes(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "dana")
    shell.refused("operators", "disable", "dana", code=2)
    assert conn.execute(select(schema.operators.c.disabled_at)).scalar() is None


def test_a_second_factor_that_was_lost_is_reset(shell: Shell, conn: Connection) -> None:
    operator_id = factories.operator(conn, "dana")
    second_factors.add(conn, operator_id=operator_id, secret="sealed", step=1, keep_session="", actor=SYSTEM)
    recovery_codes.replace(conn, operator_id=operator_id, hashes=["hashed"])
    answers = [shell.json("operators", "reset-second-factor", "Dana", "--yes")["changed"] for _ in range(2)]
    assert answers == [True, False]
    assert recovery_codes.left(conn, operator_id=operator_id) == 0
    assert [row.target for row in conn.execute(TRAIL) if row.action == "second-factor-reset"] == ["dana"]


MAIL = {"WATCHFLOOR_SECRET_KEYS": KEY, "WATCHFLOOR_MAIL_URI": "memory://", "WATCHFLOOR_URL": "https://ops.example.org"}


def test_an_invitation_is_mailed_and_its_link_not_printed(shell: Shell, conn: Connection) -> None:
    made = shell.json("operators", "invite", "robin", "robin@example.org", "--role", "viewer", **MAIL)
    assert (made["name"], made["role"], made["link"], made["why"]) == ("robin", "viewer", None, None)
    assert str(conn.execute(select(schema.platform_jobs.c.id)).scalar_one()) == made["job_id"]
    assert [(each["state"], each["email"]) for each in shell.json("operators", "list")] == [
        ("invited", "robin@example.org")
    ]
    assert "already" in shell.refused("operators", "invite", "kim", "ROBIN@example.org", code=1)


def test_where_no_mail_leaves_the_invitation_is_printed_with_the_setting_that_is_missing(shell: Shell) -> None:
    made = shell.json("operators", "invite", "robin", "robin@example.org", WATCHFLOOR_URL="https://ops.example.org")
    assert made["link"].startswith("https://ops.example.org/invitations/")
    assert "WATCHFLOOR_SECRET_KEYS" in made["why"]
    assert "no e-mail address" in shell.ok("operators", "invite", "kim")


def test_the_last_admin_is_neither_disabled_nor_given_another_role(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "lee", "admin")
    factories.operator(conn, "kim", "admin", invited_at=factories.NOON)
    assert "admin" in shell.refused("operators", "disable", "lee", "--yes", code=1)
    assert "admin" in shell.refused("operators", "role", "lee", "viewer", code=1)
    assert [(each.action, each.outcome) for each in conn.execute(TRAIL)] == [
        ("operator-disable", "refused"),
        ("operator-role", "refused"),
    ]
    factories.operator(conn, "dana", "admin", last_seen_at=factories.NOON)
    assert shell.json("operators", "role", "lee", "viewer")["changed"] is True
    assert shell.json("operators", "role", "lee", "viewer")["changed"] is False


def test_a_disabled_operator_is_let_in_again_and_signed_out_everywhere(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "dana", disabled_at=factories.NOON)
    assert shell.json("operators", "enable", "dana")["changed"] is True
    assert shell.json("operators", "enable", "dana")["changed"] is False
    assert shell.json("operators", "sign-out", "dana")["sessions"] == 0


def test_an_address_is_kept_once_and_what_is_none_is_not_repeated(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "dana")
    factories.operator(conn, "lee", email="lee@example.org")
    assert shell.json("operators", "address", "dana", "dana@example.org")["changed"] is True
    assert "takes mail" in shell.refused("operators", "address", "dana", "Lee@example.org", code=1)
    assert "marker" not in shell.refused("operators", "address", "dana", "marker at example", code=2)
    assert [each.detail for each in conn.execute(TRAIL)] == [{}]
