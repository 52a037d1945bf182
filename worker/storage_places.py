"""Where objects are kept, as one address says it: `file:///folder`, or `s3://bucket/prefix?endpoint=…&region=…`.

Plain rules, so that the settings can refuse an address before anything starts. What they say never repeats the address,
because somebody may have put a secret in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from worker.errors import InvalidInput

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,40}", re.ASCII)
_SEGMENT = r"[A-Za-z0-9_][A-Za-z0-9_.=-]{0,199}"
_PATH = re.compile(rf"{_SEGMENT}(/{_SEGMENT})*", re.ASCII)
_LONGEST_PREFIX, _LONGEST_KEY = 200, 512
_FORMS = "must be file:///folder or s3://bucket/prefix?endpoint=…&region=…"


@dataclass(frozen=True)
class Folder:
    """A directory of this machine."""

    path: Path


@dataclass(frozen=True)
class Bucket:
    """A bucket at Amazon, or at another S3-compatible endpoint; whose credentials count is the SDK's to find out."""

    name: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None


Place = Folder | Bucket


def place_of(address: str) -> Place:
    """The place; ValueError says what is wrong with its address."""
    try:
        parts = urlsplit(address)
        in_bucket, in_folder = parts.scheme == "s3", parts.scheme == "file"
        has_credentials = "@" in parts.netloc
    except ValueError:
        raise ValueError(_FORMS) from None
    if has_credentials:
        raise ValueError("must hold no credentials: they come from the environment, as AWS_ACCESS_KEY_ID and so on")
    if in_folder:
        return _folder(parts)
    if in_bucket:
        return _bucket(parts)
    raise ValueError(_FORMS)


def require_key(key: str) -> str:
    """The key itself when it can name an object below any place: relative, and never leading out of it."""
    if len(key) > _LONGEST_KEY or not _PATH.fullmatch(key):
        raise InvalidInput("key", "must be names of a-z A-Z 0-9 . _ = - with / between, none starting with . or -")
    return key


def _folder(parts: SplitResult) -> Folder:
    path = Path(unquote(parts.path))
    is_elsewhere = parts.netloc not in {"", "localhost"}
    if is_elsewhere or parts.query or parts.fragment or not path.is_absolute() or "\0" in str(path):
        raise ValueError("a folder is file:///path, absolute and with nothing behind it")
    return Folder(path)


def _bucket(parts: SplitResult) -> Bucket:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    prefix = parts.path.removeprefix("/").removesuffix("/")
    if not _BUCKET.fullmatch(parts.netloc):
        raise ValueError("a bucket's name is 3 to 63 of a-z 0-9 . - as in s3://bucket/prefix")
    if prefix and not (len(prefix) <= _LONGEST_PREFIX and _PATH.fullmatch(prefix)):
        raise ValueError("a prefix is names of a-z A-Z 0-9 . _ = - with / between, none starting with . or -")
    if parts.fragment or options.keys() - {"endpoint", "region"}:
        raise ValueError("behind ? there may be endpoint= and region=, and nothing else")
    if (region := options.get("region")) is not None and not _REGION.fullmatch(region):
        raise ValueError("a region is a name such as eu-central-1")
    return Bucket(parts.netloc, prefix, _endpoint(options.get("endpoint")), region)


def _endpoint(address: str | None) -> str | None:
    if address is None:
        return None
    try:
        parts = urlsplit(address)
        is_plain = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        has_more = "@" in parts.netloc or bool(parts.path.strip("/") or parts.query or parts.fragment)
    except ValueError:
        is_plain, has_more = False, False
    if not is_plain or has_more:
        raise ValueError("an endpoint is http://host:port or https://host, without credentials or anything behind it")
    return address
