"""Validate the configuration, and look whether the database is fit for work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from app.commands.databases import Database, data_option, database
from app.commands.desk import json_option
from app.commands.output import document, say, table
from app.commands.refusals import Unhealthy, explain
from app.oidc.opening import trial
from app.settings import ConsoleSettings
from worker import migrate, topology
from worker.database import Connection, Engine
from worker.envelope import secret_encryption_trial
from worker.handlers import configured
from worker.mail import email_delivery_readiness
from worker.queries.pages import readiness
from worker.queries.pages.readiness import Server

MOST_SKEW_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str
    state: Literal["ok", "warning", "failed"]
    detail: str


@click.command("check")
@data_option
@json_option
@click.pass_context
def command(ctx: click.Context, *, data: Path | None, as_json: bool) -> None:
    """Look at configuration, database, schema, clock, role, single sign-on and mail; exit 3 when something fails."""
    settings = ConsoleSettings()
    topology.require_shareable(settings, starts="this deployment")
    topology.require_timing(settings)
    with database(settings, data, create=False) as found, found.engine() as engine:
        of_database = [*_database(engine, settings), *_others(found)]
        findings = [_configuration(found.settings), *of_database, *_provider(settings), *_mail(settings)]
    healthy = all(each.state != "failed" for each in findings)
    rows = [(each.check, each.state, each.detail) for each in findings]
    say(document({"healthy": healthy, "checks": findings}) if as_json else table(("CHECK", "STATE", "DETAIL"), rows))
    if not healthy:
        ctx.exit(Unhealthy.exit_code)


def _configuration(settings: ConsoleSettings) -> Finding:
    runnable = ", ".join(sorted(configured(settings).capabilities()))
    return Finding("configuration", "ok", f"runs {runnable}")


def _database(engine: Engine, settings: ConsoleSettings) -> Iterator[Finding]:
    try:
        with engine.connect() as conn:
            server = readiness.look(conn)
            revision = migrate.current(conn)
    except Exception as error:
        if reason := explain(error):
            yield Finding("database", "failed", reason.message)
            return
        raise
    yield _version(server)
    yield _schema(revision)
    yield _clock(server, datetime.now(UTC))
    yield _role(server)
    if settings.pooler:
        yield _pooler(server, settings)


def _others(found: Database) -> Iterator[Finding]:
    """The roles that have an address of their own."""
    settings = found.settings
    if settings.console_database_url:
        yield _other("pages", replace(found, settings=settings.of_pages), readiness.may_serve, "may let nobody in")
    if settings.migrations_database_url:
        yield _other(
            "owner", replace(found, settings=topology.as_owner(settings)), readiness.owns, "does not own the queue"
        )


def _other(name: str, found: Database, is_fit: Callable[[Connection], bool], problem: str) -> Finding:
    try:
        with found.engine() as engine, engine.connect() as conn:
            role = readiness.look(conn).role
            return Finding(name, "ok", role) if is_fit(conn) else Finding(name, "failed", f"{role} {problem}")
    except Exception as error:
        if reason := explain(error):
            return Finding(name, "failed", reason.message)
        raise


def _provider(settings: ConsoleSettings) -> Iterator[Finding]:
    if settings.oidc_issuer:
        problem = trial(settings)
        yield Finding("single sign-on", "failed" if problem else "ok", problem or settings.oidc_issuer)


def _mail(settings: ConsoleSettings) -> Iterator[Finding]:
    """What there is of mail: a process that only enqueues it needs the keys alone."""
    if settings.secret_keys or settings.mail_uri:
        unsendable = settings.mail_uri and email_delivery_readiness(settings)
        problem = unsendable or secret_encryption_trial(settings)
        fine = "can be sealed and sent" if settings.mail_uri else "can be sealed here, and is for others to send"
        yield Finding("mail", "failed" if problem else "ok", problem or fine)


def _pooler(server: Server, settings: ConsoleSettings) -> Finding:
    """What sessions of our own would bring along: limits, and hints."""
    if server.unbounded:
        limits = " and ".join(readiness.LIMITS)
        return Finding("pooler", "warning", f"{server.role} has no {limits}: give it those that the README says")
    return Finding("pooler", "ok", f"no hints: work is looked for every {settings.poll_interval_seconds:g} s")


def _version(server: Server) -> Finding:
    if server.too_old:
        return Finding("database", "failed", f"{server.product}; PostgreSQL 15 is the oldest that works")
    if server.read_only:
        return Finding("database", "failed", f"{server.product}, read-only: a standby?")
    return Finding("database", "ok", server.product)


def _schema(revision: str | None) -> Finding:
    head = migrate.head()
    if revision == head:
        return Finding("schema", "ok", head)
    return Finding("schema", "failed", f"at {revision or 'nothing'}, not {head}: run `watchfloor migrate`")


def _clock(server: Server, now: datetime) -> Finding:
    skew = abs((server.now - now).total_seconds())
    state: Literal["ok", "warning"] = "ok" if skew <= MOST_SKEW_SECONDS else "warning"
    return Finding("clock", state, f"{skew:.1f} s from the database's, which is the one that counts")


def _role(server: Server) -> Finding:
    if server.may_work is False:
        return Finding("role", "failed", f"{server.role} may not read and write control.platform_jobs")
    if server.bypasses:
        return Finding("role", "warning", f"{server.role} bypasses row security: fine for one machine, not for tenants")
    return Finding("role", "ok", server.role)
