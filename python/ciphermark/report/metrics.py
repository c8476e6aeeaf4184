"""What the metrics are called, mean and need: ``metrics.toml``, typed."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Metric:
    """A measured column of a row."""

    name: str
    label: str
    unit: str
    """Empty for a count."""
    decimals: int
    meaning: str
    known_by: str
    """Which engines can know it."""
    of_object: bool = False
    """A property of the compiled objects alone, whatever is executed."""
    scale: float = 1.0
    """From the column's figure to the one that is shown in ``unit``."""
    column_decimals: int | None = None
    """Digits of the column's figure as it is."""

    def shown(self, value: float) -> float:
        """A column's figure in the unit that is shown."""
        return value * self.scale if self.scale != 1 else value

    @property
    def title(self) -> str:
        """Label with unit, for axes and captions; a unit the label already says is not repeated."""
        return f"{self.label} ({self.unit})" if self.unit and "per" not in self.label else self.label


@cache
def metrics() -> dict[str, Metric]:
    """All metrics by column name, in the rows' order."""
    text = resources.files(__package__).joinpath("metrics.toml").read_text(encoding="utf-8")
    return {entry["name"]: Metric(**entry) for entry in tomllib.loads(text)["metric"]}


def metric(name: str) -> Metric:
    """The metric of that column; one the table does not know is labelled by its column name."""
    return metrics().get(name) or Metric(name, name.replace("_", " ").capitalize(), "", 2, "", "")
