"""The server itself: it stops while streams are open, and reads addresses in one way only (A-69)."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from queue import Queue

import httpx2
import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette

from app import sessions
from app.server import Server
from app.settings import ConsoleSettings
from tests.app.conftest import signed_in


class Running:
    """A server on a free port, in a thread of its own."""

    def __init__(self, app: Starlette) -> None:
        urls: Queue[str] = Queue()
        self.server = Server(app, ConsoleSettings.model_validate({"port": 0}), on_start=urls.put)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        self.url = urls.get(timeout=20)

    def stop(self) -> None:
        self.server.stop()
        self.thread.join(20)


@pytest.fixture
def running(app: Starlette) -> Iterator[Running]:
    """The console behind its real server."""
    started = Running(app)
    yield started
    started.stop()


def test_a_server_with_open_streams_stops_at_once(running: Running, conn: Connection) -> None:
    cookies = {sessions.COOKIE: signed_in(conn)}
    with httpx2.stream("GET", f"{running.url}/live", cookies=cookies, timeout=20) as answer:
        lines = answer.iter_lines()
        assert next(lines) == ": watching"
        running.server.stop()
        assert "event: nothing more" not in list(lines)
    running.thread.join(20)
    assert not running.thread.is_alive()


def test_a_browser_that_goes_away_leaves_no_stream_behind(running: Running, app: Starlette, conn: Connection) -> None:
    cookies = {sessions.COOKIE: signed_in(conn)}
    with httpx2.stream("GET", f"{running.url}/live", cookies=cookies, timeout=20) as answer:
        assert next(answer.iter_lines()) == ": watching"
    live = app.state.console.live
    joined = threading.Event()
    for _ in range(200):
        if not live._tokens:
            break
        joined.wait(0.05)
    assert not live._tokens


def test_the_server_does_not_say_what_it_is(running: Running) -> None:
    answer = httpx2.get(f"{running.url}/health/live")
    assert "server" not in answer.headers


def raw(running: Running, head: str) -> str:
    """The first line and headers of the answer to a request that no client library would send."""
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(f"{head}\nConnection: close\n\n".replace("\n", "\r\n").encode("latin-1"))
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode("latin-1")


@pytest.mark.parametrize(
    "head",
    [
        "GET /account HTTP/1.1\nHost: ops.example/sign-in?x=",
        "GET /account HTTP/1.1\nHost: a#b",
        "GET /account HTTP/1.1\nHost: ",
        "GET /account HTTP/1.1",
        "GET /account HTTP/1.1\nHost: localhost\nHost: localhost",
        "GET http://e.example/account HTTP/1.1\nHost: e.example",
        "GET /" + "a" * 20_000 + " HTTP/1.1\nHost: localhost",
        "POST /sign-in HTTP/1.1\nHost: localhost\nContent-Length: x",
        "POST /sign-in HTTP/1.1\nHost: localhost\nContent-Length: 1\nContent-Length: 2",
    ],
)
def test_an_odd_request_gets_a_4xx_and_nothing_of_the_console(running: Running, head: str) -> None:
    answer = raw(running, head)
    assert answer.startswith("HTTP/1.1 4")
    assert "Traceback" not in answer
    assert "location" not in answer.lower().split("\r\n\r\n")[0]


@pytest.mark.parametrize("target", ["http://localhost/account", "//account", "/account;x", "/./account", "/%61ccount/"])
def test_an_odd_spelling_of_an_address_never_opens_what_is_guarded(running: Running, target: str) -> None:
    answer = raw(running, f"GET {target} HTTP/1.1\nHost: localhost")
    assert answer.split(" ")[1] in ("303", "400", "404")
