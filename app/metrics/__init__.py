"""What Prometheus is told, in its own format: the figures of the pages, and how bad each trouble is.

All of it is gauges, read from the database whenever it is asked for: the numbers are the same from every console and
after every restart. What is counted over time says over which, as in `…_per_minute` and `…_last_hour`.
"""
