"""Many simulations, looked at by level and area by area."""

import numpy as np
import pytest
from support.strategies import regions_of

import hierdp_core as hdp
from hierdp_core.evaluation.exploring import explore, relative_errors, typical_errors
from hierdp_core.evaluation.released_counts import released_counts
from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.tables import Counts


@pytest.fixture(scope="module")
def table():
    return hdp.samples.load("us-population").table


def test_both_views_are_of_the_same_simulations(table):
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    quantity = table.quantities[0].id
    explored = explore(table, plan, quantity, n_simulations=3, seed=4, first=2)
    counts = released_counts(table, plan, quantity, n_simulations=3, seed=4, first=2)
    assert (explored.counts.released == counts.released).all()
    errors = hdp.simulate_many(
        table, [plan], n_simulations=3, seed=4, first=2, quantities=[quantity], distance=True
    )
    same = explored.errors.drop(columns="seconds").equals(errors.drop(columns="seconds"))
    assert same


def test_pieces_are_joined_to_the_whole(table):
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    quantity = table.quantities[0].id
    whole = explore(table, plan, quantity, n_simulations=5, seed=1)
    pieces = [
        explore(table, plan, quantity, n_simulations=n, seed=1, first=first, workers=1)
        for first, n in ((0, 2), (2, 3))
    ]
    joined = pieces[0].joined(pieces[1])
    assert joined.n == 5
    assert (joined.counts.released == whole.counts.released).all()
    assert joined.errors["simulation"].tolist() == whole.errors["simulation"].tolist()
    with pytest.raises(ChoiceError, match="gaps"):
        pieces[1].joined(pieces[0])


def test_typical_errors_are_medians_of_means_over_simulations(table):
    plan = hdp.plan(table, "tree-dp", epsilon=0.01)
    explored = explore(table, plan, table.quantities[0].id, n_simulations=4)
    rows = typical_errors(explored.counts).set_index("level")
    counties = explored.counts.of_level("county")
    mean = np.abs(counties.released - counties.true).mean(axis=0)
    assert rows.loc["county", "typical_rel"] == np.median(mean / counties.true)
    assert rows.loc["county", "mean_abs"] == pytest.approx(mean.mean())
    small = np.argsort(counties.true, kind="stable")[:314]
    assert rows.loc["county", "small_areas"] == 314
    assert rows.loc["county", "small_at_most"] == counties.true[small].max()
    assert rows.loc["county", "small_rel"] == np.median((mean / counties.true)[small])
    assert rows["typical_rel"].is_monotonic_increasing


def test_an_area_whose_true_count_is_zero_has_no_relative_error():
    tree = Hierarchy(parent=np.array([-1, 0, 0, 0]), level_start=np.array([0, 1, 4]))
    table = Counts.from_leaves(regions_of(tree), np.array([0, 0, 5]))
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    explored = explore(table, plan, table.quantities[0].id, n_simulations=2)
    relative = relative_errors(explored.counts)
    assert np.isnan(relative).tolist() == (explored.counts.true == 0).tolist()
    rows = typical_errors(explored.counts)
    assert rows["small_areas"].iloc[-1] == 1
