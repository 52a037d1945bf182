"""What all tables of a tenant share.

They are called by their names alone, and each has `tenant_id`, which is what row security asks for (S1-70).
"""

from __future__ import annotations

from sqlalchemy import MetaData

from worker.queries.schema.base import metadata as control

metadata = MetaData(naming_convention=control.naming_convention)
