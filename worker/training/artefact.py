"""A model as bytes.

They are joblib's, compressed: what scikit-learn itself recommends for arrays, and part of it, so no further dependency.
Such bytes are a pickle, and loading one runs what it says. So they are content-addressed: the key and the tenant's
`models.artefact_hash` both name their SHA-256, and whoever loads them compares it first. Watchfloor itself loads none.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import joblib


@dataclass(frozen=True, slots=True)
class Artefact:
    """What is stored, where, and the hash to compare before it is ever loaded."""

    key: str
    data: bytes
    hash: str


def artefact(model: Any, *, tenant_id: UUID, dataset_id: UUID, config_hash: str) -> Artefact:
    """The model under a key of its own, so that two trainings at once cannot overwrite each other's."""
    written = io.BytesIO()
    joblib.dump(model, written, compress=3)
    data = written.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    return Artefact(f"tenants/{tenant_id}/models/{dataset_id}/{config_hash}/{digest}.joblib", data, digest)
