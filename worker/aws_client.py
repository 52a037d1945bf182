"""How a client of AWS's SDK is made. Loads the SDK: import it only where it is used."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from boto3.session import Session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

ERRORS = (BotoCoreError, ClientError, ResponseParserError)
"""All that the SDK raises of its own; their texts may hold an address."""

_TRIES = 2


def client_of(
    service: str, *, endpoint: str | None, region: str | None, deadline_seconds: float, **options: Any
) -> Callable[[ExitStack], Any]:
    """What makes a client that tries twice within the deadline: to find credentials may need the network."""

    def make(to_close: ExitStack) -> Any:
        config = Config(
            connect_timeout=deadline_seconds / 4,
            read_timeout=deadline_seconds / 2,
            retries={"mode": "standard", "total_max_attempts": _TRIES},
            **options,
        )
        client = Session().client(service, endpoint_url=endpoint, region_name=region, config=config)
        to_close.callback(client.close)
        return client

    return make
