"""Count-of-counts: three forms of a histogram, median regression, matching, consistency."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, linear_sum_assignment, linprog
from support.examples import examples
from support.simulations import simulated
from support.strategies import group_size_tables, regions_of

from hierdp_core import samples
from hierdp_core.evaluation.errors import errors
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import parse
from hierdp_core.simulation import plan, simulate
from hierdp_core.solvers.matching import match_top_down, matched
from hierdp_core.solvers.median import median_isotonic_rows
from hierdp_core.solvers.pooling import pool_stream
from hierdp_core.solvers.runs import histograms_of, runs_of, sorted_runs
from hierdp_core.solvers.top_down import split_rows
from hierdp_core.tables import GroupSizes

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
histograms = st.lists(st.integers(0, 4), min_size=2, max_size=7)


def expanded(runs, region):
    part = slice(int(runs.start[region]), int(runs.start[region + 1]))
    return np.repeat(runs.size[part], runs.count[part])


# The example of [B].
def test_the_three_forms_of_the_papers_example():
    histogram = np.array([[0, 2, 1, 2]])
    runs = runs_of(histogram, np.ones((1, 4)))
    assert np.cumsum(histogram[0]).tolist() == [0, 2, 3, 5]
    assert expanded(runs, 0).tolist() == [1, 1, 2, 3, 3]


@given(rows=st.lists(histograms, min_size=1, max_size=4))
def test_forms_convert_to_each_other_exactly(rows):
    width = max(map(len, rows))
    table = np.array([row + [0] * (width - len(row)) for row in rows])
    runs = runs_of(table, np.ones(table.shape))
    assert (histograms_of(runs, width) == table).all()
    for region, row in enumerate(table):
        assert expanded(runs, region).tolist() == np.repeat(np.arange(width), row).tolist()


def test_a_hundred_million_groups_take_no_more_room_than_their_sizes():
    table = np.array([[0, 60_000_000, 40_000_000, 1]])
    runs = runs_of(table, np.ones(table.shape))
    assert len(runs.size) == 3
    assert (histograms_of(runs, 4) == table).all()


def test_pieces_of_one_size_and_variance_become_one_run():
    runs = sorted_runs(
        np.array([1, 0, 0, 1]),
        3,
        np.array([5, 2, 2, 4]),
        np.array([1, 2, 3, 1]),
        np.array([1.0, 0.5, 0.5, 1.0]),
    )
    assert runs.start.tolist() == [0, 1, 3, 3]
    assert runs.size.tolist() == [2, 4, 5]
    assert runs.count.tolist() == [5, 1, 1]


def cheapest_rising(values, highest):
    """The smallest sum of absolute differences, by a linear program."""
    n = len(values)
    cost = np.concatenate([np.zeros(n), np.ones(n)])
    eye = np.eye(n)
    rows = [np.hstack([eye, -eye]), np.hstack([-eye, -eye])]
    limits = [values, -values]
    for i in range(n - 1):
        row = np.zeros(2 * n)
        row[i], row[i + 1] = 1, -1
        rows.append(row[None])
        limits.append(np.zeros(1))
    bounds = [(0, highest)] * n + [(0, None)] * n
    found = linprog(cost, A_ub=np.vstack(rows), b_ub=np.concatenate(limits), bounds=bounds)
    return found.fun


@settings(max_examples=examples(200))
@given(values=st.lists(st.integers(-8, 12), min_size=1, max_size=9), highest=st.integers(0, 9))
def test_median_regression_is_the_linear_programs_optimum(values, highest):
    row = np.array(values)
    fitted = median_isotonic_rows(row[None], np.array([highest]))[0]
    assert (np.diff(fitted) >= 0).all()
    assert fitted.min() >= 0
    assert fitted.max() <= highest
    assert np.abs(fitted - row).sum() == pytest.approx(cheapest_rising(row, highest), abs=1e-6)


@given(seed=st.integers(0, 1000))
def test_a_rising_row_is_its_own_regression_by_medians_and_means(seed):
    row = np.sort(np.random.default_rng(seed).integers(0, 50, 20))
    assert (median_isotonic_rows(row[None], np.array([50]))[0] == row).all()
    pools = pool_stream([row[:7], row[7:]])
    assert np.repeat(pools.mean, pools.count).tolist() == row.tolist()


@given(seed=st.integers(0, 1000), cut=st.integers(0, 30))
def test_pooling_a_stream_is_isotonic_regression_of_the_whole(seed, cut):
    values = np.random.default_rng(seed).integers(-9, 10, 30)
    pools = pool_stream([values[:cut], values[cut:]])
    np.testing.assert_allclose(
        np.repeat(pools.mean, pools.count), isotonic_regression(values.astype(float)).x
    )


@given(rows=st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=1, max_size=3))
def test_split_rows_keep_their_totals(rows):
    totals = np.arange(len(rows)) * 5
    out = split_rows(np.array(rows), totals)
    assert (out.sum(axis=1) == totals).all()
    assert out.min() >= 0


@settings(max_examples=examples(200))
@given(children=st.lists(histograms, min_size=1, max_size=4), seed=st.integers(0, 1000))
def test_the_matching_costs_no_more_than_the_cheapest(children, seed):
    rng = np.random.default_rng(seed)
    table = np.array([row + [0] * (7 - len(row)) for row in children])
    groups = int(table.sum())
    parent = np.bincount(rng.integers(0, 7, groups), minlength=7)[None]
    above, below = runs_of(parent, np.ones((1, 7))), runs_of(table, np.ones(table.shape))
    pieces = matched(above, 0, below, 0, len(table))
    child, top, bottom, count = pieces.T
    assert (np.bincount(child, weights=count, minlength=len(table)) == table.sum(axis=1)).all()
    assert (np.bincount(top, weights=count, minlength=len(above.count)) == above.count).all()
    assert (np.bincount(bottom, weights=count, minlength=len(below.count)) == below.count).all()
    ours = int((count * np.abs(above.size[top] - below.size[bottom])).sum())
    ends = np.repeat(np.arange(7), parent[0])
    others = np.concatenate([np.repeat(np.arange(7), row) for row in table])
    distance = np.abs(ends[:, None] - others[None])
    rows, columns = linear_sum_assignment(distance)
    assert ours == distance[rows, columns].sum()


def test_ties_are_shared_in_proportion_the_largest_fractions_up():
    # [B] Section 5.2.1: 300 groups of the parent over 200, 100 and 100 of the children.
    above = runs_of(np.array([[0, 300, 100]]), np.ones((1, 3)))
    below = runs_of(np.array([[0, 200, 0], [0, 100, 0], [0, 100, 0]]), np.ones((3, 3)))
    pieces = matched(above, 0, below, 0, 3)
    of_size_one = pieces[pieces[:, 1] == 0]
    assert of_size_one[:, [0, 3]].tolist() == [[0, 150], [1, 75], [2, 75]]
    # 2 over 1, 1 and 1: two thirds each, so the first two get the units.
    above = runs_of(np.array([[0, 2, 1]]), np.ones((1, 3)))
    below = runs_of(np.array([[0, 1, 0]] * 3), np.ones((3, 3)))
    pieces = matched(above, 0, below, 0, 3)
    assert pieces[pieces[:, 1] == 0][:, 0].tolist() == [0, 1]


def test_the_merged_size_is_closer_to_the_more_accurate_estimate():
    root = runs_of(np.array([[0, 0, 0, 0, 0, 2]]), np.full((1, 6), 1.0))
    leaves = runs_of(np.array([[0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]), np.full((2, 6), 3.0))
    weighted = match_top_down(TREE, [root, leaves], n_sizes=6)
    assert weighted[1].tolist() == [0, 0, 0, 0, 1, 0]  # (3·5 + 1·1) / 4 = 4
    mean = match_top_down(TREE, [root, leaves], n_sizes=6, weighted=False)
    assert mean[1].tolist() == [0, 0, 0, 1, 0, 0]
    assert weighted[0].sum() == 2


@pytest.mark.parametrize("methods", ["hc", "hg", "naive"])
@pytest.mark.parametrize("merge", ["weighted", "mean"])
@settings(max_examples=examples(40))
@given(table=group_size_tables(), seed=st.integers(0, 1000))
def test_every_region_keeps_its_public_number_of_groups(methods, merge, table, seed):
    made = plan(table, "coc", epsilon=0.5, options={"methods": methods, "merge": merge})
    released = simulate(table, made, seed=seed)
    assert released.checks.consistent
    assert released.checks.valid
    assert released.checks.faithful
    assert (released.table.values.sum(axis=1) == table.values.sum(axis=1)).all()


@settings(max_examples=examples(30))
@given(table=group_size_tables(), isotonic=st.sampled_from(["l1", "l2"]))
def test_methods_mix_and_without_noise_give_the_truth(table, isotonic):
    methods = ",".join(["hg", "hc", "naive", "hc"][: table.tree.n_levels])
    options = {"methods": methods, "isotonic": isotonic}
    released = simulated(table, "coc", epsilon=10_000, options=options)
    assert (released.table.values == table.values).all()


def test_options_that_do_not_fit_are_refused():
    table = GroupSizes.from_leaves(regions_of(TREE), [[0, 2, 1], [1, 1, 0]])
    with pytest.raises(ChoiceError, match="methods has 3 entries, and the table has 2 levels"):
        plan(table, "coc", epsilon=1, options={"methods": "hc,hc,hg"})
    with pytest.raises(ChoiceError, match='methods are hc, hg, naive; got "h"'):
        plan(table, "coc", epsilon=1, options={"methods": "h"})
    with pytest.raises(BudgetError, match="spends the whole budget on the last level, region"):
        plan(table, "coc-bottom-up", epsilon=1, allocation=[1, 1])
    with pytest.raises(ChoiceError, match="treats the number of groups in every area as public"):
        plan(table.domain, "coc", epsilon=1)
    assert plan(table.domain_by_region, "coc", epsilon=1).domain.region_groups.tolist() == [5, 3, 2]
    made = plan(table, "coc-bottom-up", epsilon=1)
    assert [level.epsilon for level in made.privacy.levels] == [None, 1.0]
    assert "housing" not in made.privacy.sentence
    assert "in every area" in made.privacy.sentence


def test_a_plan_with_other_public_numbers_is_for_another_table():
    table = GroupSizes.from_leaves(regions_of(TREE), [[0, 2, 1], [1, 1, 0]])
    moved = GroupSizes(regions=table.regions, values=table.values[[0, 2, 1]])
    with pytest.raises(ChoiceError, match="made for another table"):
        simulate(moved, plan(table, "coc", epsilon=1))


def test_sensitivities_follow_the_method_of_each_level():
    mechanism = parse("coc", {"methods": "naive,hg"})
    table = GroupSizes.from_leaves(regions_of(TREE), [[0, 2, 1], [1, 1, 0]])
    declared = mechanism.sensitivities(table.domain)
    assert [(s.l1, s.l2_squared) for s in declared] == [(2, 2), (1, 1)]
    assert parse("coc", {"methods": " hc , hg "}).level_methods(2) == ("hc", "hg")


@given(histogram=histograms, size=st.integers(0, 5))
def test_sorted_sizes_change_by_one_when_one_person_joins(histogram, size):
    """The sensitivity of H_g: one entry changes by one."""
    row = np.array([*histogram, 0])
    if size + 1 >= len(row) or row[size] == 0:
        return
    after = row.copy()
    after[size] -= 1
    after[size + 1] += 1
    sizes = np.arange(len(row))
    apart = np.repeat(sizes, after) - np.repeat(sizes, row)
    assert np.abs(apart).sum() == np.square(apart).sum() == 1


def test_a_pool_has_the_variance_of_one_size_if_chosen():
    table = GroupSizes.from_leaves(regions_of(TREE), [[0, 9, 1], [5, 1, 0]])
    variances = {}
    for choice in ("pools", "bound"):
        options = {"methods": "hg", "hg-variance": choice}
        done = simulated(table, "coc", epsilon=1, options=options)
        levels = done.plan.mechanism.level_estimates(done.noisy, done.plan)
        variances[choice] = np.concatenate([runs.variance for runs in levels])
    noise = done.plan.variances[0]
    assert set(variances["bound"]) == {noise}
    assert variances["pools"].min() < noise / 2


@settings(max_examples=examples(40))
@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=40), seed=st.integers(0, 2**32))
def test_a_projection_onto_rising_sizes_never_adds_error(sizes, seed):
    """The mean squared error over all sorted sizes is at most the variance of one noisy size."""
    true = np.sort(sizes)
    noise = np.random.default_rng(seed).integers(-9, 10, len(true))
    pools = pool_stream([true + noise])
    fitted = np.repeat(pools.mean, pools.count)
    assert np.square(fitted - true).sum() <= np.square(noise).sum() + 1e-9


def test_the_bound_keeps_a_bad_root_from_pulling_the_boroughs():
    table = samples.load("taxi").table
    found = {}
    for choice in ("pools", "bound"):
        options = {"methods": "hg,hc,hc", "hg-variance": choice}
        done = simulated(table, "coc", epsilon=1, options=options, seed=0)
        found[choice] = errors(table, done)["emd"].to_numpy()
    assert (found["bound"][:2] < 0.6 * found["pools"][:2]).all()
