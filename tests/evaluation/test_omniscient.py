"""The line that knowing all sizes would give, and the distance beside a quantity."""

import numpy as np
import pytest
from support.simulations import simulated
from support.strategies import regions_of

from hierdp_core import samples
from hierdp_core.evaluation.repeated import simulate_many, summarize
from hierdp_core.explain.group_sizes import omniscient
from hierdp_core.figures.errors import distance
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import names
from hierdp_core.privacy import Allocation, Budget
from hierdp_core.simulation import plan
from hierdp_core.tables import GroupSizes

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TABLE = GroupSizes.from_leaves(regions_of(TREE), [[0, 2, 1, 0, 3], [1, 1, 0, 2, 0]])
LEVELS = TABLE.regions.levels


def test_distinct_sizes_times_the_noise_of_the_level():
    # Five sizes occur in all, three in each part; two levels share ε = 1.
    even = omniscient(TABLE, Budget.of(epsilon=1), Allocation.of(None, LEVELS))
    assert even.tolist() == pytest.approx([5 * np.sqrt(2) * 2, 3 * np.sqrt(2) * 2])
    uneven = omniscient(TABLE, Budget.of(epsilon=2), Allocation.of([1, 3], LEVELS))
    assert uneven.tolist() == pytest.approx([5 * np.sqrt(2) / 0.5, 3 * np.sqrt(2) / 1.5])


def test_by_rho_it_is_the_gaussian_s_deviation():
    found = omniscient(TABLE, Budget.of(rho=0.5), Allocation.of(None, LEVELS))
    assert found.tolist() == pytest.approx([5 * np.sqrt(2), 3 * np.sqrt(2)])
    budget = Budget.of(epsilon=1, delta=1e-8)
    same = Budget.of(rho=float(budget.spendable_rho))
    both = [omniscient(TABLE, b, Allocation.of(None, LEVELS)).tolist() for b in (budget, same)]
    assert both[0] == pytest.approx(both[1])


def test_a_level_without_a_share_has_none():
    found = omniscient(TABLE, Budget.of(epsilon=1), Allocation.of([0, 1], LEVELS))
    assert np.isnan(found).tolist() == [True, False]


def test_the_papers_example():
    # [B] Section 6.2: 2,352 sizes at 0.1 a level are expected to leave some 33,000.
    sizes = np.zeros((1, 2353), dtype=int)
    sizes[0, 1:] = 1
    one = Hierarchy(parent=np.array([-1]), level_start=np.array([0, 1]))
    table = GroupSizes.from_leaves(regions_of(one), sizes)
    found = omniscient(table, Budget.of(epsilon=0.1), Allocation.of(None, table.regions.levels))
    assert found[0] == pytest.approx(3.3e4, rel=0.01)


def test_it_is_no_mechanism():
    assert not [id for id in names("group-sizes") if "omni" in id]


def test_the_distance_beside_a_quantity_is_that_of_the_whole_table():
    table = samples.load("running-example").table
    plans = [plan(table, "coc", epsilon=1)]
    alone = simulate_many(table, plans, n_simulations=2, seed=3, workers=1)
    beside = simulate_many(
        table, plans, n_simulations=2, seed=3, workers=1, quantities=["members"], distance=True
    )
    assert beside["emd"].tolist() == alone["emd"].tolist()
    without = simulate_many(
        table, plans, n_simulations=2, seed=3, workers=1, quantities=["members"]
    )
    assert "emd" not in without


@pytest.mark.parametrize("allocation", [None, [0, 1]])
@pytest.mark.parametrize("epsilon", [0.01, 1, 10_000])
def test_the_picture_holds_every_dot_and_the_line(allocation, epsilon):
    table = samples.load("running-example").table
    made = plan(table, "coc", epsilon=epsilon, allocation=allocation)
    summary = summarize(simulate_many(table, [made], n_simulations=5, workers=1), "emd")
    frame = distance.by_level(summary, omniscient(table, made.budget, made.allocation))
    figure = distance.picture(frame, unit="people")
    dotted, dots = figure.data[0], figure.data[-1]
    assert dotted.line.dash == "dot"
    assert dotted.name == distance.REFERENCE
    assert list(dotted.y) == ["nation", "state"][-len(dotted.y) :]
    assert len(dotted.y) == 2 - (allocation is not None)
    assert list(dots.x) == frame["mean"].tolist()
    low, high = figure.layout.xaxis.range
    ends = (10**low, 10**high) if distance.is_logarithmic(frame) else (low, high)
    drawn = frame[["mean", "low", "high", "reference"]].to_numpy()
    assert ends[0] <= np.nanmin(drawn)
    assert np.nanmax(drawn) <= ends[1]
    assert list(distance.table(frame)) == [
        "level",
        "released",
        "middle 80%, from",
        "middle 80%, to",
        distance.REFERENCE,
        "simulations",
    ]
    known = int(frame["reference"].notna().sum())
    assert distance.alt(frame).count("for the benchmark (set of sizes public)") == known


def test_levels_far_apart_are_drawn_on_a_logarithm():
    far = simulated(TABLE, "coc", epsilon=1).plan
    summary = summarize(simulate_many(TABLE, [far], n_simulations=3, workers=1), "emd")
    frame = distance.by_level(summary, np.array([50_000.0, 3.0]))
    assert distance.is_logarithmic(frame.assign(low=1.0, mean=2.0, high=3.0))
    assert not distance.is_logarithmic(frame.assign(low=0.0))
