"""S3 endpoints to test on: two servers by different authors, and one that takes a connection and says nothing."""

from __future__ import annotations

import os
import socket
import socketserver
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from boto3.session import Session

from app.split import tied

HOST, BUCKET = "127.0.0.1", "floor-objects"
ACCESS_KEY, SECRET_KEY = "floor-access-key", "floor-secret-key"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
NOTHING_ELSE = {
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
"""What keeps the SDK from looking for credentials anywhere but in the environment."""

_START_SECONDS = 60


@dataclass(frozen=True)
class Endpoint:
    """Where a server listens."""

    url: str

    def uri(self, prefix: str = "", *, bucket: str = BUCKET) -> str:
        """The setting that names it."""
        return f"s3://{bucket}/{prefix}?endpoint={self.url}&region=us-east-1"


@contextmanager
def moto() -> Iterator[Endpoint]:
    """The server that knows most of S3, and lets everybody in."""
    with _serving(["-m", "moto.server", "-H", HOST, "-p"], {}) as endpoint:
        yield endpoint


@contextmanager
def nanio(folder: Path) -> Iterator[Endpoint]:
    """The server that checks signatures."""
    own = {"NANIO_ACCESS_KEY": ACCESS_KEY, "NANIO_SECRET_KEY": SECRET_KEY}
    command = ["-m", "nanio", "serve", "--data-dir", str(folder), "--host", HOST, "--port"]
    with _serving(command, own) as endpoint:
        yield endpoint


@contextmanager
def hanging() -> Iterator[Endpoint]:
    """An endpoint that takes a connection and says nothing."""
    with socket.create_server((HOST, 0), backlog=100) as silent:
        yield Endpoint(f"http://{HOST}:{silent.getsockname()[1]}")


@contextmanager
def babbling() -> Iterator[Endpoint]:
    """An endpoint that answers with what is no HTTP."""
    with socketserver.ThreadingTCPServer((HOST, 0), _Babbler) as other:
        Thread(target=other.serve_forever, kwargs={"poll_interval": 0.05}).start()
        try:
            yield Endpoint(f"http://{HOST}:{other.server_address[1]}")
        finally:
            other.shutdown()


class _Babbler(socketserver.BaseRequestHandler):
    """Greets, and hangs up."""

    def handle(self) -> None:
        self.request.recv(65_536)
        self.request.sendall(b"+OK hello\r\n")


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def _serving(command: list[str], own: Mapping[str, str]) -> Iterator[Endpoint]:
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-PS", tied.__file__, str(os.getpid()), sys.executable, *command, str(port)],
        env={**os.environ, **own},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await(server, port)
        endpoint = Endpoint(f"http://{HOST}:{port}")
        _make_bucket(endpoint)
        yield endpoint
    finally:
        server.kill()
        server.wait()


def _await(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            assert server.poll() is None, "the server did not start"
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.05)
        else:
            return


def _make_bucket(endpoint: Endpoint) -> None:
    session = Session(ACCESS_KEY, SECRET_KEY, region_name="us-east-1")
    client = session.client("s3", endpoint_url=endpoint.url)
    client.create_bucket(Bucket=BUCKET)
    client.close()
