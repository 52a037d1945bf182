"""Signing in at the provider: there, and back with its word. It is asked while no transaction is open."""

from __future__ import annotations

import hmac
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import anyio.to_thread
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app import entrance, sessions
from app.console import Console, console_of
from app.errors import NotFound
from app.following import own_page
from app.oidc import attempt as attempts
from app.oidc.accounts import operator_of
from app.oidc.attempt import Attempt
from app.oidc.people import person
from app.oidc.problems import NotAdmitted, NotTrusted, OidcProblem
from app.templating import see_other
from app.web import Call, answered
from worker.database import Connection

Ask = Callable[[Request, Console], Response]
Answer = TypeVar("Answer")

STALE = "This sign-in was begun elsewhere, or too long ago. Begin again."
TOO_MANY = "Too many tries. Wait a quarter of an hour, or ask for a link."
DENIED = "The provider did not let you in. Begin again, or ask whoever runs it."


async def new(request: Request) -> Response:
    """On to the provider's page."""
    return await _apart(request, _sent)


async def create(request: Request) -> Response:
    """Back from there: a session, or in plain words why there is none."""
    return await _apart(request, _returned)


def _apart(request: Request, ask: Ask) -> Awaitable[Response]:
    """A few at a time, so that a provider that does not answer holds up nobody else."""
    console = console_of(request)
    if console.provider is None or request.method != "GET":
        raise NotFound
    return anyio.to_thread.run_sync(partial(_explained, request, console, ask), limiter=console.provider.limiter)


def _explained(request: Request, console: Console, ask: Ask) -> Response:
    try:
        return ask(request, console)
    except OidcProblem as problem:
        response = _in_transaction(request, console, partial(_refused, problem))
        attempts.forget(request, response)
        return response


def _sent(request: Request, console: Console) -> Response:
    assert console.provider
    attempt = attempts.begun(own_page(request, request.query_params.get("next")))
    response = see_other(console.provider.address(attempt))
    attempts.keep(request, response, attempt)
    return response


def _returned(request: Request, console: Console) -> Response:
    assert console.provider
    attempt = _own_attempt(request, console)
    if too_many := _in_transaction(request, console, _beyond_limit):
        return too_many
    now = console.now.timestamp() if console.now else time.time()
    who = person(console.provider.claims(attempt, request.query_params["code"], now=now), console.settings)

    def enter(call: Call, conn: Connection) -> Response:
        operator = operator_of(conn, who, call.actor, now=call.now)
        return entrance.admit(call, conn, operator, by="provider", following=own_page(request, attempt.following))

    response = _in_transaction(request, console, enter)
    attempts.forget(request, response)
    return response


def _own_attempt(request: Request, console: Console) -> Attempt:
    """The sign-in that this browser began, and the provider's answer to it."""
    query, attempt = request.query_params, attempts.kept(request)
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), query.get("state", "").encode()):
        raise NotAdmitted(STALE, reason="the state is not this browser's")
    if query.get("iss", console.settings.oidc_issuer) != console.settings.oidc_issuer:
        raise NotTrusted("it comes from another provider")
    if "code" not in query:
        raise NotAdmitted(DENIED, reason="the provider gave no code")
    return attempt


def _beyond_limit(call: Call, conn: Connection) -> Response | None:
    """What is said where one address comes too often: each time has the provider asked (A-75)."""
    beyond = entrance.beyond_address(call, conn)
    if beyond == 1:  # the first beyond the limit stands for those that follow
        entrance.refuse(call, conn, None, TOO_MANY)
    return entrance.sign_in_form(call, "/", problem=TOO_MANY, status=429) if beyond > 0 else None


def _refused(problem: OidcProblem, call: Call, conn: Connection) -> Response:
    entrance.refuse(call, conn, None, f"Provider: {problem.reason}.")
    return entrance.sign_in_form(call, "/", problem=str(problem), status=problem.status)


def _in_transaction(request: Request, console: Console, work: Callable[[Call, Connection], Answer]) -> Answer:
    def transaction() -> Answer:
        with console.engine.begin() as conn:
            visit = sessions.recognise(conn, request)
            call = Call(
                request=request,
                now=visit.now,
                registry=console.registry,
                settings=console.settings,
                operator=visit.operator,
                form=FormData(),
            )
            return work(call, conn)

    return answered(transaction)
