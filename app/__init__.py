"""The console: HTTP, pages, sign-in and the command line, an adapter on the engine."""
