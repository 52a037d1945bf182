"""What the SDK's exceptions mean to whoever is on call; nothing of their own text is repeated."""

from __future__ import annotations

import re

from botocore.exceptions import (
    ClientError,
    ConnectionError,  # noqa: A004 - the SDK's, which is no OSError
    ConnectTimeoutError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
)

from worker.errors import ObjectMissing, StorageError

_CODE = re.compile(r"[A-Za-z0-9.]{1,60}", re.ASCII)
_SAID_BY_KIND: tuple[tuple[type[Exception], str], ...] = (
    (NoCredentialsError, "there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    (PartialCredentialsError, "half of the credentials is missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
    (CredentialRetrievalError, "the credentials could not be fetched"),
    (SSLError, "the endpoint's certificate is not trusted, or it does not speak TLS"),
    (ConnectTimeoutError, "the endpoint cannot be reached: no connection in time"),
    (ReadTimeoutError, "the endpoint hangs: it took the connection and gave no answer"),
    (ResponseStreamingError, "the endpoint broke off in the middle of an object"),
    (ConnectionError, "the endpoint cannot be reached: is its address right, and is it up?"),
    (HTTPClientError, "the endpoint broke off the connection"),
)
_WRONG_CREDENTIALS = "the credentials are wrong"
_SAID_BY_CODE = {
    "InvalidAccessKeyId": _WRONG_CREDENTIALS,
    "SignatureDoesNotMatch": _WRONG_CREDENTIALS,
    "InvalidToken": _WRONG_CREDENTIALS,
    "ExpiredToken": "the credentials have expired",
    "AccessDenied": "the credentials are wrong, or may not do this here",
    "RequestTimeTooSkewed": "this machine's clock is wrong",
    "PermanentRedirect": "the bucket is in another region",
    "AuthorizationHeaderMalformed": "the bucket is in another region",
}


def meaning(error: Exception, bucket: str) -> StorageError:
    """The same in words, with the endpoint's own code for it where there is one."""
    if isinstance(error, ClientError):
        return _refusal(error, bucket)
    for kind, said in _SAID_BY_KIND:
        if isinstance(error, kind):
            return StorageError(f"object storage: {said}")
    return StorageError(f"object storage: the answer was not understood ({type(error).__name__})")


def _refusal(error: ClientError, bucket: str) -> StorageError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    if code == "NoSuchKey":
        return ObjectMissing()
    if code == "NoSuchBucket":
        return StorageError(f"object storage: there is no bucket {bucket}")
    shown = code if _CODE.fullmatch(code) else str(status)
    said = _SAID_BY_CODE.get(code) or (_SAID_BY_CODE["AccessDenied"] if status == 403 else "the endpoint refused")
    return StorageError(f"object storage: {said} ({shown})")
