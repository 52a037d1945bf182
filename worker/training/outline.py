"""What there is to learn from a dataset: the rows with a known target, and what is known of each beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from worker.errors import NotTrainable
from worker.insights.cells import Cell, Field, Kind, Value, is_number
from worker.training.config import TrainingConfig

MIN_ROWS = 20
MAX_CLASSES = 50
LONGEST_CLASS = 100
"""An array of texts has room for the longest one in each row."""
FEW = 10
BEYOND = 1e30
"""What is further from zero counts as this: squares and sums of it still are finite."""

Known: TypeAlias = float | str | None


@dataclass(frozen=True, slots=True)
class Outline:
    """A row of `features` for each target; the numeric ones are floats, the others texts, None is missing."""

    task: Literal["classification", "regression"]
    features: Sequence[str]
    numeric: Sequence[int]
    """The places of the features that are numbers, or true and false as 1 and 0."""
    rows: Sequence[Sequence[Known]]
    targets: Sequence[float | str]


def outline(fields: Sequence[Field], config: TrainingConfig) -> Outline:
    """What the configuration asks for of these fields; NotTrainable says why nothing can be learned."""
    target = next((field for field in fields if field.name == config.target), None)
    if target is None:
        raise NotTrainable(f"there is no column {config.target!r}")
    features = [field for field in fields if field is not target and field.kind != Kind.EMPTY]
    if not features:
        raise NotTrainable("there is no other column with values to learn from")
    task = _task(target, config)
    known = [place for place, cell in enumerate(target.cells) if cell is not None]
    if len(known) < MIN_ROWS:
        raise NotTrainable(f"{len(known)} rows have a target; it takes {MIN_ROWS}")
    columns = [[_known(field, field.cells[place]) for place in known] for field in features]
    return Outline(
        task,
        [field.name for field in features],
        [place for place, field in enumerate(features) if _as_number(field)],
        list(zip(*columns, strict=True)),
        _targets([target.cells[place] for place in known], task),
    )


def _task(target: Field, config: TrainingConfig) -> Literal["classification", "regression"]:
    """Numbers are predicted as such, unless they are few whole ones, or the configuration says otherwise."""
    if config.task == "regression" and not target.is_numeric:
        raise NotTrainable(f"{target.name!r} is {target.kind}, and a regression takes numbers")
    if config.task != "auto":
        return config.task
    few = target.kind == Kind.INTEGER and len(set(target.values())) <= FEW
    return "regression" if target.is_numeric and not few else "classification"


def _targets(cells: Sequence[Cell], task: str) -> list[float | str]:
    if task == "regression":
        numbers = [float(cell) for cell in cells if is_number(cell)]
        if any(abs(number) > BEYOND for number in numbers):
            raise NotTrainable(f"the target has numbers beyond {BEYOND:g}")
        return [*numbers]
    classes = [_text(cell) for cell in cells if cell is not None]
    if not 2 <= (different := len(set(classes))) <= MAX_CLASSES:
        raise NotTrainable(f"the target has {different} classes; it takes 2 to {MAX_CLASSES}")
    if max(map(len, classes)) > LONGEST_CLASS:
        raise NotTrainable(f"the target has a class of more than {LONGEST_CLASS} characters")
    return [*classes]


def _known(field: Field, cell: Cell) -> Known:
    if cell is None:
        return None
    if _as_number(field) and not isinstance(cell, str):
        return max(-BEYOND, min(BEYOND, float(cell)))
    return _text(cell)


def _as_number(field: Field) -> bool:
    return field.is_numeric or field.kind == Kind.BOOLEAN


def _text(value: Value) -> str:
    """One text for equal values: 1 and 1.0 are one class."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if float(value).is_integer() else str(value)
