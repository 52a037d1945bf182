"""What Prometheus is told, in its own format: the figures of the pages, and how bad each trouble is.

All of it is read from the database, counters too: the numbers are the same from every console and after every restart.
A rate says over which time it is taken, as in `…_per_minute`.
"""
