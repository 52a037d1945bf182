"""Tokens, as the programs that hold them read them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.tokens import OwnToken, TokenLine, TokenList
from worker.database import Connection
from worker.queries import tokens


def own(call: ApiCall) -> Response:
    """Read which token was shown, and what it may do."""
    return Document(OwnToken(name=call.token.name, scopes=sorted(call.token.scopes)))


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List every token by name, the revoked too; never the token itself."""
    return Document(TokenList(tokens=[TokenLine.model_validate(row) for row in tokens.everything(conn)]))
