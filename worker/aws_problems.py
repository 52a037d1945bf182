"""What the exceptions of AWS's SDK mean to whoever is on call; nothing of their own text is repeated.

Loads the SDK: import it only where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from botocore.exceptions import (
    ClientError,
    ConnectionError,  # noqa: A004 - the SDK's, which is no OSError
    ConnectTimeoutError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
)

_CODE = re.compile(r"[A-Za-z0-9.]{1,60}", re.ASCII)
_SAID_BY_KIND: tuple[tuple[type[Exception], str], ...] = (
    (NoCredentialsError, "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    (PartialCredentialsError, "half of the credentials is missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    (CredentialRetrievalError, "the credentials could not be fetched"),
    (NoRegionError, "no region is named: set AWS_REGION, or region= in the address"),
    (SSLError, "the endpoint's certificate is not trusted, or it does not speak TLS"),
    (ConnectTimeoutError, "the endpoint cannot be reached: no connection in time"),
    (ReadTimeoutError, "the endpoint hangs: it took the connection and gave no answer"),
    (ResponseStreamingError, "the endpoint broke off in the middle of an object"),
    (ConnectionError, "the endpoint cannot be reached: is its address right, and is it up?"),
    (HTTPClientError, "the endpoint broke off the connection"),
)
_WRONG_CREDENTIALS, _MAY_NOT = "the credentials are wrong", "the credentials are wrong, or may not do this here"
_EXPIRED = "the credentials have expired"
_SAID_BY_CODE = {
    "AccessDenied": _MAY_NOT,
    "AccessDeniedException": _MAY_NOT,
    "ExpiredToken": _EXPIRED,
    "ExpiredTokenException": _EXPIRED,
    "InvalidAccessKeyId": _WRONG_CREDENTIALS,
    "InvalidToken": _WRONG_CREDENTIALS,
    "InvalidSignatureException": _WRONG_CREDENTIALS,
    "RequestTimeTooSkewed": "this machine's clock is wrong",
    "SignatureDoesNotMatch": _WRONG_CREDENTIALS,
    "ThrottlingException": "the endpoint asks for fewer requests",
    "UnrecognizedClientException": _WRONG_CREDENTIALS,
}


def code_of(error: ClientError) -> str:
    """The endpoint's own code for its refusal."""
    return str(error.response.get("Error", {}).get("Code", ""))


def in_words(error: Exception, said_by_code: Mapping[str, str]) -> str:
    """The same in words, with the endpoint's own code for it where there is one; the service's own codes come first."""
    if isinstance(error, ClientError):
        return _refusal(error, said_by_code)
    for kind, said in _SAID_BY_KIND:
        if isinstance(error, kind):
            return said
    return f"the answer was not understood ({type(error).__name__})"


def _refusal(error: ClientError, said_by_code: Mapping[str, str]) -> str:
    code, status = code_of(error), error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    said = said_by_code.get(code) or _SAID_BY_CODE.get(code) or (_MAY_NOT if status == 403 else "the endpoint refused")
    return f"{said} ({code if _CODE.fullmatch(code) else status})"
