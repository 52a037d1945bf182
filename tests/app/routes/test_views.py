"""Saved views: one's own, those of others that are shared, and what each may do to them."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.worker.queries.test_account_races import Act, meanwhile
from worker.errors import InvalidInput
from worker.queries import saved_views
from worker.queries.audit import Actor
from worker.queries.operators import Operator


def test_a_list_is_kept_by_name_with_its_search_and_its_order(visitor: Visitor, conn: Connection) -> None:
    client = visitor("viewer")
    query = "queue=mail&error=not+found&sort=ended&status=failed&before=x&page=3"
    form = client.get(f"/jobs/views/new?{query}").text
    kept = re.search(r'name="query" value="([^"]*)"', form)
    assert kept
    stored = kept[1].replace("&amp;", "&")
    answer = client.post("/jobs/views", data={"query": stored, "name": " My mails ", "shared": "1"})
    assert (
        answer.headers["location"] == f"/jobs?{stored}" == "/jobs?status=failed&queue=mail&sort=ended&error=not+found"
    )
    text = client.get("/jobs").text
    assert ">My mails</a>" in text
    assert 'href="/jobs?status=failed&amp;queue=mail&amp;sort=ended&amp;error=not+found"' in text
    (row,) = trail(conn, "view-save")
    assert (row.target, row.detail["shared"]) == ("My mails", False)


def test_others_see_what_is_shared_and_only_an_admin_deletes_it(visitor: Visitor, conn: Connection) -> None:
    owner = visitor("operator", name="mira")
    owner.post("/jobs/views", data={"query": "queue=mail", "name": "Mail", "shared": "1"})
    owner.post("/jobs/views", data={"query": "", "name": "Secret"})
    viewer, admin = visitor("viewer"), visitor("admin")
    text = viewer.get("/jobs").text
    assert "Mail</a> <span" in re.sub(r"\s+", " ", text)
    assert "shared by mira" in plain(text)
    assert "Secret" not in text
    view = re.search(r"/jobs/views/([0-9a-f-]+)/deletions", admin.get("/jobs").text)
    assert view
    assert viewer.post(f"/jobs/views/{view[1]}/deletions").status_code == 404
    assert admin.post(f"/jobs/views/{view[1]}/deletions").status_code == 303
    assert "Mail</a>" not in owner.get("/jobs").text
    assert [row.target for row in trail(conn, "view-delete")] == ["Mail"]


def test_a_name_is_used_once_and_said_to_be(visitor: Visitor) -> None:
    client = visitor()
    assert client.post("/jobs/views", data={"query": "queue=a", "name": "A"}).status_code == 303
    for name, problem in (("A", "Is one of your views already."), (" ", "Say what to call it."), ("x" * 81, "longer")):
        answer = client.post("/jobs/views", data={"query": "queue=b", "name": name})
        assert answer.status_code == 422
        assert problem in answer.text
        assert 'value="queue=b"' in answer.text


def test_nobody_keeps_more_than_there_is_room_for(conn: Connection) -> None:
    owner = Operator(factories.operator(conn), "dana", "operator")
    for number in range(saved_views.AT_MOST):
        saved_views.save(conn, owner=owner, name=str(number), query="", shared=False, actor=Actor("dana"))
    with pytest.raises(InvalidInput, match="delete one first"):
        saved_views.save(conn, owner=owner, name="one more", query="", shared=False, actor=Actor("dana"))
    assert len(saved_views.seen_by(conn, operator_id=owner.id)) == saved_views.AT_MOST


def test_a_view_is_renamed_and_shared_and_its_form_says_who_did_what_to_it(visitor: Visitor, conn: Connection) -> None:
    owner = visitor("operator", name="mira")
    for name in ("Mail", "Other"):
        owner.post("/jobs/views", data={"query": "queue=mail", "name": name})
    found = re.search(r"/jobs/views/[0-9a-f-]+/changes", owner.get("/jobs").text)
    assert found
    taken = owner.post(found[0], data={"name": "Other"})
    assert (taken.status_code, "Is one of your views already." in taken.text) == (422, True)
    assert owner.post(found[0], data={"name": "Our mail", "shared": "1"}).status_code == 303
    assert "shared by mira" in plain(visitor("viewer").get("/jobs").text)
    said = plain(owner.get(f"{found[0]}/new").text)
    assert "Saved by mira" in said
    assert "mira changed it, shared with everybody, was Mail" in said
    assert "mira saved it" in said
    (row,) = trail(conn, "view-change")
    assert (row.target, row.detail["was"], row.detail["shared"]) == ("Our mail", "Mail", True)


@pytest.mark.postgresql
def test_of_two_who_give_two_views_one_name_the_later_is_told(engine: Engine, conn: Connection) -> None:
    owner = Operator(factories.operator(conn), "dana", "operator")
    how: dict[str, Any] = {"shared": False, "actor": Actor("dana")}
    views = [saved_views.save(conn, owner=owner, name=name, query="", **how) for name in ("a", "b")]

    def named(view_id: UUID) -> Act:
        return lambda theirs: saved_views.change(theirs, view_id=view_id, by=owner, name="x", **how)

    with engine.connect() as first, first.begin() as begun:
        named(views[0])(first)
        with meanwhile(engine, conn, named(views[1])) as later:
            begun.commit()
    with pytest.raises(InvalidInput, match="one of your views already"):
        later.result()


def test_only_its_operator_and_an_admin_change_a_view(visitor: Visitor, conn: Connection) -> None:
    visitor("operator", name="mira").post("/jobs/views", data={"query": "", "name": "All", "shared": "1"})
    admin, other = visitor("admin"), visitor("operator", name="lee")
    found = re.search(r"/jobs/views/[0-9a-f-]+/changes", admin.get("/jobs").text)
    assert found
    assert [other.get(f"{found[0]}/new").status_code, other.post(found[0], data={"name": "x"}).status_code] == [
        404,
        404,
    ]
    assert admin.post(found[0], data={"name": "Everything"}).status_code == 303
    assert "Everything" not in other.get("/jobs").text
    assert [row.actor for row in trail(conn, "view-change")] == ["admin"]
