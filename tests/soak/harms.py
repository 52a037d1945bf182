"""What goes wrong: one function for each harm; each returns, if it has one, what undoes it later."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sqlalchemy import make_url, text
from sqlalchemy.exc import OperationalError

from tests.cluster import throwaway
from tests.soak.fleet import Fleet, fleet, send
from tests.soak.traffic import Traffic
from tests.soak.wire import Wire
from worker import migrate
from worker.database import Engine, autocommit, connect

DURABLE = ("fsync=off", "full_page_writes=off", "max_connections=200")
"""What survives a crash of the server, though not one of the machine."""
OURS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'watchfloor%' AND random() < :p"
)

Undo = Callable[[], None]


@dataclass
class Yard:
    """Everything that can be harmed; `admin` reaches the server past the wire."""

    admin: Engine
    wire: Wire
    fleet: Fleet
    traffic: Traffic
    choose: Random
    ledger: Path
    done: Counter[str] = field(default_factory=Counter)


@contextlib.contextmanager
def yard(folder: Path, choose: Random, *, workers: int) -> Iterator[Yard]:
    """A throwaway server, the wire to it, processes behind the wire, and traffic; all gone after the block."""
    with ExitStack() as stack:
        server = stack.enter_context(throwaway(DURABLE))
        admin = connect(server, application_name="soak", pre_ping=True)
        stack.callback(admin.dispose)
        migrate.upgrade(admin)
        wire = Wire(Path(str(make_url(server).query["host"])) / ".s.PGSQL.5432")
        wire.start()
        stack.callback(wire.stop)
        url = f"postgresql+psycopg://postgres@127.0.0.1:{wire.port}/postgres"
        ledger = folder / "ledger"
        processes = stack.enter_context(fleet(url, ledger, folder / "log", workers=workers))
        producer = connect(url, application_name="watchfloor producer")
        stack.callback(producer.dispose)
        yield Yard(admin, wire, processes, Traffic(producer, choose), choose, ledger)


def kill_a_worker(yard: Yard) -> None:
    """Without a word, in the middle of whatever it does."""
    yard.fleet.replace("worker", yard.choose, signal.SIGKILL)
    yard.done["kills"] += 1


def kill_the_maintenance(yard: Yard) -> None:
    """In the middle of a relay or a recovery, perhaps (A-12)."""
    yard.fleet.replace("maintenance", yard.choose, signal.SIGKILL)
    yard.done["kills"] += 1


def stop_a_worker(yard: Yard) -> None:
    """As a deployment does."""
    yard.fleet.replace("worker", yard.choose, signal.SIGTERM)
    yard.done["stops"] += 1


def freeze_a_worker(yard: Yard) -> Undo:
    """It sleeps beyond its leases, and wakes as if nothing had happened (A-10)."""
    pid = yard.fleet.any("worker", yard.choose)
    send(pid, signal.SIGSTOP)
    yard.done["freezes"] += 1
    return lambda: send(pid, signal.SIGCONT)


def crash_the_server(yard: Yard) -> None:
    """A process of the server is killed, so all of them end at once and it recovers from its log."""
    with contextlib.suppress(OperationalError), yard.admin.connect() as conn:
        os.kill(conn.execute(text("SELECT pg_backend_pid()")).scalar_one(), signal.SIGKILL)
        yard.done["restarts"] += 1


def end_sessions(yard: Yard) -> None:
    """Some or all sessions are ended by an administrator."""
    with contextlib.suppress(OperationalError), autocommit(yard.admin).connect() as conn:
        ended = conn.execute(text(OURS), {"p": yard.choose.choice((0.2, 1))}).all()
        yard.done["cuts"] += len(ended)


def cut_the_wire(yard: Yard) -> None:
    """Every connection breaks."""
    yard.wire.cut()
    yard.done["cuts"] += 1


def lose_answers(yard: Yard) -> None:
    """The server does what it is asked, and the connection breaks before it can say so (A-15)."""
    yard.wire.rob(yard.choose.randint(1, 8), commits_only=yard.choose.random() < 0.5)


def stop_up_the_wire(yard: Yard) -> Undo:
    """Nothing passes and nothing breaks; when it clears, the old connections are as likely gone as not (A-17)."""
    yard.wire.stop_up()
    yard.done["silences"] += 1
    broken = yard.choose.random() < 0.5

    def clear() -> None:
        if broken:
            yard.wire.cut()
        yard.wire.clear()

    return clear
