"""S1, secrets: a worker for mail proves that it can send it and open what is sealed, or never says that it lives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from boto3.session import Session
from cryptography.fernet import Fernet
from sqlalchemy import Connection, select

from tests import azure_vault, endpoints
from tests.app.shell import Shell
from tests.certificates import certificate
from tests.endpoints import CREDENTIALS, NOTHING_ELSE, Endpoint
from tests.json_peer import Answer, Asked, peer
from tests.worker.runtime.bench import nothing, quick, registry, settings
from worker.envelope import open_envelope
from worker.errors import ConfigurationError
from worker.mail.console import mailbox
from worker.queries.schema import runtime_heartbeats, worker_instances
from worker.runtime.hosting import start_job_worker
from worker.runtime.startup import validate
from worker.sealed_mail import EMAIL_SCHEMA, is_sealed

MAIL, KEYS = "memory://", Fernet.generate_key().decode()
NO_MAIL = "WATCHFLOOR_MAIL_URI is not set: without it no mail can be sent"
NO_KEYS = "WATCHFLOOR_SECRET_KEYS is not set: without it nothing can be sealed, nor opened"

Begin = Callable[..., None]


@pytest.fixture
def begin(url: str) -> Begin:
    """Starts a worker with what is built in, and stops it at once."""
    return lambda **values: start_job_worker(quick(database_url=url, **values)).stop()


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[Asked]]]:
    """A KMS that has lost its keys, and what it was asked."""
    for name, value in {**CREDENTIALS, **NOTHING_ELSE}.items():
        monkeypatch.setenv(name, value)
    asked: list[Asked] = []

    def answer(request: Asked) -> Answer:
        asked.append(request)
        return Answer(400, {"__type": "NotFoundException", "message": "no such key"})

    with peer(answer) as host:
        yield f"kms://alias/floor?region=eu-central-1&endpoint=http://{host}", asked


def advertised(conn: Connection) -> set[str]:
    """The types that any worker ever said it runs, as an instance or as a component."""
    said = [row.job_types for row in conn.execute(select(worker_instances))]
    said += [row.detail["job_types"] for row in conn.execute(select(runtime_heartbeats))]
    return {name for types in said for name in types}


def test_s1_96_a_worker_for_mail_must_be_able_to_deliver_it(begin: Begin) -> None:
    with pytest.raises(ConfigurationError, match=f"^send_email: {NO_MAIL}$"):
        begin(worker_job_types=["send_email"], secret_keys=KEYS)
    begin(worker_job_types=["send_email"], secret_keys=KEYS, mail_uri=MAIL)


def test_s1_97_and_to_open_secrets(begin: Begin) -> None:
    with pytest.raises(ConfigurationError, match=f"^send_email: {NO_KEYS}$"):
        begin(worker_job_types=["send_email"], mail_uri=MAIL)


def test_s1_97_which_is_tried_at_the_key_service_itself(
    begin: Begin, conn: Connection, forgetful: tuple[str, list[Asked]]
) -> None:
    uri, asked = forgetful
    with pytest.raises(
        ConfigurationError, match=r"^send_email: WATCHFLOOR_SECRET_KEYS: .*there is no key alias/floor$"
    ):
        begin(mail_uri=MAIL, secret_keys=uri)
    assert (len(asked), advertised(conn)) == (1, set())


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"WATCHFLOOR_SECRET_KEYS": KEYS}, NO_MAIL),
        ({"WATCHFLOOR_MAIL_URI": "smtp://mail?from=floor@example.org"}, NO_KEYS),
        ({"WATCHFLOOR_MAIL_URI": "smtp://mail?from=floor@example.org", "WATCHFLOOR_SECRET_KEYS": "x"}, "SECRET_KEYS"),
    ],
)
def test_s1_98_either_one_missing_ends_the_process_and_is_named(
    url: str, conn: Connection, environment: dict[str, str], said: str
) -> None:
    assert said in Shell(url).refused("worker", "--job-types", "send_email", code=78, **environment)
    assert advertised(conn) == set()


def test_s1_99_a_worker_without_mail_is_asked_for_neither(
    begin: Begin, conn: Connection, forgetful: tuple[str, list[Asked]]
) -> None:
    uri, asked = forgetful
    for values in ({}, {"secret_keys": uri, "mail_uri": MAIL}):
        begin(worker_job_types=["materialize_insights"], **values)
    assert (asked, advertised(conn)) == ([], {"materialize_insights"})


def test_s1_99_nor_is_one_whose_host_sends_mail_in_its_own_way() -> None:
    assert validate(settings(), registry(send_email=nothing)) == {"send_email"}


def test_s1_100_a_worker_that_cannot_deliver_mail_never_advertises_it(begin: Begin, conn: Connection) -> None:
    for values in ({}, {"mail_uri": MAIL}, {"secret_keys": KEYS}):
        begin(**values)
    assert "materialize_insights" in advertised(conn)
    assert "send_email" not in advertised(conn)
    begin(mail_uri=MAIL, secret_keys=KEYS)
    assert "send_email" in advertised(conn)
    assert mailbox().all() == {}


def test_s1_122_secrets_are_sealed_under_keys_of_our_own_or_by_a_key_service_as_one_setting_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = certificate(tmp_path)
    with endpoints.moto() as aws, azure_vault.vault(trusted) as vault:
        for name, value in {**CREDENTIALS, **NOTHING_ELSE, **vault.environment(trusted)}.items():
            monkeypatch.setenv(name, value)
        for keys in (KEYS, key_in(aws), vault.uri()):
            deployment = settings(secret_keys=keys)
            sealed = open_envelope(deployment).seal(b"ada@example.org", bound_to="job 1")
            assert open_envelope(deployment).open(sealed, bound_to="job 1") == b"ada@example.org"
            assert is_sealed({"schema": EMAIL_SCHEMA, "ciphertext": sealed})


def key_in(aws: Endpoint) -> str:
    """The setting that names a new key in its KMS."""
    with closing(Session(region_name="eu-central-1").client("kms", endpoint_url=aws.url)) as kms:
        key = kms.create_key()["KeyMetadata"]["KeyId"]
    return f"kms://{key}?region=eu-central-1&endpoint={aws.url}"
