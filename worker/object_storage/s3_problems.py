"""What the exceptions of the SDK mean for an object."""

from __future__ import annotations

from botocore.exceptions import ClientError

from worker.aws_problems import code_of, in_words
from worker.errors import ObjectMissing, StorageError

_SAID_BY_CODE = {
    "PermanentRedirect": "the bucket is in another region",
    "AuthorizationHeaderMalformed": "the bucket is in another region",
}


def meaning(error: Exception, bucket: str) -> StorageError:
    """The same in words, with the endpoint's own code for it where there is one."""
    code = code_of(error) if isinstance(error, ClientError) else None
    if code == "NoSuchKey":
        return ObjectMissing()
    if code == "NoSuchBucket":
        return StorageError(f"object storage: there is no bucket {bucket}")
    return StorageError(f"object storage: {in_words(error, _SAID_BY_CODE)}")
