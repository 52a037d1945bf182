"""Pages, blocks and what is escaped in them (A-66, A-67)."""

from __future__ import annotations

import re
from types import SimpleNamespace
from uuid import UUID

import pytest
from jinja2 import ChoiceLoader, DictLoader, Environment, UndefinedError
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.testclient import TestClient

from app.templating import dom_id, render
from app.web import Call, Route
from tests.app.conftest import Visitor, browser, serve, signed_in
from worker.database import Connection as AnyConnection
from worker.resources import folder

PAGE = """{% extends "layout.html" %}
{% block title %}Things{% endblock %}
{% block main %}<h1>Things</h1>{% block rows %}
<p id="{{ 'a' | dom_id('thing') }}" title="{{ word }}">{{ ui.chip(word) }} {{ here }}</p>
{% endblock %}{% endblock %}
"""
NASTY = '"><svg onload=1>'


def show(call: Call, conn: AnyConnection) -> Response:
    return render(call, "things.svg", block=call.region, status=201, headers={"X-Kind": "things"}, word=NASTY)


@pytest.fixture
def things(app: Starlette, conn: Connection, templates: Environment, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser on a console with one more page, whose template's name says nothing about HTML."""
    assert templates.loader
    monkeypatch.setattr(templates, "loader", ChoiceLoader([DictLoader({"things.svg": PAGE}), templates.loader]))
    serve(app, Route("GET", "/things", show, "viewer"))
    return browser(app, signed_in(conn, "vera", "viewer"))


def test_a_page_knows_its_surroundings(things: TestClient) -> None:
    answer = things.get("/things?a=1")
    assert (answer.status_code, answer.headers["x-kind"]) == (201, "things")
    assert "<title>Things · Watchfloor</title>" in answer.text
    assert 'title="vera, viewer"' in answer.text
    assert '<span class="env" title="Environment">local</span>' in answer.text
    assert 'hx-sse:connect="/live?' in answer.text
    assert "/things?a=1</p>" in answer.text
    assert {"HX-Request", "HX-Target"} <= {each.strip() for each in answer.headers["vary"].split(",")}


def test_a_block_comes_without_the_page_around_it(things: TestClient) -> None:
    answer = things.get("/things", headers={"HX-Request": "true", "HX-Target": "section#rows"})
    assert answer.text.strip().startswith('<p id="thing-a"')
    assert "<h1>" not in answer.text


def test_everything_is_escaped_whatever_the_file_is_called(things: TestClient) -> None:
    page = things.get("/things").text
    assert "<svg onload" not in page
    assert page.count("&#34;&gt;&lt;svg onload=1&gt;") >= 2


def test_a_name_that_nobody_gave_is_an_error(templates: Environment) -> None:
    with pytest.raises(UndefinedError, match="'word' is undefined"):
        templates.from_string("{{ word }}").render()


def test_no_template_switches_escaping_off() -> None:
    for path in sorted(folder("templates").rglob("*.html")):
        words = path.read_text()
        for switch in ("|safe", "| safe", "autoescape", "Markup"):
            assert switch not in words, path.name


def test_every_template_compiles(templates: Environment) -> None:
    names = templates.list_templates()
    assert {"layout.html", "ui.html", "errors/error.html"} <= set(names)
    for name in names:
        templates.get_template(name)


def test_every_way_in_the_rail_leads_somewhere(visitor: Visitor) -> None:
    viewer = visitor("viewer")
    ways = re.findall(r'class="nav-item"[^>]* href="([^"]+)"', viewer.get("/account").text)
    assert len(ways) == 7
    assert {way: viewer.get(way).status_code for way in ways} == dict.fromkeys(ways, 200)


def test_an_element_id_is_unique_and_safe_in_a_selector() -> None:
    job = UUID("019b0000-0000-7000-8000-00000000000a")
    assert dom_id(SimpleNamespace(id=job)) == f"row-{job}"
    assert dom_id("mail.eu", "queue") == "queue-mail_2e_eu"
    assert dom_id("mail-eu", "queue") != dom_id("mail.eu", "queue") != dom_id("mail_2e_eu", "queue")
    assert dom_id(7) == "row-7"
