"""The door: what cannot be kept is refused with its name, and what is in order passes quickly and unchanged."""

from __future__ import annotations

import json
from datetime import datetime
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import NOON, job_types
from tests.telling import ASKED
from worker.batches import Batch, joined, portions
from worker.errors import InvalidInput
from worker.model import new_id, new_ids
from worker.new_jobs import Door, NewJob
from worker.payloads import MAX_BYTES, check, dumps, to_text

DOOR = Door(job_types("render_report"))


class Size(IntEnum):
    """A number that only looks like one."""

    SMALL = 1


def nested(levels: int) -> Any:
    return json.loads("[" * levels + "]" * levels)


def refused(new: NewJob) -> InvalidInput:
    with pytest.raises(InvalidInput) as refusal:
        DOOR.admit([NewJob("render_report"), new])
    assert "ada@" not in str(refusal.value)
    return refusal.value


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"a": "x\0y"}, "payload.a"),
        ({"\0k": 1}, "payload"),
        ({"a": {"b": ["c", "\0"]}}, "payload.a.b[1]"),
    ],
)
def test_a_32_a_nul_is_refused_with_its_path(payload: Any, path: str) -> None:
    assert (
        refused(NewJob("render_report", payload)).field,
        "NUL" in str(refused(NewJob("render_report", payload))),
    ) == (
        path,
        True,
    )


def test_a_32_backslashes_that_spell_a_nul_are_text_like_any_other() -> None:
    assert json.loads(to_text({"a": "\\u0000"})) == {"a": "\\u0000"}


@pytest.mark.parametrize(
    ("payload", "path"),
    [({"a": "\ud83d"}, "payload.a"), ({"\ud83d": 1}, "payload"), ({"a": ["\ude00"]}, "payload.a[0]")],
)
def test_a_33_a_lone_surrogate_is_refused_with_its_path(payload: Any, path: str) -> None:
    refusal = refused(NewJob("render_report", payload))
    assert (refusal.field, "surrogate" in refusal.problem) == (path, True)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_34_what_is_no_number_is_refused_with_its_path(number: float) -> None:
    assert refused(NewJob("render_report", {"x": number})).field == "payload.x"
    assert refused(NewJob("render_report", {"x": [1, {"y": number}]})).field == "payload.x[1].y"
    assert refused(NewJob("render_report", metadata={"load": number})).field == "metadata.load"
    assert refused(NewJob("render_report", delay_seconds=number)).field == "delay_seconds"


@pytest.mark.parametrize("levels", [66, 2000])
def test_a_35_what_is_nested_too_deep_is_refused(levels: int) -> None:
    deep: Any = {}
    for _ in range(levels - 1):
        deep = {"d": deep}
    assert "nested deeper" in refused(NewJob("render_report", deep)).problem
    assert check(nested(65)) > 0


