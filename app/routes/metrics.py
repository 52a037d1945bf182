"""The figures as Prometheus reads them."""

from __future__ import annotations

from prometheus_client.exposition import choose_encoder
from starlette.responses import Response

from app.api import ApiCall
from app.console import console_of


def show(call: ApiCall) -> Response:
    """All metrics, in the text format or as OpenMetrics where that is asked for."""
    encode, media_type = choose_encoder(call.request.headers.get("accept", ""))
    return Response(encode(console_of(call.request).exposition.reading()), headers={"Content-Type": media_type})
