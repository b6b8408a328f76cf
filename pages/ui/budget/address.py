"""The address of Set a budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.planning import (
    RELIABILITY,
    SyntheticTable,
    Target,
    check_targets,
    parse_targets,
    stated_size,
)
from hierdp_core.privacy import Budget
from hierdp_core.privacy.rounding import as_typed, percent_as_typed
from hierdp_core.settings import budget_call
from hierdp_core.tables import Table
from hierdp_core.util.constraints import LARGEST_BUDGET, SMALLEST_BUDGET, USUAL_DELTA
from hierdp_core.util.text import by_number, join_and, join_or
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.shell import datasets
from pages.ui.shell.address import PageAddress, View

ASKS = ("budget", "allocation")
_OLD_ASKS = {"shares": "allocation"}  # in links of earlier versions
FINDS = ("epsilon", "delta", "rho")
SMALLEST, LARGEST = float(SMALLEST_BUDGET), float(LARGEST_BUDGET)
QUICK = 200  # validation simulations by default
FLOOR = 0.5  # part of an equal allocation that every level keeps
HEAVIEST = 1e6  # largest weight of a level
_FOUND = ("epsilon", "delta", "rho", "quantity")  # settings that the page finds or asks for itself


@dataclass(frozen=True, kw_only=True)
class BudgetAddress(PageAddress):
    """The search that the page describes.

    Attributes:
        ask: the task, one of `ASKS`: the smallest budget, or the best allocation of a budget.
        weights: the weight of each level's error, for the best allocation; empty for equal ones.
        targets: the accuracy targets; empty for the default of the data.
        find: the kind of budget: "epsilon", "delta" for (ε, δ), or "rho".
        delta: δ, if the kind is "delta".
        reliability: the proportion of simulations that must meet all targets.
        most: the largest budget to test.
        synthetic: whether to plan on a synthetic table; None if not stated.
        total: the total of the synthetic table.
        fresh: the number of validation simulations; None for as many as are needed.
        given: whether to keep the allocation of the settings instead of finding one.
        guard: whether every level keeps at least `FLOOR` of an equal allocation.
    """

    WORDS: ClassVar[tuple[str, ...]] = (
        *("target", "find", "chance", "of100", "most", "stand-in", "total", "given", "fresh"),
        *("ask", "weights", "guard"),
    )

    ask: str = ASKS[0]
    weights: tuple[float, ...] = ()
    targets: tuple[Target, ...] = ()
    find: str = "epsilon"
    delta: float = USUAL_DELTA
    reliability: float = RELIABILITY
    most: float = LARGEST
    synthetic: bool | None = None
    total: int | None = None
    fresh: int | None = QUICK
    given: bool = False
    guard: bool = True

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """Read an address and check it against the table of the view.

        Raises:
            HierdpError: a parameter is not valid.
        """
        table = datasets.get(view.settings.sample).table
        targets = parse_targets([query["target"]]) if "target" in query else ()
        if targets:
            check_targets(table, targets)
        find = query.get("find", "epsilon")
        if find not in FINDS:
            raise ChoiceError(f'"find" must be one of {", ".join(FINDS)}; got "{find[:20]}".')
        total = query.get("total")
        ask = query.get("ask", ASKS[0])
        ask = _OLD_ASKS.get(ask, ask)
        if ask not in ASKS:
            raise ChoiceError(f'"ask" must be {join_or(ASKS)}; got "{ask[:20]}".')
        return cls(
            ask=ask,
            weights=_weights(query["weights"], table) if "weights" in query else (),
            targets=targets,
            find=find,
            delta=_number(query, "chance", USUAL_DELTA, 1e-15, 0.1),
            reliability=_number(query, "of100", 100 * RELIABILITY, 50, 99.9) / 100,
            most=_number(query, "most", LARGEST, SMALLEST, LARGEST),
            synthetic=None if "stand-in" not in query else query["stand-in"] == "yes",
            total=None if total is None else int(_number(query, "total", 0, 1, 1e12)),
            fresh=_fresh(query),
            given=query.get("given") == "yes",
            guard=query.get("guard") != "no",
        )

    def to_query(self) -> dict[str, str]:
        if self.ask == "allocation":
            return self._shares_query()
        words = {"target": ",".join(target.text for target in self.targets)}
        defaults = BudgetAddress()
        if self.find != defaults.find:
            words["find"] = self.find
        if self.find == "delta":
            words["chance"] = as_typed(self.delta)
        if self.reliability != defaults.reliability:
            words["of100"] = percent_as_typed(self.reliability)
        if self.most != defaults.most:
            words["most"] = as_typed(self.most)
        words |= self._synthetic_query()
        if self.fresh != defaults.fresh:
            words["fresh"] = "all" if self.fresh is None else str(self.fresh)
        if self.given:
            words["given"] = "yes"
        if not self.guard:
            words["guard"] = "no"
        return {name: value for name, value in words.items() if value}

    def full_query(self, view: View) -> dict[str, str]:
        """Return all parameters, without the settings that the page finds."""
        left_out: tuple[str, ...] = _FOUND if self.given else (*_FOUND, "allocation")
        if self.ask == "allocation":
            left_out = ("allocation",)
        parameters = view.settings.to_query()
        kept = {name: value for name, value in parameters.items() if name not in left_out}
        return kept | view.pin_query() | self.to_query()

    def notebook(self, view: View) -> Cells:
        settings = view.settings
        table = datasets.get(settings.sample).table
        words: dict[str, Any] = {"seed": settings.seed}
        if self.ask == "allocation":
            weights = self.weights_for(table.regions.levels)
            words |= {"weights": weights, "quantity": settings.quantity}
            name, first = "best_allocation", [f"budget={budget_call(settings.budget)}"]
        else:
            targets = [target.text for target in self.targets_for(table)]
            words |= {"reliability": self.reliability}
            words |= {"n_simulations": self.fresh, "allocation": settings.allocation}
            if not self.given:
                words.pop("allocation")
            name, first = "find_budget", [repr(targets), f"most={budget_call(self.largest)}"]
        arguments = ", ".join(
            [
                self.table_call("table"),
                repr(settings.mechanism_text),
                *first,
                *(f"{word}={value!r}" for word, value in words.items()),
            ]
        )
        call = f"hdp.{name}(\n    {arguments},\n)"
        return notebook.budget(settings, source=datasets.source_of(settings.sample), call=call)

    def table_call(self, table: str) -> str:
        """Return the Python expression of the simulated table, from the variable `table`."""
        if not self.synthetic:
            return table
        total = "" if self.total is None else f", total={self.total}"
        return f"hdp.SyntheticTable(table={table}{total})"

    @property
    def largest(self) -> Budget:
        """The largest budget to test, of the kind that the page finds."""
        return stated_size(
            self.most,
            unit="rho" if self.find == "rho" else "epsilon",
            delta=self.delta if self.find == "delta" else None,
        )

    def simulated(self, table: Table) -> Table | SyntheticTable:
        """Return the table that searches simulate: the table itself, or a synthetic one."""
        return SyntheticTable(table=table, total=self.total) if self.synthetic else table

    def elsewhere(self) -> Self:
        """Return the same task for other data, with the defaults."""
        return type(self)(ask=self.ask)

    def _shares_query(self) -> dict[str, str]:
        words = {"ask": "allocation"}
        if len(set(self.weights)) > 1:
            words["weights"] = ",".join(map(as_typed, self.weights))
        return words | self._synthetic_query()

    def _synthetic_query(self) -> dict[str, str]:
        if self.synthetic is None:
            return {}
        total = {"total": str(self.total)} if self.total is not None and self.synthetic else {}
        return {"stand-in": "yes" if self.synthetic else "no"} | total

    def weights_for(self, levels: Sequence[str]) -> tuple[float, ...]:
        """Return one weight per level; equal weights by default."""
        return self.weights or (1.0,) * len(levels)

    def targets_for(self, table: Table) -> tuple[Target, ...]:
        """Return the targets; by default, 95% of the last level within 5%."""
        return self.targets or (
            Target(level=table.regions.levels[-1], tolerance=0.05, relative=True),
        )


def _fresh(query: Mapping[str, str]) -> int | None:
    """Return the number of validation simulations, or None for "all"."""
    if query.get("fresh") == "all":
        return None
    return int(_number(query, "fresh", QUICK, 59, 20_000))


def _weights(text: str, table: Table) -> tuple[float, ...]:
    levels = table.regions.levels
    parts = [part.strip() for part in text.split(",")]
    weights = tuple(_number({"weights": part}, "weights", 1, 0, HEAVIEST) for part in parts)
    if len(weights) != len(levels):
        each = by_number(len(levels), "the level", "each of the levels")
        raise ChoiceError(
            f'"weights" must have one number for {each} {join_and(levels)}; got {len(weights)}.'
        )
    if not any(weights):
        raise ChoiceError('All "weights" are 0. Give at least one above 0.')
    return weights


def _number(query: Mapping[str, str], word: str, usual: float, least: float, most: float) -> float:
    text = query.get(word)
    if text is None:
        return usual
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise ChoiceError(
            f'"{word}" must lie between {least:g} and {most:,.6g}; got "{text[:20]}".'
        )
    return value
