"""Train a model and say how good it is, against one that knows nothing but the targets: scikit-learn (extra `ml`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from worker.errors import NotTrainable
from worker.training.config import TrainingConfig
from worker.training.outline import Outline

MOST_CATEGORIES = 20
"""Of a column of texts, the most frequent ones are told apart."""

# Bounded, so that neither memory nor the artefact grows with the dataset
_FOREST = {"max_depth": 10, "min_samples_leaf": 2, "n_jobs": 1, "warm_start": True}
_TREES = (10, 20, 30, 40, 50)
"""How far a forest has grown each time that it may be asked to stop."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A pipeline that takes rows as the outline has them, and its metrics."""

    model: Any
    metrics: dict[str, Any]


def learn(outline: Outline, config: TrainingConfig, *, between: Callable[[], None]) -> Learned:
    """Train on one part of the rows and measure on the rest, the same ones for the same seed.

    The scores are `accuracy` and `f1` (the mean over the classes), or `r2` and `mae`; `baseline` has the same of a
    model that always says the most frequent class, or the mean; `features` is the order of the cells of a row.
    Between the steps it calls `between`, which may raise.
    """
    train_rows, test_rows, train_targets, test_targets = _parts(outline, config)
    between()
    baseline = _baseline(outline).fit(train_rows, train_targets)
    preparation = _preparation(outline).fit(train_rows)
    learner = _fit(_learner(outline, config), preparation.transform(train_rows), train_targets, between=between)
    model = make_pipeline(preparation, learner)
    score = _score_classes if outline.task == "classification" else _score_numbers
    metrics = {
        "task": outline.task,
        "features": list(outline.features),
        "train_rows": len(train_rows),
        "test_rows": len(test_rows),
        "scores": score(test_targets, model.predict(test_rows)),
        "baseline": score(test_targets, baseline.predict(test_rows)),
    }
    return Learned(model, metrics)


def _parts(outline: Outline, config: TrainingConfig) -> Sequence[Any]:
    """Rows to train on and to test with, then the targets of both."""
    strata = _strata(outline, config)
    options = {"test_size": config.test_share, "random_state": config.seed, "stratify": strata}
    parts: Sequence[Any] = train_test_split(_matrix(outline), np.array(outline.targets), **options)
    if outline.task == "classification" and len(set(parts[2])) == 1:
        raise NotTrainable("the rows to train on are of one class alone: there are too few of the others")
    return parts


def _matrix(outline: Outline) -> Any:
    """A missing number is NaN, a missing text one of its own."""
    numeric = set(outline.numeric)
    missing = [np.nan if place in numeric else "" for place in range(len(outline.features))]
    rows = [[gap if cell is None else cell for cell, gap in zip(row, missing, strict=True)] for row in outline.rows]
    return np.array(rows, dtype=object)


def _strata(outline: Outline, config: TrainingConfig) -> Sequence[float | str] | None:
    """Have every class in both parts, where there are enough rows of each for that."""
    if outline.task == "regression":
        return None
    counts = Counter(outline.targets)
    fits = min(counts.values()) > 1 and len(counts) <= int(len(outline.targets) * config.test_share)
    return outline.targets if fits else None


def _preparation(outline: Outline) -> Any:
    texts = [place for place in range(len(outline.features)) if place not in set(outline.numeric)]
    number = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    text = OneHotEncoder(max_categories=MOST_CATEGORIES, handle_unknown="infrequent_if_exist")
    return ColumnTransformer([("numbers", number, list(outline.numeric)), ("texts", text, texts)])


def _learner(outline: Outline, config: TrainingConfig) -> Any:
    classifies = outline.task == "classification"
    if config.learner == "linear":
        return LogisticRegression(max_iter=1000, random_state=config.seed) if classifies else Ridge()
    forest = RandomForestClassifier if classifies else RandomForestRegressor
    return forest(random_state=config.seed, **_FOREST)


def _fit(learner: Any, rows: Any, targets: Any, *, between: Callable[[], None]) -> Any:
    """The learner, fitted; a forest grows by a few trees at a time."""
    for step in [{"n_estimators": trees} for trees in _TREES] if hasattr(learner, "n_estimators") else [{}]:
        learner.set_params(**step).fit(rows, targets)
        between()
    return learner


def _baseline(outline: Outline) -> Any:
    return DummyClassifier() if outline.task == "classification" else DummyRegressor()


def _score_classes(real: Any, said: Any) -> dict[str, float]:
    f1 = f1_score(real, said, average="macro", zero_division=0)
    return {"accuracy": float(accuracy_score(real, said)), "f1": float(f1)}


def _score_numbers(real: Any, said: Any) -> dict[str, float]:
    return {"r2": float(r2_score(real, said)), "mae": float(mean_absolute_error(real, said))}
