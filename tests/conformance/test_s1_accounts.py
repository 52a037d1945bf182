"""S1, accounts: invitations and new passwords go out through `send_email`, sealed, one row each."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, select

from app.accounts.invitations import invite
from app.accounts.mailroom import Mailroom
from app.accounts.new_passwords import hand_out, request
from tests import factories
from tests.app.mail import mailing
from tests.post import Post
from worker.deployment import Deployment
from worker.handlers import configured
from worker.mail.console import mailbox
from worker.queries import operators
from worker.queries.audit import SYSTEM
from worker.queries.schema import platform_jobs

ADDRESS = "ada.planted@shop.example"


def mailroom() -> Mailroom:
    settings = mailing()
    return Mailroom(settings, Deployment(settings), configured(settings).job_types)


def sealed(conn: Connection) -> list[tuple[str, str]]:
    """Each job's type and what its payload consists of; the address is in none."""
    rows = conn.execute(select(platform_jobs)).all()
    assert "planted" not in str(rows)
    return [(row.job_type, " ".join(sorted(row.payload))) for row in rows]


ONE_MAIL = [("send_email", "ciphertext schema")]


def test_s1_48_a_password_reset_that_its_owner_asks_for_enqueues_one_sealed_mail(
    engine: Engine, conn: Connection
) -> None:
    factories.operator(conn, email=ADDRESS)
    with engine.begin() as own:
        request(own, mailroom(), email=ADDRESS, actor=SYSTEM)
    assert sealed(conn) == ONE_MAIL


def test_s1_49_so_does_one_that_an_admin_has_sent(engine: Engine, conn: Connection) -> None:
    factories.operator(conn, email=ADDRESS)
    found = operators.by_email(conn, email=ADDRESS)
    assert found
    with engine.begin() as own:
        assert hand_out(own, mailroom(), operator=found, actor=SYSTEM).link is None
    assert sealed(conn) == ONE_MAIL


def test_s1_51_an_invitation_enqueues_one_sealed_mail(engine: Engine, conn: Connection) -> None:
    with engine.begin() as own:
        assert invite(own, mailroom(), name="ada", email=ADDRESS, role="viewer", actor=SYSTEM)
    assert sealed(conn) == ONE_MAIL


def test_s1_64_the_product_worker_sends_the_invitation_under_a_key_of_its_own(engine: Engine, conn: Connection) -> None:
    mailbox().empty()
    with engine.begin() as own:
        invite(own, mailroom(), name="ada", email=ADDRESS, role="viewer", actor=SYSTEM)
    key = conn.execute(select(platform_jobs.c.idempotency_key)).scalar_one()
    assert key.startswith("email:invitation:")
    Post(engine).work()
    assert [mail.to for mail in mailbox().all().values()] == [ADDRESS]
    mailbox().empty()
