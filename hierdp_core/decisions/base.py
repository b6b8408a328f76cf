"""Decision rules: their parameters, the columns of their outcomes, and how they are applied."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd

from hierdp_core.evaluation.released_counts import LevelSimulations
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Regions
from hierdp_core.privacy.rounding import as_typed
from hierdp_core.util.arrays import BoolArray, FloatArray, NumberArray
from hierdp_core.util.earlier import renamed
from hierdp_core.util.late import late
from hierdp_core.util.shown import Shown
from hierdp_core.util.text import join_and, join_or, percent

if TYPE_CHECKING:
    from hierdp_core.display.charts import OutcomeCharts

_PLACE_COLUMNS = {
    "id": "code of the area",
    "name": "display name of the area",
    "true": "true count of the area",
    "wrong": "proportion of simulations with a different outcome than under the true counts",
}


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a decision rule.

    Attributes:
        name, title, about: the names in addresses and on controls, and a description.
        kind: "whole", "number" (both from `least` to 10¹⁵), "share" (above 0, at most 1), "choice"
            (one of `choices`) or "places" (ids).
        usual: a function that computes the default value from the areas.
        least: the smallest value.
        choices: id and title of each choice.
    """

    name: str
    title: str
    about: str
    kind: str
    usual: Callable[[LevelSimulations], Any]
    least: float = 0
    choices: Mapping[str, str] = field(default_factory=dict)

    def read(self, value: Any, places: LevelSimulations) -> Any:
        """Return `value`, which may be text, as a value of this parameter.

        Raises:
            ChoiceError: the value is not valid.
        """
        if self.kind == "choice":
            if value not in self.choices:
                raise ChoiceError(
                    f'The parameter {self.name} cannot be "{str(value)[:40]}". Choose '
                    f"{join_or(list(self.choices))}."
                )
            return value
        if self.kind == "places":
            return self._places(value, places)
        return self._number(value)

    def say(self, value: Any) -> str:
        """Return `value` as text that `read` accepts."""
        if self.kind == "places":
            return ",".join(quote(id, safe="") for id in value)
        return as_typed(value) if self.kind == "share" else str(value)

    def shown(self, value: Any) -> str:
        """Return `value` as people read it: "at least", "50,000" or "0.5%"."""
        match self.kind:
            case "choice":
                return self.choices[value]
            case "share":
                return percent(value)
            case "places":
                return join_and(value) if value else "none"
            case _:
                return f"{value:,}"

    def _number(self, value: Any) -> float | int:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = np.nan
        is_whole = self.kind == "whole"
        fits = np.isfinite(number) and number >= self.least and abs(number) <= 1e15
        if self.kind == "share":
            fits = fits and 0 < number <= 1
        if isinstance(value, bool) or not fits or (is_whole and number != int(number)):
            needed = {
                "whole": f"a whole number, at least {self.least:g} and at most 10¹⁵",
                "number": f"a number, at least {self.least:g} and at most 10¹⁵",
                "share": "a proportion above 0 and at most 1, such as 0.01",
            }[self.kind]
            raise ChoiceError(
                f'The parameter {self.name}, “{self.title}”, is {needed}; got "{str(value)[:40]}". '
                "Correct it."
            )
        return int(number) if number == int(number) and self.kind != "share" else number

    def _places(self, value: Any, places: LevelSimulations) -> tuple[str, ...]:
        parts = [unquote(part) for part in value.split(",") if part] if _is_text(value) else value
        unknown = [str(id) for id in parts if id not in places.ids]
        if unknown:
            raise ChoiceError(
                f'No {places.level} has the code "{unknown[0][:40]}". Correct the code in the '
                f"parameter {self.name}."
            )
        return tuple(id for id in places.ids if id in set(parts))


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of an outcome.

    Attributes:
        id, title: the names in files and on screen.
        kind: "count", "number" (may be negative or a fraction), "share", "flag" or "money".
        about: its meaning, in a sentence.
    """

    id: str
    title: str
    kind: str
    about: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """The result of a rule's function.

    Attributes:
        wrong: shape (places,), the proportion of simulations in which an area has a different
            outcome than under its true count; NaN where it is not included.
        places: id of an area column -> shape (places,).
        simulations: id of a column per simulation -> shape (simulations,).
        facts: figures of the decision under the true counts, by name.
    """

    wrong: FloatArray
    places: Mapping[str, NumberArray | BoolArray]
    simulations: Mapping[str, NumberArray]
    facts: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule that turns counts into decisions.

    Attributes:
        id, title: the names in addresses and on screen.
        about: who gets what, in one or two sentences.
        ties: how equal counts are treated, in one sentence.
        wrong: the words for a different outcome of one area, such as "is misclassified".
        wrongs: the same for several areas: "are misclassified".
        parameters: the parameters that can be set.
        place_columns: the columns of `Outcome.places`, after id, name, true and wrong.
        simulation_columns: the columns of `Outcome.by_simulation`; charts show the first.
        apply: the rule itself, a function of areas and parameters.
        most_areas: the largest number of areas of a level for which the rule is usually meant.
    """

    id: str
    title: str
    about: str
    ties: str
    wrong: str
    wrongs: str
    parameters: tuple[Parameter, ...]
    place_columns: tuple[Column, ...]
    simulation_columns: tuple[Column, ...]
    apply: Callable[..., Result]
    most_areas: int | None = None

    def parameter(self, name: str) -> Parameter:
        """Return the parameter with this name.

        Raises:
            ChoiceError: no parameter has this name.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        names = join_or([p.name for p in self.parameters])
        raise ChoiceError(f'The rule {self.id} has no parameter "{name[:40]}". Choose {names}.')

    def usual_level(self, regions: Regions) -> str:
        """Return the lowest level that has several areas and at most `most_areas`.

        It is the last level if there is none.
        """
        most, tree = self.most_areas or np.inf, regions.tree
        sizes = [int((~regions.padded[tree.level(k)]).sum()) for k in range(tree.n_levels)]
        fitting = [level for level, n in zip(regions.levels, sizes, strict=True) if 1 < n <= most]
        return (fitting or regions.levels)[-1]

    def read(self, given: Mapping[str, Any], places: LevelSimulations) -> dict[str, Any]:
        """Return every parameter: as given, or its default for these areas.

        Raises:
            ChoiceError: a parameter is unknown, or its value is not valid.
        """
        values = {name: self.parameter(name).read(value, places) for name, value in given.items()}
        return {
            p.name: values[p.name] if p.name in values else p.usual(places) for p in self.parameters
        }


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Outcome(Shown):
    """The decision of a rule from released counts, compared with that from true counts.

    It contains true counts and must not be published.

    Attributes:
        rule: the rule.
        parameters: the values of all parameters, by name.
        level: the name of the level.
        places: one row per area in level order: id, name, true, wrong, then the rule's columns.
        by_simulation: one row per simulation: the rule's columns.
        facts: figures of the decision under the true counts, by name.
    """

    rule: Rule
    parameters: Mapping[str, Any]
    level: str
    places: pd.DataFrame
    by_simulation: pd.DataFrame
    facts: Mapping[str, float]

    by_draw = renamed("by_draw", "by_simulation")
    draws = renamed("draws", "n_simulations")

    @property
    def n_simulations(self) -> int:
        """The number of simulations that the rule was applied to."""
        return len(self.by_simulation)

    @property
    def chart(self) -> "OutcomeCharts":
        """The charts of the outcome, one method each: `outcome.chart.spread()`."""
        charts: OutcomeCharts = late("display.charts", "OutcomeCharts")(outcome=self)
        return charts

    def to_frame(self) -> pd.DataFrame:
        """Return `places`, with every column described in `DataFrame.attrs["columns"]`."""
        frame = self.places.copy()
        about = _PLACE_COLUMNS | {column.id: column.about for column in self.rule.place_columns}
        frame.attrs["columns"] = about
        return frame


def outcome(rule: Rule, places: LevelSimulations, given: Mapping[str, Any]) -> Outcome:
    """Apply `rule` to `places`, with default values for parameters that are not in `given`.

    Raises:
        ChoiceError: there is no simulation, a count is not finite, or a parameter is not valid.
    """
    _check_numbers(places)
    parameters = rule.read(given, places)
    result = rule.apply(places, **parameters)
    columns = {"id": places.ids, "name": places.names, "true": places.true, "wrong": result.wrong}
    return Outcome(
        rule=rule,
        parameters=MappingProxyType(parameters),
        level=places.level,
        places=pd.DataFrame(columns | {c.id: result.places[c.id] for c in rule.place_columns}),
        by_simulation=pd.DataFrame(
            {c.id: result.simulations[c.id] for c in rule.simulation_columns}
        ),
        facts=MappingProxyType(dict(result.facts)),
    )


def shares_of(values: NumberArray) -> FloatArray:
    """Return each row as proportions of its sum.

    Negative numbers count as 0. A row without positive numbers gives equal proportions.

    >>> shares_of(np.array([[3, 1, -2], [0, 0, 0]])).round(2).tolist()
    [[0.75, 0.25, 0.0], [0.33, 0.33, 0.33]]
    """
    positive = weights_of(values)
    shares: FloatArray = positive / positive.sum(axis=-1, keepdims=True)
    return shares


def weights_of(values: NumberArray) -> FloatArray:
    """Return `values` with 0 for negative numbers; a row without positive numbers becomes ones."""
    positive = np.maximum(values, 0).astype(np.float64)
    empty = ~positive.any(axis=-1, keepdims=True)
    return np.where(empty, 1.0, positive)


def above_median(true: NumberArray) -> int:
    """Return the smallest of 1, 2, 5, 10, 20 … above the median: a round threshold.

    >>> above_median(np.array([10, 26_000, 900_000]))
    50000
    """
    middle = float(np.median(true)) if len(true) else 0.0
    power = 1
    while True:
        for step in (1, 2, 5):
            if step * power > middle:
                return step * power
        power *= 10


def constant(value: Any) -> Callable[[LevelSimulations], Any]:
    """Return a default that is the same for all areas."""
    return lambda places: value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _check_numbers(places: LevelSimulations) -> None:
    if not len(places.released):
        raise ChoiceError(
            "A decision needs at least one simulated release; there is none. Simulate first."
        )
    if not len(places.true):
        raise ChoiceError(f"There is no {places.level} to decide about. Choose another level.")
    for what, numbers in (("true", places.true[None]), ("released", places.released)):
        bad = np.argwhere(~np.isfinite(numbers))
        if len(bad):
            name, value = places.names[int(bad[0][1])], numbers[tuple(bad[0])]
            raise ChoiceError(
                f"Counts must be finite numbers; the {what} count of {name} is {value}. Correct "
                "the count."
            )
