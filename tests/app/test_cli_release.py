"""Telling of a release from a shell."""

from __future__ import annotations

from sqlalchemy import Connection, select

from tests.app.shell import Shell
from worker.queries.schema import operator_actions, releases


def test_a_release_is_told_once_and_in_the_trail(url: str, conn: Connection) -> None:
    shell = Shell(url)
    first = shell.json("release", "2026.48", "--component", "mailer", "--at", "2026-11-29T12:00Z")
    assert (first["component"], first["at"], first["created"]) == ("mailer", "2026-11-29T12:00:00+00:00", True)
    assert "is the newest already" in shell.ok("release", "2026.48", "--component", "mailer")
    assert len(conn.execute(select(releases)).all()) == 1
    assert conn.execute(select(operator_actions.c.action)).scalars().all() == ["release"]


def test_a_time_without_its_zone_is_wrong_usage(url: str) -> None:
    for given in ("2026-11-29T12:00", "yesterday"):
        answer = Shell(url)("release", "v2", "--at", given)
        assert (answer.exit_code, "--at" in answer.stderr) == (2, True)
