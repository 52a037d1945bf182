"""A scrape, read by the client library as Prometheus would."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient


def scraped(client: TestClient) -> dict[str, Metric]:
    """The families of one scrape, by name."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    found = list(text_string_to_metric_families(answer.text))
    assert len({each.name for each in found}) == len(found)
    return {each.name: each for each in found}


def lines(metric: Metric) -> dict[tuple[str, ...], float]:
    """The values of a family by those of its labels, which are in the order of their names."""
    return {tuple(each.labels[name] for name in sorted(each.labels)): each.value for each in metric.samples}


def values(families: Mapping[str, Metric], name: str, **labels: str) -> list[float]:
    """The values of a metric's lines that have these labels."""
    samples = (sample for family in families.values() for sample in family.samples if sample.name == name)
    return [each.value for each in samples if labels.items() <= each.labels.items()]
