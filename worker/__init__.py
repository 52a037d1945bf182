"""The engine: tables, transitions, loops and handlers of a durable job queue; it knows no screen."""
