"""The document of the API (OpenAPI 3.1), made of its table, so that nothing is served that it does not tell of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import cache
from http import HTTPStatus
from importlib import metadata
from typing import Any

from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from app.api import JSON, ApiRoute
from app.documents import Document
from app.shapes import Problem

SCHEMAS = "#/components/schemas/{model}"
PATHS = {
    "act": ("uuid", "The id of an act."),
    "dataset": ("uuid", "The id of a dataset."),
    "group": (None, "The fingerprint of a group of dead letters."),
    "instance": (None, "The id of a worker's process."),
    "job": ("uuid", "The id of a job."),
    "operator": ("uuid", "The id of an operator."),
    "queue": (None, "The name of a queue."),
    "tenant": ("uuid", "The id of a tenant."),
    "token": (None, "The name of a token."),
    "type": (None, "A job type, or the id of a subscriber."),
    "view": ("uuid", "The id of a saved view."),
}
"""What stands in addresses: the format and what it is."""
TEXT = {"schema": {"type": "string"}}
KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The repeat of a request with the same key is answered with what the first one made.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
}
_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
_SECURITY = {"type": "http", "scheme": "bearer", "description": "A token of `watchfloor tokens add`, with a scope."}

Json = dict[str, Any]
Schemas = Mapping[Any, Json]
"""Where the schema of each model stands."""


def described(routes: Iterable[ApiRoute]) -> Callable[[Request], Awaitable[Response]]:
    """Answers with the document of these routes, which is made when somebody first asks for it."""
    table = tuple(routes)

    @cache
    def made() -> Json:
        return document(table, version=metadata.version("watchfloor"))

    async def show(request: Request) -> Response:
        return Document(made())

    return show


def document(routes: Iterable[ApiRoute], *, version: str) -> Json:
    """All there is to know of these routes, for programs that call them or are made from it."""
    table = list(routes)
    schemas, components = _schemas(table)
    paths: dict[str, Json] = {}
    for route in table:
        paths.setdefault(_PARAMETER.sub(r"{\1}", route.path), {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Watchfloor", "version": version, "description": inspect.cleandoc(ABOUT)},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": _SECURITY}},
    }


ABOUT = """
    What the console shows and does, for programs. A scope that is a role (viewer, operator, admin) may do what those
    before it may, and is what the same page asks of people. Times are in UTC. A list goes on at `next_cursor`, null at
    its end. What is refused is a problem document (RFC 9457). An answer's ETag may be sent as If-None-Match.
    """


def _schemas(table: list[ApiRoute]) -> tuple[Schemas, Json]:
    """Where each model of the table stands, and all that stand there."""
    bodies = [route.body for route in table if route.body]
    answers = [route.answer for route in table if not isinstance(route.answer, str)]
    wanted: list[tuple[Any, JsonSchemaMode]] = [(each, "validation") for each in dict.fromkeys(bodies)]
    wanted += [(each, "serialization") for each in dict.fromkeys([*answers, Problem])]
    places, found = models_json_schema(wanted, ref_template=SCHEMAS)
    return {place[0]: schema for place, schema in places.items()}, found.get("$defs", {})


def _operation(route: ApiRoute, schemas: Schemas) -> Json:
    told = inspect.getdoc(route.handler)
    if not told:
        raise ValueError(f"{route.method} {route.path}: say in the handler's docstring what it does")
    summary, _, more = told.partition("\n")
    body = {"requestBody": _body(route, schemas)} if route.method == "POST" and _takes_body(route) else {}
    return {
        "operationId": _name(route),
        "tags": [_tag(route)],
        "summary": summary,
        "description": "\n\n".join(filter(None, [more.strip(), f"Scope: `{route.scope}`."])),
        "security": [{"token": [route.scope]}],
        "parameters": [*_in_path(route), *_in_query(route), *([KEY] if route.keyed else [])],
        **body,
        "responses": {str(status): answer for status, answer in _responses(route, schemas)},
    }


def _name(route: ApiRoute) -> str:
    """What the operation is called: where its handler stands."""
    module = route.handler.__module__.removeprefix("app.routes.").removeprefix("v1.")
    return f"{module}.{route.handler.__name__}"


def _tag(route: ApiRoute) -> str:
    words = route.path.removeprefix("/api/v1").strip("/").split("/")
    return words[1] if words[0] == "admin" else words[0]


def _takes_body(route: ApiRoute) -> bool:
    return route.body is not None or route.media_types != (JSON,)


def _body(route: ApiRoute, schemas: Schemas) -> Json:
    if route.body is None:
        return {"required": True, "content": dict.fromkeys(route.media_types, TEXT)}
    needed = any(field.is_required() for field in route.body.model_fields.values())
    return {"required": needed, "content": {JSON: {"schema": schemas[route.body]}}}


def _in_path(route: ApiRoute) -> Iterator[Json]:
    for name in _PARAMETER.findall(route.path):
        form, about = PATHS[name]
        schema = {"type": "string", "format": form} if form else {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "description": about, "schema": schema}


def _in_query(route: ApiRoute) -> Iterator[Json]:
    known = route.query.model_json_schema()
    for name, described in known.get("properties", {}).items():
        schema = {key: value for key, value in described.items() if key not in ("title", "description", "default")}
        if choice := [each for each in schema.pop("anyOf", []) if each != {"type": "null"}]:
            schema |= choice[0]
        if described.get("default") is not None:
            schema["default"] = described["default"]
        needed = name in known.get("required", [])
        about = described["description"]
        yield {"name": name, "in": "query", "required": needed, "description": about, "schema": schema}


def _responses(route: ApiRoute, schemas: Schemas) -> Iterator[tuple[int, Json]]:
    told = TEXT if isinstance(route.answer, str) else {"schema": schemas[route.answer]}
    media_type = route.answer if isinstance(route.answer, str) else JSON
    for status in route.statuses:
        yield status, {"description": HTTPStatus(status).phrase, "content": {media_type: told}}
    if route.method == "GET":
        yield 304, {"description": "Nothing has changed since the answer with that ETag."}
    problem = {"application/problem+json": {"schema": schemas[Problem]}}
    for status in sorted(_refusals(route)):
        yield status, {"description": HTTPStatus(status).phrase, "content": problem}


def _refusals(route: ApiRoute) -> set[int]:
    """What may be refused of such a route; of any, who asks, how often, and while the database is out of reach."""
    found = {400, 401, 403, 413, 414, 415, 422, 429, 500, 503}
    if "{" in route.path or route.body:
        found |= {404}
    return found | {408, 409} if route.method == "POST" else found
