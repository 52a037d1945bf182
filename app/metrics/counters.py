"""What only ever grows: the attempts that ended, and how long they ran; from the database, so whoever is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from app.metrics.families import Labels, summed
from app.metrics.names import MOST, OTHERS
from worker.model import AttemptOutcome
from worker.queries.pages.totals import BOUNDS_SECONDS, Total
from worker.queries.pages.windows import OUTCOMES

PAIR = ("queue", "job_type")
_WORDS = {str(stored): word for word, stored in OUTCOMES.items()}
_BOUNDS = (*map(str, BOUNDS_SECONDS), "+Inf")


def families(totals: Sequence[Total]) -> Iterator[Metric]:
    """Both; the names that were seen first are told apart, so that no counter ever changes into another."""
    known = set(list(dict.fromkeys((each.queue, each.handler_key) for each in totals))[:MOST])
    rows = [(pair if (pair := (each.queue, each.handler_key)) in known else (OTHERS, OTHERS), each) for each in totals]
    ended = summed(((*pair, _WORDS.get(each.outcome, each.outcome)), each.jobs) for pair, each in rows)
    attempts = CounterMetricFamily(
        "watchfloor_attempts", "Attempts that ended, by how they ended.", labels=(*PAIR, "outcome")
    )
    for labels, jobs in sorted(ended.items()):
        attempts.add_metric(labels, jobs)
    yield attempts
    yield _runs([(pair, each) for pair, each in rows if each.outcome == AttemptOutcome.COMPLETED])


def _runs(completed: Sequence[tuple[Labels, Total]]) -> Metric:
    seconds = summed((pair, each.run_ms / 1000) for pair, each in completed)
    counts = summed(
        ((*pair, bound), count) for pair, each in completed for bound, count in zip(_BOUNDS, each.runs, strict=True)
    )
    family = HistogramMetricFamily("watchfloor_run_seconds", "How long completed attempts ran.", labels=PAIR)
    for pair in sorted(seconds):
        reached = accumulate(counts[*pair, bound] for bound in _BOUNDS)
        family.add_metric(pair, list(zip(_BOUNDS, reached, strict=True)), seconds[pair])
    return family
