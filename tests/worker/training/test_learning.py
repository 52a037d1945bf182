"""Training and measuring: the same seed the same scores, and odd data no surprise."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from worker.errors import NotTrainable
from worker.insights.cells import Cell, field
from worker.training.config import TrainingConfig
from worker.training.learning import Learned, learn
from worker.training.outline import outline


def learned(columns: dict[str, Sequence[Cell]], **config: Any) -> Learned:
    asked = TrainingConfig.model_validate({"target": "y", **config})
    fields = [field(name, cells, spelled=False) for name, cells in columns.items()]
    return learn(outline(fields, asked), asked, between=lambda: None)


def noise(rows: int = 200) -> list[float]:
    chance = Random(3)
    return [chance.uniform(0, 10) for _ in range(rows)]


@pytest.mark.parametrize("learner", ["forest", "linear"])
def test_what_follows_from_the_rest_is_predicted_better_than_by_guessing(learner: str) -> None:
    x = noise()
    numbers = learned({"x": x, "y": [3 * each + 1 for each in x]}, learner=learner).metrics
    assert numbers["scores"]["r2"] > 0.9
    assert numbers["baseline"]["r2"] < 0.1
    classes = learned({"x": x, "y": ["big" if each > 5 else "small" for each in x]}, learner=learner).metrics
    assert classes["scores"]["f1"] > 0.9
    assert classes["scores"]["accuracy"] > classes["baseline"]["accuracy"]


def test_the_same_seed_has_the_same_scores_and_another_one_others() -> None:
    x = noise()
    columns: dict[str, Sequence[Cell]] = {"x": x, "y": [each * Random(i).random() for i, each in enumerate(x)]}
    first, again, other = (learned(columns, seed=seed).metrics for seed in (1, 1, 2))
    assert first == again != other


def test_baseline_and_scores_are_those_of_the_rows_held_back() -> None:
    metrics = learned({"x": noise(40), "y": [*range(40)]}, test_share=0.5).metrics
    assert (metrics["train_rows"], metrics["test_rows"]) == (20, 20)


@pytest.mark.parametrize("learner", ["forest", "linear"])
@pytest.mark.parametrize(
    "column",
    [
        [10**300 if row % 2 else -(10**300) for row in range(60)],
        [row if row % 7 == 0 else None for row in range(60)],
        [f"id {row}" for row in range(60)],
        ["a" if row % 2 else None for row in range(60)],
        [7] * 60,
        [True if row == 3 else None for row in range(60)],
        [5e-324 * (row % 2) for row in range(60)],
        ["a" if row % 2 else row for row in range(60)],
    ],
    ids=["huge", "gaps", "ids", "words", "constant", "nearly empty", "tiny", "mixed"],
)
def test_odd_columns_are_learned_from_without_complaint(column: list[Cell], learner: str) -> None:
    for target in ([row % 2 for row in range(60)], [row * 1.5 for row in range(60)]):
        found = learned({"odd": column, "y": target}, learner=learner)
        assert all(np.isfinite([*found.metrics["scores"].values(), *found.metrics["baseline"].values()]))


def test_a_class_of_one_row_is_no_obstacle() -> None:
    targets = ["rare"] + ["a", "b"] * 30
    assert learned({"x": noise(61), "y": targets}).metrics["train_rows"] == 45


def test_rows_of_one_class_alone_teach_nothing() -> None:
    targets = ["common"] * 59 + ["rare"]
    ends: set[str] = set()
    for seed in range(20):
        try:
            learned({"x": noise(60), "y": targets}, seed=seed, learner="linear")
        except NotTrainable as refused:
            ends.add(str(refused))
    assert ends == {"the rows to train on are of one class alone: there are too few of the others"}


def test_whoever_asks_to_stop_is_heard_between_the_steps() -> None:
    asked = TrainingConfig(target="y")
    fields = [field("x", noise(), spelled=False), field("y", noise(), spelled=False)]

    heard: list[int] = []

    def stop_at_last() -> None:
        heard.append(1)
        if len(heard) == 4:
            raise KeyError

    with pytest.raises(KeyError):
        learn(outline(fields, asked), asked, between=stop_at_last)
