"""The environments of `compose.yaml`, given to processes of this machine: each signs in, and can do its work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import OperationalError

from tests import endpoints
from tests.app.deployments import is_provisioned, provision, readiness
from tests.app.program import Program, program, until
from tests.cluster import HASTY, throwaway
from tests.compose import services
from tests.packaging.test_compose import VARIABLE
from tests.post import KEY
from worker.database import autocommit, connect

SIGNING_IN = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
BEATS = {"WATCHFLOOR_HEARTBEAT_INTERVAL_SECONDS": "0.5", "WATCHFLOOR_LEASE_SECONDS": "5"}
HERE = {"HOST": endpoints.HOST, "PORT": "0", "AWS_ACCESS_KEY_ID": endpoints.ACCESS_KEY, **endpoints.NOTHING_ELSE}
VALUES = {name: name.replace("_", "").lower() for name in ("POSTGRES_PASSWORD", "OWNER_PASSWORD")} | {
    "APP_RW_PASSWORD": "working",
    "CONSOLE_RW_PASSWORD": "looking",
    "OBJECTS_PASSWORD": endpoints.SECRET_KEY,
    "SECRET_KEYS": KEY,
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server that asks for passwords, as the containers' does; libpq and the server take it by name."""
    with pytest.MonkeyPatch.context() as patch:
        found = endpoints.free_port()
        patch.setenv("PGPORT", str(found))
        yield found


@pytest.fixture(scope="module")
def engine(port: int) -> Iterator[Engine]:
    """The administrator of its database `watchfloor`."""
    with NamedTemporaryFile("w") as hba:
        hba.write(SIGNING_IN)
        hba.flush()
        Path(hba.name).chmod(0o644)  # the server is another user
        with throwaway((*HASTY, f"listen_addresses={endpoints.HOST}", f"hba_file={hba.name}")) as url:
            _create(url)
            engine = connect(make_url(url).set(database="watchfloor").render_as_string(), application_name="tests")
            yield engine
            engine.dispose()


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[endpoints.Endpoint]:
    """An object storage that checks signatures."""
    with endpoints.nanio(tmp_path_factory.mktemp("objects")) as endpoint:
        yield endpoint


def _create(url: str) -> None:
    maintenance = connect(url, application_name="tests")
    with autocommit(maintenance).connect() as conn:
        conn.execute(text("CREATE DATABASE watchfloor"))
        conn.execute(text(f"ALTER ROLE postgres PASSWORD '{VALUES['POSTGRES_PASSWORD']}'"))
    maintenance.dispose()


def environment(name: str, port: int, objects: endpoints.Endpoint) -> dict[str, str]:
    """The service's own, its variables filled in, and the servers where they are here."""
    given = {
        setting: VARIABLE.sub(lambda found: VALUES[found[1]], str(value))
        .replace("@postgres/", f"@{endpoints.HOST}:{port}/")
        .replace("http://minio:9000", objects.url)
        .replace("s3://watchfloor", f"s3://{endpoints.BUCKET}")
        for setting, value in services()[name]["environment"].items()
    }
    return {**given, **BEATS, **HERE}


def test_the_services_find_each_other_and_provision_a_tenant(
    port: int, engine: Engine, objects: endpoints.Endpoint, tmp_path: Path
) -> None:
    def started(name: str) -> Program:
        known = environment(name, port, objects)
        return stack.enter_context(program(*services()[name]["command"], "--json", cwd=tmp_path, **known))

    with ExitStack() as stack:
        assert started("migrate").end() == (0, "")
        for name in ("product-worker", "provisioner-worker"):
            started(name).document()
        console = started("api").document()["url"]
        until(lambda: readiness(console) == [])
        tenant = provision(engine, "acme")
        until(lambda: is_provisioned(engine, tenant))


def test_a_wrong_password_lets_nobody_in(port: int, engine: Engine) -> None:
    stranger = connect(
        f"postgresql+psycopg://postgres:guess@{endpoints.HOST}:{port}/watchfloor", application_name="tests"
    )
    with pytest.raises(OperationalError, match="password authentication failed"):
        stranger.connect()
