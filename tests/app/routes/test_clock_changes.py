"""Times on pages carry their zone, wherever the console runs."""

from __future__ import annotations

import re
import time

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from worker.model import Status


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
def test_a_49_every_time_on_a_page_says_its_zone(
    visitor: Visitor, conn: Connection, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    job = factories.job(conn, status=Status.FAILED)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        page = visitor().get(f"/jobs/{job}").text
    time.tzset()
    times = re.findall(r'datetime="([^"]*)"', page)
    assert "2026-11-29T12:00:00+00:00" in times
    assert [each for each in times if not each.endswith("+00:00")] == []
    assert 'data-now="2026-11-29T12:00:00+00:00"' in page
