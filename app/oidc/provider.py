"""The provider itself: what it says of itself, where it sends browsers, and what it gives for a code."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2
from anyio import CapacityLimiter
from authlib.integrations.httpx_client import OAuth2Client, OAuthError
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet

from app.oidc.attempt import Attempt
from app.oidc.claims import UNSIGNED, Expected, UnknownKey, verified
from app.oidc.description import Description, described
from app.oidc.opening import CALLBACK
from app.oidc.problems import NotTrusted, Unreachable
from worker.deadline import DeadlinePassed, within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.settings import ConsoleSettings

Answer = TypeVar("Answer")

DEADLINE_SECONDS = 10
FRESH_SECONDS = 3600
"""For so long what the provider says of itself, and its keys, are not asked for again."""
LOOK_AGAIN_SECONDS = 60
"""So often at most it is asked for a key that it did not have before."""
AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Known:
    """What was asked for, and when."""

    description: Description
    keys: KeySet
    since: float


class Provider:
    """Asks the provider, each time within a deadline; nobody waits for it with the database in hand."""

    def __init__(self, settings: ConsoleSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limiter = CapacityLimiter(AT_ONCE)
        self._settings = settings
        self._clock = clock
        self._known: Known | None = None
        self._lock = Lock()

    def address(self, attempt: Attempt) -> str:
        """Where the browser goes to sign in."""

        def ask() -> str:
            with self._client() as client:
                known = self._current(client)
                place = known.description.authorization_endpoint
                nonce, verifier = attempt.nonce, attempt.verifier
                made, _ = client.create_authorization_url(place, attempt.state, code_verifier=verifier, nonce=nonce)
                return str(made)

        return self._asked(ask)

    def claims(self, attempt: Attempt, code: str, *, now: float) -> Mapping[str, Any]:
        """What the provider says of whoever came back with the code."""

        def ask() -> Mapping[str, Any]:
            with self._client() as client:
                known = self._current(client)
                client.token_endpoint_auth_method = known.description.auth_method(client.client_secret)
                given = client.fetch_token(
                    known.description.token_endpoint,
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=attempt.verifier,
                )
                return self._believed(client, given, attempt, now)

        return self._asked(ask)

    def _believed(
        self, client: OAuth2Client, given: Mapping[str, Any], attempt: Attempt, now: float
    ) -> Mapping[str, Any]:
        token, known = given.get("id_token"), self._current(client)
        if not isinstance(token, str):
            raise NotTrusted("it has no token about anybody")
        expected = Expected(
            known.description.issuer,
            str(self._settings.oidc_client_id),
            attempt.nonce,
            given.get("access_token"),
            known.description.algorithms,
        )
        try:
            return verified(token, known.keys, expected, now=now)
        except UnknownKey:
            again = self._current(client, at_most_seconds=LOOK_AGAIN_SECONDS)
        try:
            return verified(token, again.keys, expected, now=now)
        except UnknownKey:
            raise NotTrusted(UNSIGNED) from None

    def _current(self, client: OAuth2Client, *, at_most_seconds: float = FRESH_SECONDS) -> Known:
        """What we know of the provider, asked for anew when it is older than that."""
        if not self._lock.acquire(timeout=DEADLINE_SECONDS):  # nobody waits for this one any more
            raise DeadlinePassed
        try:
            if self._known is None or self._clock() - self._known.since > at_most_seconds:
                description = described(str(self._settings.oidc_issuer), lambda address: _document(client, address))
                keys = _keys(_document(client, description.jwks_uri))
                self._known = Known(description, keys, self._clock())
            return self._known
        finally:
            self._lock.release()

    @contextmanager
    def _client(self) -> Iterator[OAuth2Client]:
        """A connection of its own for each sign-in; SSL_CERT_FILE names the authorities beyond the system's."""
        settings = self._settings
        secret = settings.oidc_client_secret
        client = OAuth2Client(
            client_id=settings.oidc_client_id,
            client_secret=secret.get_secret_value() if secret else None,
            scope=settings.oidc_scopes,
            redirect_uri=f"{settings.url}{CALLBACK}",
            code_challenge_method="S256",
            verify=ssl.create_default_context(),
            timeout=DEADLINE_SECONDS,
            follow_redirects=False,
        )
        with client:
            yield client

    def _asked(self, ask: Callable[[], Answer]) -> Answer:
        try:
            return within(DEADLINE_SECONDS, ask, name="oidc")
        except DeadlinePassed:
            raise Unreachable(f"no answer within {DEADLINE_SECONDS} s") from None
        except httpx2.HTTPStatusError as error:
            raise Unreachable(f"it answered {error.response.status_code}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise Unreachable(type(error).__name__) from None
        except OAuthError as error:
            raise NotTrusted(_refused(error)) from None
        except ValueError:  # of what should have been JSON
            raise Unreachable("what it says cannot be read") from None


def _document(client: OAuth2Client, address: str) -> Any:
    answer = client.request("GET", address, withhold_token=True)
    answer.raise_for_status()
    return answer.json()


def _keys(document: Any) -> KeySet:
    """Its keys, without those of kinds that are not known here, which the standard has us pass over."""
    listed = document.get("keys") if isinstance(document, dict) else None
    keys = [key for each in listed for key in _read(each)] if isinstance(listed, list) else []
    if not keys:
        raise Unreachable("its keys cannot be read")
    return KeySet(keys)


def _read(key: Any) -> list[Key]:
    try:
        return KeySet.import_key_set({"keys": [key]}).keys
    except (JoseError, AttributeError, KeyError, TypeError, ValueError):
        return []


def _refused(error: OAuthError) -> str:
    """By the error's code, which the standard lists; its description is anybody's text."""
    code = str(error.error or "")
    known = {
        "invalid_grant": "the code was used, or its time is over",
        "invalid_client": "it does not know this console",
    }
    return known.get(code, "it gave nothing for the code")
