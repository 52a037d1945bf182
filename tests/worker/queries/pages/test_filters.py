"""What an address may narrow the list of jobs to, and how it is written back (A-80)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.factories import NOON
from worker.errors import InvalidInput
from worker.queries.pages.filters import Filters, instant, parse


def read(query: dict[str, str]) -> Filters:
    return parse(query.items(), now=NOON)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("queued", "queued"),
        ("pending", "queued"),
        ("claimed", "running"),
        ("completed", "succeeded"),
        ("dead_letter", "failed"),
        ("dead", "failed"),
        ("ready", "ready"),
        ("scheduled", "scheduled"),
        ("retrying", "retrying"),
        ("cancelled", "cancelled"),
    ],
)
def test_a_status_is_known_in_both_vocabularies_and_by_description(word: str, status: str) -> None:
    assert read({"status": word}).status == status
    assert read({"state": word}).status == status


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"error": "timeout"}, "failed"),
        ({"group": "f" * 16, "status": "queued"}, "failed"),
        ({"worker": "w"}, "running"),
    ],
)
def test_a_filter_that_one_state_alone_can_pass_brings_that_state(query: dict[str, str], status: str) -> None:
    assert read(query).status == status


def test_the_words_of_an_error_are_kept_apart_and_phrases_together() -> None:
    filters = read({"error": ' timed "not  found" out '})
    assert filters.error == ("timed", "not  found", "out")
    assert parse(filters.pairs(), now=NOON) == filters


def test_what_is_written_back_reads_the_same() -> None:
    query = {
        "status": "failed",
        "handler": "crm.sync",
        "queue": "mail",
        "tenant": "acme",
        "since": "24h",
        "action": "7",
    }
    filters = read(query)
    assert (filters.type, filters.action) == ("crm.sync", 7)
    assert parse(filters.pairs(), now=NOON) == filters


def test_an_age_is_a_bound_of_creation() -> None:
    assert read({"age": ">2h"}) == Filters(until="2h")
    assert read({"age": "< 30m"}) == Filters(since="30m")


def test_what_a_payload_must_hold_is_named_by_its_path() -> None:
    filters = read({"payload.order.id": "7", "payload.items.0.sku": " a b ", "payload.none": ""})
    assert filters.payload == (("order.id", "7"), ("items.0.sku", "a b"))
    assert parse(filters.pairs(), now=NOON) == filters


@pytest.mark.parametrize(
    ("query", "sort"),
    [
        ({"sort": "created"}, "created"),
        ({"sort": "-created"}, None),
        ({"sort": "ended", "status": "failed"}, "ended"),
        ({"sort": "-created", "status": "failed"}, "-created"),
        ({"sort": "ended"}, None),
    ],
)
def test_an_order_is_kept_where_it_can_be_had_and_is_not_the_natural_one(
    query: dict[str, str], sort: str | None
) -> None:
    assert read(query).sort == sort


def test_what_is_empty_or_unknown_asks_for_nothing() -> None:
    assert read({"queue": "", "tenant": "   ", "page": "9", "q": "x"}) == Filters()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "broken"),
        ("action", "1" * 19),
        ("action", "-1"),
        ("action", "٣"),
        ("queue", "q" * 101),
        ("tenant", "a\0b"),
        ("since", "yesterday"),
        ("age", "2h"),
        ("sort", "name"),
        ("since", "99999d"),
        ("until", "2026-13-01"),
        ("since", "9999-12-31T23:59:59-23:59"),
        ("error", " ".join("abcdefghijklmnopqrstu")),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_name(field: str, value: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read({field: value})
    assert refusal.value.field == field


@pytest.mark.parametrize("path", ["a..b", "a b", 'a"b', "a\\b", ".".join("abcdefghijk")])
def test_a_path_that_no_payload_has_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput, match="payload: is searched by"):
        read({f"payload.{path}": "x"})


def test_a_worker_holds_nothing_that_does_not_run() -> None:
    with pytest.raises(InvalidInput, match=r"worker: .* not failed"):
        read({"worker": "w-1", "status": "failed"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90m", NOON - timedelta(minutes=90)),
        ("7d", NOON - timedelta(days=7)),
        ("2026-11-29", datetime(2026, 11, 29, tzinfo=UTC)),
        ("2026-11-29 09:30", datetime(2026, 11, 29, 9, 30, tzinfo=UTC)),
        ("2026-11-29T09:30+01:00", datetime(2026, 11, 29, 8, 30, tzinfo=UTC)),
    ],
)
def test_a_time_is_a_date_a_time_or_so_long_ago(text: str, expected: datetime) -> None:
    assert instant(text, field="since", now=NOON) == expected
