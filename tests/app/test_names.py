"""Names from outside are values: none becomes SQL, a path or code (A-46, A-47)."""

from __future__ import annotations

import base64
import os
import pickle
from pathlib import Path
from urllib.parse import quote

import markupsafe
import pytest
from sqlalchemy import Connection, Engine, event, func, select

from app.routes import ROUTES
from tests import factories
from tests.app.conftest import Visitor
from tests.app.shell import Shell
from worker import NewJob, enqueue
from worker.errors import InvalidInput
from worker.model import Status
from worker.queries.claims import claim
from worker.queries.schema import platform_jobs

HOSTILE = [
    "a'; DROP SCHEMA control CASCADE;--",
    '"x"',
    "$1",
    ":x",
    "%s",
    "%(at_now)s",
    "../../etc/passwd",
    "pg_catalog",
]
PAGES = [route.path for route in ROUTES if route.method == "GET" and "{" not in route.path and route.path != "/live"]
NAMES = ("queue", "job_type", "status", "tenant", "q", "sort", "by", "span", "group", "cursor", "after", "at", "action")
PLACES = (
    "/jobs/{}",
    "/queues/{}/pause",
    "/queues/{}/resume",
    "/workers/{}",
    "/workers/{}/drain",
    "/tenants/{}/cancellations/new",
    "/static/1/{}",
    "/sign-in/link/{}",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_46_a_hostile_name_in_an_address_is_answered_and_changes_nothing(
    visitor: Visitor, conn: Connection, hostile: str
) -> None:
    factories.job(conn)
    reader = visitor("operator")
    asked = [f"{page}?{name}={quote(hostile)}" for page in PAGES for name in NAMES]
    asked += [place.format(quote(hostile, safe="")) for place in PLACES]
    codes = {address: reader.get(address).status_code for address in asked}
    assert {address: code for address, code in codes.items() if code >= 500} == {}
    assert conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one() == 1


@pytest.mark.parametrize("hostile", HOSTILE[:-1])
def test_a_46_a_queue_that_cannot_be_is_refused_before_any_sql(engine: Engine, hostile: str) -> None:
    statements: list[str] = []
    known = factories.job_types("work")
    with engine.connect() as conn:
        event.listen(conn, "before_cursor_execute", lambda *given: statements.append(given[2]))
        with pytest.raises(InvalidInput, match="queue"):
            enqueue(conn, known, NewJob("work", queue=hostile))
    assert statements == []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_46_the_command_takes_a_name_for_a_value(url: str, conn: Connection, hostile: str) -> None:
    shell = Shell(url)
    for words in (["jobs", "list", "--queue"], ["jobs", "list", "--type"], ["queues", "pause", "--reason", "x"]):
        assert shell(*words, hostile).exit_code in (0, 1, 2)
    assert conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one() == 0


class Dangerous:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._mark),)


def test_a_47_what_names_a_type_is_shown_and_handed_on_as_plain_text(
    visitor: Visitor, conn: Connection, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    celery = {"exc_type": "system", "exc_module": "os", "exc_message": f"touch {mark}"}
    pickled = base64.b64encode(pickle.dumps(Dangerous(mark))).decode()
    payload = {
        **celery,
        "py/object": "os.system",
        "pickle": pickled,
        "yaml": f"!!python/object/apply:os.mkdir [{mark}]",
    }
    error = str(celery)
    dead = factories.job(conn, status=Status.FAILED, payload=payload, error_detail=error, error_summary=error)
    assert str(markupsafe.escape(error)) in visitor("viewer").get(f"/jobs/{dead}").text
    factories.job(conn, payload=payload)
    job_types = ("render_report",)
    (job,) = claim(conn, instance_id="w", job_types=job_types, queues=None, after="", limit=1, lease_seconds=60)
    assert job.payload == payload
    assert not mark.exists()
