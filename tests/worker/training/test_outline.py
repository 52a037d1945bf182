"""What there is to learn from a dataset, or why there is nothing."""

from __future__ import annotations

from typing import Any

import pytest

from worker.errors import NotTrainable
from worker.insights.cells import Cell, field
from worker.training.config import TrainingConfig
from worker.training.outline import BEYOND, MIN_ROWS, Outline, outline

ROWS = range(40)


def outlined(columns: dict[str, list[Cell]], **config: Any) -> Outline:
    fields = [field(name, cells, spelled=False) for name, cells in columns.items()]
    return outline(fields, TrainingConfig.model_validate({"target": "y", **config}))


def refusal(columns: dict[str, list[Cell]], **config: Any) -> str:
    with pytest.raises(NotTrainable) as refused:
        outlined(columns, **config)
    return str(refused.value)


def test_rows_with_a_target_are_learned_from_everything_else() -> None:
    found = outlined({
        "n": [row if row % 2 else None for row in ROWS],
        "flag": [row % 3 == 0 for row in ROWS],
        "word": ["a" if row % 2 else None for row in ROWS],
        "both": ["a" if row % 2 else 1.0 for row in ROWS],
        "nothing": [None for _ in ROWS],
        "y": [None if row < 5 else row * 1.5 for row in ROWS],
    })  # fmt: skip
    assert (found.task, found.features, found.numeric) == ("regression", ["n", "flag", "word", "both"], [0, 1])
    assert (len(found.rows), found.targets[0]) == (35, 7.5)
    assert found.rows[0] == (5.0, 0.0, "a", "a")
    assert found.rows[1] == (None, 1.0, None, "1")


@pytest.mark.parametrize(
    ("target", "task"),
    [
        ([row / 2 for row in ROWS], "regression"),
        ([*ROWS], "regression"),
        ([row % 3 for row in ROWS], "classification"),
        ([row % 2 == 0 for row in ROWS], "classification"),
        (["ab"[row % 2] for row in ROWS], "classification"),
    ],
)
def test_the_target_says_what_is_predicted(target: list[Cell], task: str) -> None:
    assert outlined({"x": [*ROWS], "y": target}).task == task


def test_the_configuration_has_the_last_word() -> None:
    few: list[Cell] = [row % 3 for row in ROWS]
    assert outlined({"x": [*ROWS], "y": few}, task="regression").task == "regression"
    assert set(outlined({"x": [*ROWS], "y": few}, task="classification").targets) == {"0", "1", "2"}


def test_numbers_too_far_off_count_as_the_farthest() -> None:
    found = outlined({"x": [10**200 * (-1) ** row for row in ROWS], "y": [*ROWS]})
    assert {row[0] for row in found.rows} == {BEYOND, -BEYOND}


@pytest.mark.parametrize(
    ("columns", "config", "said"),
    [
        ({"x": [*ROWS]}, {}, "there is no column 'y'"),
        ({"y": [*ROWS]}, {}, "there is no other column with values to learn from"),
        ({"x": [None] * 40, "y": [*ROWS]}, {}, "there is no other column with values to learn from"),
        ({"x": [*ROWS], "y": [1] + [None] * 39}, {}, f"1 rows have a target; it takes {MIN_ROWS}"),
        ({"x": [*ROWS], "y": ["a"] * 40}, {}, "the target has 1 classes; it takes 2 to 50"),
        ({"x": [*range(60)], "y": [f"id {row}" for row in range(60)]}, {}, "the target has 60 classes"),
        ({"x": [*ROWS], "y": ["a"] * 39 + ["b" * 101]}, {}, "the target has a class of more than 100 characters"),
        ({"x": [*ROWS], "y": ["a"] * 40}, {"task": "regression"}, "'y' is text, and a regression takes numbers"),
        ({"x": [*ROWS], "y": [10**40 * row for row in ROWS]}, {}, "the target has numbers beyond 1e+30"),
    ],
)
def test_it_is_said_why_nothing_can_be_learned(
    columns: dict[str, list[Cell]], config: dict[str, Any], said: str
) -> None:
    assert refusal(columns, **config).startswith(said)


def test_another_configuration_is_another_hash_and_defaults_are_written_out() -> None:
    plain = TrainingConfig(target="y")
    assert plain.hash == TrainingConfig(target="y", task="auto", seed=7, test_share=0.25).hash
    others = [
        TrainingConfig(target="x"),
        TrainingConfig(target="y", seed=8),
        TrainingConfig(target="y", learner="linear"),
    ]
    assert len({plain.hash, *(other.hash for other in others)}) == 4
