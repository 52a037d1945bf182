"""The way between the processes and their server, which can be cut, stopped up, or robbed of an answer (A-15, A-17)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

_COMMIT = b"Q\x00\x00\x00\x0bCOMMIT\x00"


class Link:
    """One connection; once `robbed`, what the server says next is the last it will have said, and nobody hears it."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> None:
        self.robbed = False
        self._ends = (client, server)

    def cut(self) -> None:
        """Both ends find the connection gone."""
        for end in self._ends:
            end.transport.abort()


class Wire:
    """A proxy on a loopback port, in a thread of its own; its methods may be called from any other."""

    def __init__(self, server_socket: Path) -> None:
        self.port = 0
        self.robbed = 0
        self._server_socket = server_socket
        self._links: set[Link] = set()
        self._to_rob = 0
        self._commits_only = False
        self._loop = asyncio.new_event_loop()
        self._open = asyncio.Event()
        self._thread = Thread(target=self._loop.run_forever, name="wire", daemon=True)

    def start(self) -> None:
        """Listen; `port` says where."""
        self._thread.start()
        self._open.set()
        listening = asyncio.start_server(self._join, "127.0.0.1", 0)
        self._door = asyncio.run_coroutine_threadsafe(listening, self._loop).result(10)
        self.port = self._door.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Cut everything and end the thread."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._call(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def cut(self) -> None:
        """End every connection at once, whatever is under way."""

        def cut() -> None:
            for link in self._links:
                link.cut()

        self._call(cut)

    def stop_up(self) -> None:
        """Let nothing through, without a word: the bytes wait, and new connections with them."""
        self._call(self._open.clear)

    def clear(self) -> None:
        """Let everything through again."""
        self._call(self._open.set)

    def rob(self, times: int, *, commits_only: bool) -> None:
        """Of the next requests, or the next commits, the server does each, and its answer is lost with the link."""

        def rob() -> None:
            self._to_rob, self._commits_only = times, commits_only

        self._call(rob)

    def _call(self, act: Callable[[], Any]) -> None:
        self._loop.call_soon_threadsafe(act)

    async def _close(self) -> None:
        self._door.close()
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    async def _join(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        await self._open.wait()
        try:
            from_server, to_server = await asyncio.open_unix_connection(str(self._server_socket))
        except OSError:  # the server is starting anew
            to_client.transport.abort()
            return
        link = Link(to_client, to_server)
        self._links.add(link)
        try:
            await asyncio.gather(self._ask(from_client, to_server, link), self._answer(from_server, to_client, link))
        except ConnectionError:
            pass
        finally:
            self._links.discard(link)
            link.cut()

    async def _ask(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, link: Link) -> None:
        while data := await source.read(65_536):
            await self._open.wait()
            if self._to_rob and (not self._commits_only or _COMMIT in data):
                self._to_rob -= 1
                link.robbed = True
            target.write(data)
            await target.drain()
        raise ConnectionAbortedError

    async def _answer(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, link: Link) -> None:
        while data := await source.read(65_536):
            await self._open.wait()
            if link.robbed:
                self.robbed += 1
                break
            target.write(data)
            await target.drain()
        raise ConnectionAbortedError
