"""What is looked for, from a shell."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.app.shell import Shell
from worker.queries.pages.attention import KINDS
from worker.queries.samples import Sample, write


def test_each_kind_says_how_bad_it_is_and_how_often_it_was_told(url: str, conn: Connection) -> None:
    factories.job(conn)
    write(conn, Sample(findings={"behind": 500}))
    told = Shell(url).json("findings", WATCHFLOOR_FINDING_BEHIND_SECONDS="400")
    by_kind = {each["finding"]: each for each in told["findings"]}
    assert (list(by_kind), told["watched_seconds"]) == ([kind.name for kind in KINDS], 60)
    assert (by_kind["behind"]["fired"], by_kind["behind"]["limit"], by_kind["behind"]["told"]) == (1, 400, False)
    assert (by_kind["unserved"]["told"], by_kind["unserved"]["unit"]) == (True, "seconds")
    assert "unserved" in Shell(url).ok("findings")
