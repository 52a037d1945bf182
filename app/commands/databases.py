"""Which database a command works on: the one that the settings name, else the embedded one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import click
import structlog
from pydantic import SecretStr

from app.commands.database_file import ADDRESSES, path_of
from app.commands.refusals import Misconfigured, Refused
from app.processes import Companion
from app.settings import ConsoleSettings
from worker import topology
from worker.database import Engine, Seat, connect, is_file, is_outage, is_server
from worker.errors import ConfigurationError
from worker.local_postgres import LocalPostgres, default_data_folder
from worker.queries.pages import readiness

TEND_EVERY_SECONDS = 2

data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded PostgreSQL; only where DATABASE_URL is unset.",
)

log = structlog.get_logger()


@dataclass(frozen=True)
class Database:
    """The settings with an address, where on this machine the data lies, and the embedded server if it is one."""

    settings: ConsoleSettings
    place: Path | None = None
    local: LocalPostgres | None = None

    @property
    def url(self) -> str:
        """Its address as an engine wants it."""
        return topology.address(self.settings)

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """A small pool, closed with the block."""
        engine = connect(self.url, application_name="watchfloor command", pool_size=2)
        try:
            yield engine
        finally:
            engine.dispose()

    @contextmanager
    def to_itself(self) -> Iterator[None]:
        """Misconfigured when it is a file that another process serves already."""
        seat = Seat(self.url, "console")
        try:
            there_is_room = seat.take()
        except OSError as error:
            raise Misconfigured(f"DATABASE_URL: cannot write beside the SQLite file ({error.strerror})") from None
        if not there_is_room:
            raise Misconfigured("DATABASE_URL: a `watchfloor up` runs on this SQLite file, which serves one process")
        try:
            yield
        finally:
            seat.leave()

    def care(self) -> list[Companion]:
        """What revives the embedded server should it die; nothing for a server that others look after."""
        return [Companion("postgres", self._tend)] if self.local else []

    def _tend(self, stopping: Event) -> None:
        with self.engine() as engine:
            while not stopping.wait(TEND_EVERY_SECONDS):
                self._look_after(engine)

    def _look_after(self, engine: Engine) -> None:
        assert self.local
        try:
            with engine.connect() as conn:
                readiness.clock(conn)
        except Exception as error:
            if not is_outage(error):
                raise
            try:
                self.local.ensure_running()
            except (ConfigurationError, OSError) as problem:
                log.error("postgres.not_started", error=str(problem))


@contextmanager
def database(settings: ConsoleSettings, data: Path | None, *, create: bool) -> Iterator[Database]:
    """The settings' database, or the embedded one, which is started if need be and held open for the block."""
    if settings.database_url:
        if data:
            raise Refused("--data is for the embedded PostgreSQL, but DATABASE_URL is set")
        address = settings.database_url.get_secret_value()
        if is_file(address):
            path = path_of(address, create=create)
            own = {"database_url": SecretStr(f"sqlite:///{path}"), **_objects(settings, path.parent)}
            yield Database(settings.model_copy(update=own), path)
        else:
            _require_address(address)
            yield Database(settings)
        return
    folder = (data or default_data_folder()).absolute()
    if not create and not (folder / "pgdata").is_dir():
        raise Misconfigured("no database: set DATABASE_URL, or start one with `watchfloor up`")
    local = LocalPostgres(folder)
    url = local.open()
    try:
        own = {"database_url": SecretStr(url), "pooler": None, **_objects(settings, folder)}
        yield Database(settings.model_copy(update=own), folder, local)
    finally:
        local.close()


def _objects(settings: ConsoleSettings, folder: Path) -> dict[str, str]:
    """Object storage beside the data, where the settings name no other."""
    return {} if settings.object_storage_uri else {"object_storage_uri": (folder / "objects").as_uri()}


def _require_address(text: str) -> None:
    """Misconfigured unless it is an address of a PostgreSQL; what it says is not repeated, it may hold a password."""
    if not is_server(text):
        raise Misconfigured(f"DATABASE_URL: {ADDRESSES}")
