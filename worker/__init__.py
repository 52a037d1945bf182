"""The engine: a durable job queue in PostgreSQL, and the workers that run it."""