@pytest.mark.parametrize(
    "payload",
    [
        {"x": "y" * (MAX_BYTES - 7)},
        {"x": "ü" * (MAX_BYTES // 2)},
        {"x": "y" * 16_000_000},
        {"x": list(range(300_000))},
        {f"key-{n}": n for n in range(100_000)},
        {"x": 10**5000},
    ],
    ids=["a byte more", "two bytes a letter", "16 MB", "a long list", "many keys", "a number of 5,000 digits"],
)
def test_a_36_what_is_too_large_is_refused(payload: Any) -> None:
    assert refused(NewJob("render_report", payload)).field == "payload"


def test_a_36_what_is_just_not_too_large_gets_in() -> None:
    assert check({"x": "y" * (MAX_BYTES - 8)}) == MAX_BYTES


@pytest.mark.parametrize("budget", [0, -1, 1001, True, 1.5, "3", 10**12])
def test_a_44_a_budget_out_of_range_is_refused(budget: Any) -> None:
    assert refused(NewJob("render_report", max_attempts=budget)).field == "max_attempts"


def test_a_44_a_truth_value_is_no_budget_even_right_after_the_number_it_equals() -> None:
    DOOR.admit([NewJob("render_report", max_attempts=1)])
    assert refused(NewJob("render_report", max_attempts=True)).field == "max_attempts"


NAIVE = datetime(2026, 11, 29, 12)  # noqa: DTZ001 - the mistake under test


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewJob("render_report", {"a": object()}), "payload"),
        (NewJob("render_report", {"a": {1, 2}}), "payload"),
        (NewJob("render_report", {1: 2}), "payload"),  # type: ignore[dict-item] # the mistake under test
        (NewJob("render_report", None), "payload"),  # type: ignore[arg-type] # the mistake under test
        (NewJob("render_report", ""), "payload"),  # type: ignore[arg-type] # the mistake under test
        (NewJob("render_report", queue="Mail"), "queue"),
        (NewJob("render_report", queue="q" * 101), "queue"),
        (NewJob("render_report", queue="a'; DROP SCHEMA control CASCADE;--"), "queue"),
        (NewJob("render_report", delay_seconds=-1), "delay_seconds"),
        (NewJob("render_report", delay_seconds=367 * 86_400), "delay_seconds"),
        (NewJob("render_report", idempotency_key=" "), "idempotency_key"),
        (NewJob("render_report", idempotency_key="k" * 256), "idempotency_key"),
        (NewJob("render_report", source="s\0"), "source"),
        (NewJob("render_report", source="s" * 51), "source"),
        (NewJob("render_report", available_at=NAIVE), "available_at"),
        (NewJob("render_report", tenant_id="acme"), "tenant_id"),  # type: ignore[arg-type] # the mistake under test
        (NewJob("provision_tenant"), "tenant_id"),
        (NewJob("send_email", {"to": "ada@example.test"}), "payload"),
        (NewJob("send_email"), "payload"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_name(new: NewJob, field: str) -> None:
    assert refused(new).field == field


@pytest.mark.parametrize(
    "wrong",
    [
        *({"delay_seconds": value} for value in (True, "5", None, float("nan"))),
        *({"available_at": value} for value in ("2026-11-29T12:00:00Z", 1_764_417_600)),
        *({"idempotency_key": value} for value in (7, b"key", True)),
        *({"source": value} for value in (None, 7, b"api")),
        *({"queue": value} for value in (7, b"mail", True)),
        *({"max_attempts": value} for value in ("5", 5.0)),
        *({name: "0198"} for name in ("id", "tenant_id")),
    ],
    ids=repr,
)
def test_a_44_a_value_of_another_type_is_refused_with_its_name(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    assert refused(NewJob("render_report", **wrong)).field == name


def test_each_row_says_its_own_span_or_the_one_that_all_are_put_in_under() -> None:
    own = ASKED.replace("b7", "c8")
    news = [NewJob("render_report"), NewJob("render_report", traceparent=own), NewJob("render_report", traceparent="?")]
    assert [row.get("traceparent") for row in DOOR.admit(news).rows] == [None, own, None]
    assert [row["traceparent"] for row in DOOR.admit(news, traceparent=ASKED).rows] == [ASKED, own, ASKED]


def test_what_jobs_have_in_common_is_said_once() -> None:
    admitted = DOOR.admit([NewJob("render_report"), NewJob("render_report"), NewJob("render_report", queue="q")])
    assert admitted.shared == {"job_type": "render_report", "queue": "default", "max_attempts": 5, "source": "api"}
    assert admitted.rows == [{"payload": {}}, {"payload": {}}, {"payload": {}, **admitted.shared, "queue": "q"}]
    assert DOOR.admit([NewJob("render_report")]).shared is admitted.shared


def test_a_row_has_no_more_than_the_job() -> None:
    mine = new_id()
    full = NewJob("render_report", {}, mine, None, " k ", None, NOON, 1.5, "api", {"x": 1}, mine)
    assert DOOR.admit([NewJob("render_report", {"a": 1}), full]).rows == [
        {"payload": {"a": 1}},
        {
            "payload": {},
            "id": str(mine),
            "tenant_id": str(mine),
            "idempotency_key": "k",
            "available_at": "2026-11-29T12:00:00+00:00",
            "delay_seconds": 1.5,
            "metadata": {"x": 1},
        },
    ]


@pytest.mark.parametrize(
    ("sizes", "bounds"),
    [
        ([], []),
        ([1], [(0, 1)]),
        ([1] * 4001, [(0, 2000), (2000, 4000), (4000, 4001)]),
        ([3_000_000, 900_000, 200_000, 5_000_000, 1], [(0, 2), (2, 3), (3, 4), (4, 5)]),
    ],
    ids=["none", "one", "many", "large"],
)
def test_a_set_is_cut_by_number_and_by_size(sizes: list[float], bounds: list[tuple[int, int]]) -> None:
    assert portions(sizes) == bounds


def test_jobs_admitted_one_by_one_are_the_same_as_together() -> None:
    news = [NewJob("render_report", {"n": n}, queue="q" if n == 1 else None) for n in range(3)]
    assert joined([DOOR.admit([new]) for new in news]) == DOOR.admit(news)


def test_a_23_keys_are_written_in_one_order_so_that_two_producers_never_wait_for_each_other() -> None:
    news = [NewJob("render_report", {"n": n}, idempotency_key=f"k-{n}") for n in (2, 0, 1)]
    batch = Batch(DOOR.admit(news))
    rows = json.loads(batch.values["new_jobs"])
    assert [row["idempotency_key"] for row in rows] == ["k-0", "k-1", "k-2"]
    assert [str(each.id) for each in batch.made] == [rows[n]["id"] for n in (2, 0, 1)]


documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from([Size.SMALL, "\0", "\ud800", 10**30, -(1 << 63), 1e300, (1, 2)]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def admitted(document: Any) -> float | None:
    """The bound that `check` gives, None when the document has something that nobody can keep."""
    try:
        return check(document)
    except InvalidInput as refusal:
        if any(word in refusal.problem for word in ("NUL", "surrogate", "finite")):
            return None
        raise


@given(documents)
def test_what_passes_is_no_larger_than_was_said_and_comes_back_as_it_was(document: Any) -> None:
    if (bound := admitted(document)) is None:
        return
    text = dumps(document)
    assert len(text.encode()) <= bound
    assert json.loads(text) == json.loads(json.dumps(document, allow_nan=False))
    assert "\\u0000" not in text.replace("\\\\", "")


def test_ids_sort_by_time_and_are_never_the_same() -> None:
    ids = [new_id(), *new_ids(1000), new_id()]
    assert {each.version for each in ids} == {7}
    assert {each.variant for each in ids} == {ids[0].variant} == {"specified in RFC 4122"}
    assert len(set(ids)) == 1002
    assert sorted(ids[1:-1]) == ids[1:-1]
    assert sorted(ids, key=lambda each: each.int >> 80) == ids
