"""What the built-in handlers may reach of the deployment that their process belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property

from worker import topology
from worker.database import Engine, connect
from worker.envelope import Envelope, open_envelope
from worker.errors import ConfigurationError, EnvelopeError
from worker.mail import Mailer, open_mailer
from worker.object_storage import ObjectStorage, open_storage
from worker.settings import WorkerSettings


@dataclass(frozen=True)
class Deployment:
    """The database and the object storage that the settings name, each opened for one job and closed after it.

    Nothing is opened, or even asked for, before a job needs it. The envelope stays, with the keys that it was given.
    """

    settings: WorkerSettings

    @property
    def may_provision(self) -> bool:
        """Whether this process may make the place of a tenant, which takes the owner's rights."""
        return topology.may_provision(self.settings)

    @contextmanager
    def engine(self) -> Iterator[Engine]:
        """The database, as the role that works in it."""
        with _opened(topology.address(self.settings)) as engine:
            yield engine

    @contextmanager
    def owner_engine(self) -> Iterator[Engine]:
        """The database, as the role that owns its schemas."""
        with _opened(topology.owner_address(self.settings)) as engine:
            yield engine

    def storage(self) -> ObjectStorage:
        """Where objects are kept."""
        return open_storage(self.settings)

    def mailer(self) -> Mailer:
        """How mail is sent from here."""
        return open_mailer(self.settings)

    def prepare_to_seal(self) -> None:
        """Ask the key service before a transaction begins, which then need not; refusals come with the sealing."""
        with suppress(ConfigurationError, EnvelopeError):
            self._envelope.prepare()

    def envelope(self) -> Envelope:
        """What seals secrets and opens them: the same one for every job."""
        return self._envelope

    @cached_property
    def _envelope(self) -> Envelope:
        return open_envelope(self.settings)


@contextmanager
def _opened(url: str) -> Iterator[Engine]:
    engine = connect(url, application_name="watchfloor job", pool_size=2)
    try:
        yield engine
    finally:
        engine.dispose()
