"""The limits: each with how often it would have been reached, and others to try, which changes nothing."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.factories import NOON
from worker.queries.pages.attention import KINDS
from worker.queries.samples import Sample, write


def row(text: str, kind: str) -> list[str]:
    found = re.search(rf'<tr id="finding-{kind}[^"]*">(.*?)</tr>', text, re.DOTALL)
    assert found
    cells = re.findall(r"<td.*?</td>", found[1].replace("<wbr>", ""), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in cells]


def seen(conn: Connection, *values: float, kind: str = "behind") -> None:
    for place, value in enumerate(reversed(values)):
        write(conn, Sample(findings={kind: value}), now=NOON - timedelta(minutes=10 * place))


def test_each_kind_shows_its_setting_its_limit_and_how_often_it_would_have_fired(
    visitor: Visitor, conn: Connection
) -> None:
    seen(conn, 130, 90, 500)
    text = visitor("viewer").get("/findings").text
    assert row(text, "behind") == [
        "A queue that falls behind WATCHFLOOR_FINDING_BEHIND_SECONDS", "–", "2 min", "2 times", "", "–",
    ]  # fmt: skip
    assert all(kind.title in text for kind in KINDS)
    assert "Told from 3 min of samples" in text


def test_another_limit_can_be_tried(visitor: Visitor, conn: Connection) -> None:
    seen(conn, 130, 90, 500)
    text = visitor("viewer").get("/findings?behind=60&still=&late=0.5").text
    assert (row(text, "behind")[3], row(text, "behind")[5]) == ("2 times", "3 times")
    assert (row(text, "late")[5], row(text, "still")[5]) == ("never", "–")
    assert 'value="60"' in text


def test_what_is_wrong_now_is_shown_beside_its_limit(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["other"])
    factories.job(conn, available_at=NOON - timedelta(minutes=7))
    text = visitor("viewer").get("/findings").text
    assert row(text, "unserved")[1:3] == ["7 min", "30 s"]
    assert "There are no samples yet" in text


@pytest.mark.parametrize("given", ["nan", "-1", "0", "inf", "much", "1e999"])
def test_what_is_no_limit_is_refused_by_the_name_of_its_kind(visitor: Visitor, given: str) -> None:
    page = visitor("viewer").get(f"/findings?behind={given}")
    assert page.status_code == 400
    assert "behind: must be a number above 0" in page.text


def test_the_limits_are_live_with_what_is_tried_in_their_address(visitor: Visitor, conn: Connection) -> None:
    seen(conn, 130)
    live = {"HX-Request": "true", "HX-Target": "form#limits"}
    region = visitor("viewer").get("/findings?behind=100", headers=live).text
    assert region.lstrip().startswith("<form")
    assert 'hx-get="/findings?behind=100"' in region
    assert row(region, "behind")[-1] == "once"
