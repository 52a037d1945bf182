"""Objects in a bucket, at Amazon or at any endpoint that speaks S3. Loads the SDK: import it only where it is used."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from worker.aws_client import ERRORS, client_of
from worker.object_storage.deadline import within
from worker.object_storage.s3_problems import meaning
from worker.once import Once
from worker.storage_places import Bucket, require_key

Answer = TypeVar("Answer")


class S3Storage:
    """One client, made at the first call: to find credentials may need the network, so that counts for the deadline."""

    def __init__(self, bucket: Bucket, *, deadline_seconds: float) -> None:
        self._bucket = bucket
        self._deadline_seconds = deadline_seconds
        self._client = Once(_client(bucket, deadline_seconds))

    def put(self, key: str, data: bytes) -> None:
        """Keep the object whole, in the place of one that has the key."""
        name = self._name(key)
        self._ask(lambda client: client.put_object(Bucket=self._bucket.name, Key=name, Body=data))

    def get(self, key: str) -> bytes:
        """The object; ObjectMissing when there is none."""
        name = self._name(key)

        def read(client: Any) -> bytes:
            with client.get_object(Bucket=self._bucket.name, Key=name)["Body"] as body:
                found = body.read()
            assert isinstance(found, bytes)
            return found

        return self._ask(read)

    def delete(self, key: str) -> None:
        """Have no object of that key; there need not have been one."""
        name = self._name(key)
        self._ask(lambda client: client.delete_object(Bucket=self._bucket.name, Key=name))

    def _name(self, key: str) -> str:
        return f"{self._bucket.prefix}/{require_key(key)}".lstrip("/")

    def _ask(self, question: Callable[[Any], Answer]) -> Answer:
        """The answer, within the deadline; of an SDK's exception, which may hold an address, the meaning is kept."""
        try:
            return within(self._deadline_seconds, lambda: question(self._client()))
        except ERRORS as error:
            raise meaning(error, self._bucket.name) from None


def _client(bucket: Bucket, deadline_seconds: float) -> Callable[[ExitStack], Any]:
    return client_of(
        "s3",
        endpoint=bucket.endpoint,
        region=bucket.region or ("us-east-1" if bucket.endpoint else None),
        deadline_seconds=deadline_seconds,
        s3={"addressing_style": "path" if bucket.endpoint else "auto"},
        # The checksums of later years are not known to every endpoint that speaks S3
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
