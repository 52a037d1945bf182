"""What a program sends: bounded, of a type that is taken there, and read whole before any transaction begins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, TypeVar, cast

import anyio
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.datastructures import Headers, QueryParams, UploadFile
from starlette.requests import ClientDisconnect, Request

from app import payload_edit
from app.errors import Refused
from worker.errors import InvalidInput
from worker.failures import safe_text

IN_MEMORY_BYTES = 1024 * 1024
MAX_SECONDS = 300
PARAMETERS = "The parameters are not what is taken here."
INEXACT = "The document has a member twice, or a number that would not be kept as it is."

Model = TypeVar("Model", bound=BaseModel)


class Body(BaseModel):
    """A JSON object with no other members than these, each of the type it says."""

    model_config = ConfigDict(extra="forbid", strict=True)


@asynccontextmanager
async def received(request: Request, *, max_bytes: int, media_types: Collection[str]) -> AsyncIterator[IO[bytes]]:
    """The body as a file, on the disk when it is large; afterwards it is gone."""
    _require(request.headers, max_bytes, media_types)
    with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as spooled:
        file = cast("IO[bytes]", spooled)
        try:
            with anyio.fail_after(MAX_SECONDS):
                await _fill(file, request, max_bytes)
        except TimeoutError:
            raise Refused(408, f"The body took longer than {MAX_SECONDS} seconds.") from None
        except ClientDisconnect:
            raise Refused(400, "The body ended before its end.") from None
        yield file


def read(file: IO[bytes], model: type[Model]) -> Model:
    """The body as that model, an empty one as an empty object; a refusal says what is wrong, but repeats no value."""
    file.seek(0)
    sent = file.read() or b"{}"
    try:
        document = model.model_validate_json(sent)
        payload_edit.parsed(sent.decode())
        return document
    except InvalidInput:
        raise Refused(422, INEXACT) from None
    except ValidationError as refusal:
        found = refusal.errors(include_url=False, include_context=False, include_input=False)
    if found[0]["type"] == "json_invalid":
        raise Refused(400, f"The body is not JSON: {safe_text(found[0]['msg'], 200)}.")
    raise _refused("The document is not what is taken here.", found)


def parameters(query: QueryParams, model: type[Model]) -> Model:
    """The parameters of an address as that model."""
    try:
        return model.model_validate(dict(query))
    except ValidationError as refusal:
        found = refusal.errors(include_url=False, include_context=False, include_input=False)
    raise _refused(PARAMETERS, found)


def require_known(query: QueryParams, model: type[BaseModel]) -> None:
    """Refuse what is no parameter there, or stands there twice, unless the model takes whatever comes."""
    if model.model_config.get("extra") != "forbid":
        return
    wrong = dict.fromkeys(sorted(query.keys() - model.model_fields.keys()), "Is no parameter here")
    wrong |= {name: "Is given twice" for name in query if name not in wrong and len(query.getlist(name)) > 1}
    if wrong:
        errors = [{"field": safe_text(name, 100), "detail": told} for name, told in list(wrong.items())[:20]]
        raise Refused(422, PARAMETERS, errors=errors)


def _refused(words: str, found: Sequence[ErrorDetails]) -> Refused:
    told = [each["msg"].removeprefix("Value error, ") for each in found]
    names = [safe_text(".".join(map(str, each["loc"])), 100) for each in found]
    errors = [{"field": name, "detail": why} for name, why in zip(names, told, strict=True)]
    return Refused(422, words, errors=errors[:20])


def _require(headers: Headers, max_bytes: int, media_types: Collection[str]) -> None:
    """Refuse what its headers say is too large, or not to be read here."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 18 or int(length) > max_bytes:
        raise _too_large(max_bytes)
    if int(length) == 0 and "transfer-encoding" not in headers:
        return
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in media_types or "content-encoding" in headers:
        taken = ", ".join(media_types)
        raise Refused(415, f"What is read here is {taken}, not compressed.", headers={"Accept": taken})


async def _fill(file: IO[bytes], request: Request, max_bytes: int) -> None:
    upload = UploadFile(cast("BinaryIO", file), size=0)
    async for chunk in request.stream():
        await upload.write(chunk)
        if upload.size is not None and upload.size > max_bytes:
            raise _too_large(max_bytes)


def _too_large(max_bytes: int) -> Refused:
    return Refused(413, f"The body may hold up to {max_bytes:,} bytes.")
