"""A consumer's place: one at a file, for as long as its process lives; any number at a server."""

import subprocess
import sys
from pathlib import Path

import pytest

from worker.database import Seat

TAKE = "import sys, worker.database as d; s = d.Seat(sys.argv[1]); print(s.take(), flush=True); sys.stdin.read()"


def test_a_file_has_room_for_one_at_a_time(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/queue.db"
    first, second, elsewhere = Seat(url), Seat(url), Seat(f"sqlite:///{tmp_path}/other.db")
    assert (first.take(), second.take(), elsewhere.take()) == (True, False, True)
    first.leave()
    assert second.take()
    second.leave()
    elsewhere.leave()
    elsewhere.leave()


def test_a_file_by_another_name_is_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "queue.db").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link.db").symlink_to(tmp_path / "queue.db")
    monkeypatch.chdir(tmp_path)
    first = Seat(f"sqlite:///{tmp_path}/queue.db")
    assert first.take()
    assert not Seat("sqlite:///queue.db").take()
    assert not Seat("sqlite:///elsewhere/link.db").take()
    first.leave()


def test_another_process_keeps_its_place_until_it_dies(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/queue.db"
    command = [sys.executable, "-c", TAKE, url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "True\n"
        assert not Seat(url).take()
        other.kill()
    again = Seat(url)
    assert again.take()
    again.leave()


def test_a_child_that_inherited_the_file_does_not_keep_the_place(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/queue.db"
    seat, again = Seat(url), Seat(url)
    assert seat.take()
    assert seat._held
    inherited = [seat._held.fileno()]
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=inherited) as child:
        seat.leave()
        assert again.take()
        child.kill()
    again.leave()


def test_a_server_has_room_for_all() -> None:
    seats = [Seat("postgresql+psycopg://nowhere/queue") for _ in range(3)]
    assert all(seat.take() for seat in seats)


def test_a_database_in_memory_is_nobody_elses() -> None:
    assert all(Seat("sqlite://").take() for _ in range(2))
