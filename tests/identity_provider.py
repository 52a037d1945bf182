"""An OpenID Connect provider at 127.0.0.1, over TLS: it does what the standard says, unless a test has it misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey

from tests.certificates import Certificate
from tests.factories import NOON

CLIENT_ID, CLIENT_SECRET = "watchfloor", "between the two of us"
SUBJECT = "248289761001"
DANA = {
    "sub": SUBJECT,
    "preferred_username": "dana",
    "email": "dana@floor.example",
    "email_verified": True,
    "groups": ["everyone", "oncall"],
}

Signed = Callable[[dict[str, Any]], str]


def key(kid: str) -> ECKey:
    """A key of that name."""
    return ECKey.generate_key("P-256", {"kid": kid})


@dataclass
class IdentityProvider:
    """`person` is whom it vouches for; `lies` are claims put in their place, None for left out.

    While somebody holds its `silence`, it answers nothing.
    """

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=lambda: dict(DANA))
    lies: dict[str, Any] = field(default_factory=dict)
    says: dict[str, Any] = field(default_factory=dict)
    status: int = 200
    keys: list[ECKey] = field(default_factory=lambda: [key("first")])
    now: float = field(default_factory=NOON.timestamp)
    sign: Signed | None = None
    silence: threading.Lock = field(default_factory=threading.Lock)
    asked: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def come_back(self, address: str) -> str:
        """Where the browser is sent once the person has signed in: the console's address with a code."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (asked["client_id"], asked["response_type"]) == (CLIENT_ID, "code")
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state'], 'iss': self.issuer})}"

    def answer(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """The document at a path."""
        with self.silence:
            self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            return self.status, self._description()
        if path == "/keys":
            return 200, {"keys": [each.as_dict(private=False) for each in self.keys]}
        return self._token(form, authorization)

    def _description(self) -> dict[str, Any]:
        at = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}
        places = {name: self.issuer + path for name, path in at.items()}
        known = {"issuer": self.issuer, "id_token_signing_alg_values_supported": ["ES256", "none", "HS256"]}
        return {**places, **known, **self.says}

    def _token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        asked = self.codes.pop(form.get("code", ""), None)
        client = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET.replace(' ', '+')}".encode()).decode()
        if authorization not in (f"Basic {client}", f"Basic {_basic(CLIENT_ID, CLIENT_SECRET)}"):
            return 401, {"error": "invalid_client"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant", "error_description": "<script>alert(1)</script>"}
        return 200, {"access_token": "unused", "token_type": "Bearer", "id_token": self._id_token(asked["nonce"])}

    def _id_token(self, nonce: str) -> str:
        issued = int(self.now)
        about = {"iss": self.issuer, "aud": CLIENT_ID, "iat": issued, "exp": issued + 300, "nonce": nonce}
        claims = {**about, **self.person, **self.lies}
        kept = {name: value for name, value in claims.items() if value is not None}
        newest = self.keys[-1]
        return self.sign(kept) if self.sign else jwt.encode({"alg": "ES256", "kid": newest.kid}, kept, newest)


@contextmanager
def identity_provider(certificate: Certificate) -> Iterator[IdentityProvider]:
    """A provider that listens."""
    provider = IdentityProvider()

    class Handler(BaseHTTPRequestHandler):
        timeout = 30

        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            path = urlsplit(self.path).path
            if path == "/authorize":
                return self.reply(302, {}, provider.come_back(self.path))
            return self.reply(*provider.answer(path, form, self.headers.get("Authorization", "")))

        def reply(self, status: int, document: Any, location: str | None = None) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do  # noqa: N815 - the names that http.server looks for

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as in the base class
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = certificate.context().wrap_socket(server.socket, server_side=True)
    provider.issuer = f"https://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


def _basic(name: str, password: str) -> str:
    return base64.b64encode(f"{name}:{password}".encode()).decode()
