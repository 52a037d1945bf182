"""What the exceptions of Azure's SDKs mean to whoever is on call; nothing of their own text is repeated.

Loads the SDK: import it only where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ServiceRequestError,
    ServiceRequestTimeoutError,
    ServiceResponseError,
    ServiceResponseTimeoutError,
)

_CODE = re.compile(r"[A-Za-z0-9.]{1,60}", re.ASCII)
_SAID_BY_KIND: tuple[tuple[type[Exception], str], ...] = (
    (ServiceRequestTimeoutError, "the endpoint cannot be reached: no connection in time"),
    (ServiceResponseTimeoutError, "the endpoint hangs: it took the connection and gave no answer"),
    (
        ServiceRequestError,
        "the endpoint cannot be reached: is its address right, its certificate trusted, and is it up?",
    ),
    (ServiceResponseError, "the endpoint broke off the connection"),
)
_SAID_BY_STATUS = {
    401: "the credentials are wrong",
    403: "the credentials may not do this here",
    404: "there is no such thing",
    429: "the endpoint asks for fewer requests",
}


def code_of(error: HttpResponseError) -> str:
    """The endpoint's own code for its refusal, or the status."""
    code = str(getattr(error.error, "code", ""))
    return code if _CODE.fullmatch(code) else str(error.status_code)


def in_words(error: Exception, said_by_status: Mapping[int, str]) -> str:
    """The same in words, with the endpoint's own code for it where there is one; the service's own words come first."""
    for kind, said in _SAID_BY_KIND:
        if isinstance(error, kind):
            return said
    if isinstance(error, HttpResponseError) and error.status_code:
        status = error.status_code
        return f"{said_by_status.get(status) or _SAID_BY_STATUS.get(status, 'the endpoint refused')} ({code_of(error)})"
    if isinstance(error, ClientAuthenticationError):  # by the identity's SDK, which has asked nobody, or in vain
        return "there are no credentials that count: set AZURE_CLIENT_ID and so on, or give the process an identity"
    return f"the answer was not understood ({type(error).__name__})"
