"""The trade-off: every curve is the tolerance that its target would have needed."""

import numpy as np
import pytest
from support.strategies import regions_of

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.planning import PlanningStopped, SyntheticTable, Target, trade_off
from hierdp_core.planning.trade_off import usual_budgets
from hierdp_core.privacy import Budget
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Counts
from hierdp_core.util.parallel import Workers

_LEAVES = np.arange(200, 2200, 50)
_TREE = Hierarchy(
    parent=np.array([-1] + [0] * len(_LEAVES)), level_start=np.array([0, 1, len(_LEAVES) + 1])
)
TABLE = Counts.from_leaves(regions_of(_TREE), _LEAVES)
TOP, LEAF = TABLE.regions.levels


def test_a_curve_is_the_tolerance_that_the_target_needs() -> None:
    found = trade_off(
        TABLE, "hay", [f"{LEAF}=all:50"], budgets=[Budget.pure(1)], n_simulations=3, seed=4
    )
    made = plan(TABLE, "hay", budget=Budget.pure(1))
    errors = [
        np.abs(simulate(TABLE, made, seed=4, index=i).table.values - TABLE.values)[1:].max()
        for i in range(3)
    ]
    row = found.frame[found.frame["target"]].iloc[0]
    assert (row["typical"], row["least"], row["most"]) == (
        pytest.approx(np.median(errors)),
        pytest.approx(min(errors)),
        pytest.approx(max(errors)),
    )
    assert found.hits == (sum(error <= 50 for error in errors),)


def test_levels_without_a_target_are_measured_as_the_first_target_is() -> None:
    found = trade_off(TABLE, "hay", [f"{LEAF}=90%:5%"], budgets=[Budget.pure(1)], n_simulations=2)
    assert [curve.target.level for curve in found.curves] == [LEAF, TOP]
    assert found.n_targets == 1
    other = found.curves[1].target
    assert (other.share, other.relative) == (0.9, True)


def test_enough_is_where_every_simulation_at_it_and_above_meets_all_targets() -> None:
    targets = [f"{LEAF}=all:15", f"{TOP}=all:15"]
    found = trade_off(
        TABLE,
        "hay",
        targets,
        budgets=[Budget.pure(size) for size in (10, 0.01, 3)],
        n_simulations=5,
    )
    assert found.sizes == (0.01, 3, 10)
    assert found.hits[0] == 0
    assert found.hits[1:] == (5, 5)
    assert found.enough == 3
    impossible = trade_off(
        TABLE, "hay", [f"{LEAF}=all:0.001"], budgets=[Budget.pure(0.1)], n_simulations=2
    )
    assert impossible.enough is None


def test_rho_and_a_stand_in_and_allocations_are_those_asked_for() -> None:
    found = trade_off(
        SyntheticTable(table=TABLE, total=50_000),
        "hay",
        [Target(level=LEAF, tolerance=0.1, relative=True)],
        budgets=[Budget.zcdp(0.5)],
        allocation=[1, 3],
        n_simulations=2,
    )
    assert (found.unit, found.sizes, found.synthetic) == ("rho", (0.5,), True)
    assert found.plans[0].allocation.weights == (1, 3)
    assert float(found.plans[0].budget.rho or 0) == 0.5
    assert found.curves[1].true.sum() == 50_000


def test_it_reports_progress_and_stops_when_cancelled() -> None:
    stated: list[tuple[int, int, str]] = []
    trade_off(
        TABLE,
        "hay",
        [f"{LEAF}=5%"],
        budgets=[Budget.pure(2), Budget.pure(1)],
        n_simulations=2,
        workers=1,
        progress=lambda *shown: stated.append(shown),
    )
    assert stated[0][:2] == (1, 4)
    assert stated[-1][:2] == (4, 4)
    with pytest.raises(PlanningStopped):
        trade_off(TABLE, "hay", [f"{LEAF}=5%"], workers=Workers(cancel=lambda: True))


@pytest.mark.parametrize(("targets", "n"), [([], 5), ([f"{LEAF}=5%"], 0)])
def test_without_a_target_or_a_simulation_there_is_none(targets: list[str], n: int) -> None:
    with pytest.raises(ChoiceError, match="at least one target and one simulation"):
        trade_off(TABLE, "hay", targets, n_simulations=n)


def test_its_usual_budgets_are_of_the_kind_that_is_looked_for() -> None:
    assert {b.words for b in usual_budgets()} >= {"ε = 0.05", "ε = 10"}
    both = usual_budgets(Budget.approximate(1, 1e-6, accounting="zcdp"))
    assert {(b.kind, b.accounting) for b in both} == {("approximate", "zcdp")}
    assert {b.kind for b in usual_budgets(Budget.zcdp(1))} == {"zcdp"}


@pytest.mark.parametrize("budgets", [[], [Budget.pure(1), Budget.zcdp(1)]])
def test_budgets_of_several_kinds_or_none_are_no_curve(budgets: list[Budget]) -> None:
    with pytest.raises(BudgetError, match="budgets of one kind"):
        trade_off(TABLE, "hay", [f"{LEAF}=5%"], budgets=budgets)
