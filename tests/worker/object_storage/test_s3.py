"""A bucket, at two servers by different authors: what goes in comes out, and what goes wrong is said in words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import endpoints
from tests.endpoints import CREDENTIALS, NOTHING_ELSE, Endpoint
from worker.errors import ObjectMissing, StorageError
from worker.object_storage import ObjectStorage, open_storage
from worker.settings import WorkerSettings


@pytest.fixture(scope="module", params=["moto", "nanio"])
def endpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """A server with one empty bucket."""
    peer = endpoints.moto() if request.param == "moto" else endpoints.nanio(tmp_path_factory.mktemp("nanio"))
    with peer as started:
        yield started


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """The server that checks who asks."""
    with endpoints.nanio(tmp_path_factory.mktemp("strict")) as started:
        yield started


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Credentials in the environment, and nowhere else."""
    monkeypatch.chdir(tmp_path)
    for name, value in {**CREDENTIALS, **NOTHING_ELSE}.items():
        monkeypatch.setenv(name, value)


def at(uri: str, *, seconds: float = 20) -> ObjectStorage:
    """The storage of that address."""
    return open_storage(WorkerSettings(object_storage_uri=uri, object_storage_deadline_seconds=seconds))


def complaint(storage: ObjectStorage, key: str = "tenants/acme/check") -> str:
    """What is said when an object cannot be stored, without what only the machine needs to know."""
    with pytest.raises(StorageError) as failure:
        storage.put(key, b"x")
    said = str(failure.value)
    assert endpoints.SECRET_KEY not in said
    assert "://" not in said
    assert failure.value.__suppress_context__ or failure.value.__context__ is None
    return said


def test_what_is_put_can_be_got_until_it_is_deleted(endpoint: Endpoint) -> None:
    storage = at(endpoint.uri("floor"))
    storage.put("tenants/acme/model.bin", b"\0first")
    storage.put("tenants/acme/model.bin", b"\0second")
    assert storage.get("tenants/acme/model.bin") == b"\0second"
    storage.delete("tenants/acme/model.bin")
    with pytest.raises(ObjectMissing):
        storage.get("tenants/acme/model.bin")


def test_an_object_of_several_megabytes_and_an_empty_one_come_back_whole(endpoint: Endpoint) -> None:
    storage = at(endpoint.uri())
    for data in (b"", b"0123456789abcdef" * 300_000):
        storage.put("large", data)
        assert storage.get("large") == data


def test_a_prefix_sets_objects_apart(endpoint: Endpoint) -> None:
    at(endpoint.uri("one/place")).put("same", b"one")
    at(endpoint.uri("other")).put("same", b"other")
    assert at(endpoint.uri()).get("one/place/same") == b"one"


def test_deleting_what_is_not_there_is_no_error(endpoint: Endpoint) -> None:
    at(endpoint.uri()).delete("never/stored")


def test_a_missing_bucket_is_named(endpoint: Endpoint) -> None:
    assert complaint(at(endpoint.uri(bucket="nobodys"))) == "object storage: there is no bucket nobodys"


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"])
def test_wrong_credentials_are_called_so(strict: Endpoint, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "somebody-elses")
    assert complaint(at(strict.uri())).startswith("object storage: the credentials are wrong")


def test_absent_credentials_are_asked_for_by_name(strict: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CREDENTIALS:
        monkeypatch.delenv(name)
    assert "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in complaint(at(strict.uri()))


def test_half_of_the_credentials_is_not_enough(strict: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert "half of the credentials is missing" in complaint(at(strict.uri()))


def test_an_endpoint_that_nobody_listens_on_cannot_be_reached() -> None:
    nobody = Endpoint(f"http://{endpoints.HOST}:{endpoints.free_port()}")
    assert "the endpoint cannot be reached" in complaint(at(nobody.uri()))


def test_an_endpoint_that_hangs_is_given_up_within_the_deadline() -> None:
    with endpoints.hanging() as silent:
        began = time.monotonic()
        said = complaint(at(silent.uri(), seconds=0.4))
        assert time.monotonic() - began < 5  # the SDK loads meanwhile, and would wait for minutes by itself
    assert "hangs" in said


def test_a_machine_that_answers_something_else_is_not_taken_for_a_storage() -> None:
    with endpoints.babbling() as other:
        assert "the endpoint broke off the connection" in complaint(at(other.uri()))


def test_a_key_that_leads_elsewhere_is_refused_before_anything_is_asked() -> None:
    nobody = Endpoint(f"http://{endpoints.HOST}:{endpoints.free_port()}")
    with pytest.raises(ValueError, match="key"):
        at(nobody.uri()).put("../other", b"x")
