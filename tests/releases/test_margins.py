"""Margins of error: the formula, what has none, and how often they hold on a known table."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from support.releases import new_ledger, small_table

import hierdp_core as hdp
from hierdp_core.exceptions import ChoiceError, HierarchyError, ReleaseError
from hierdp_core.hierarchy import Regions
from hierdp_core.releases.coverage import coverage
from hierdp_core.releases.margins import half_widths, margins, numbers_of, public_seed
from hierdp_core.releases.package.certificate import fitness_of_level
from hierdp_core.releases.preview import ExpectedMargin, expected_margins
from hierdp_core.simulation import simulate


def planned(kind="counts", mechanism="tree-dp", **words):
    table = small_table(kind)
    return table, hdp.plan(table, mechanism, **(words or {"epsilon": 1}))


def test_half_widths_are_those_of_the_formula_rounded_up():
    found = half_widths(np.array([4.0, 0.0, 2.25]), 0.9, 20, whole=False)
    factor = student.ppf(0.95, 19) * math.sqrt(1 + 1 / 20)
    assert found[0] == pytest.approx(2 * factor)
    assert math.isnan(found[1])
    assert half_widths(np.array([4.0]), 0.9, 20, whole=True)[0] == math.ceil(2 * factor)


def test_margins_are_worked_out_from_simulations_of_the_released_table():
    table, plan = planned()
    found = margins(table, plan, seed=7, n_simulations=12, near_zero=False)
    simulated = [simulate(table, plan, seed=7, index=k).table.values for k in range(12)]
    errors = np.array(simulated) - table.values
    assert found.bias == pytest.approx(errors.mean(axis=0))
    expected = half_widths((errors**2).mean(axis=0), 0.9, 12, whole=True)
    assert found.values == pytest.approx(expected, nan_ok=True)
    assert found.values.shape == table.values.shape


@pytest.mark.parametrize(
    ("kind", "mechanism"),
    [("counts", "tree-dp"), ("group-sizes", "pgsr-h-dp"), ("flows", "inftda")],
)
def test_every_number_of_every_level_has_its_place(kind, mechanism):
    table, plan = planned(kind, mechanism, rho=1)
    found = margins(table, plan, seed=1, n_simulations=10)
    lengths = [len(found.at(level)[0]) for level in range(table.tree.n_levels)]
    assert sum(lengths) == len(numbers_of(table, table)) == len(found.cells)
    assert found.values.shape == table.values.shape


def test_a_public_total_has_margin_0_and_a_private_one_has_not():
    table = small_table()
    bounded = hdp.plan(table, "inftda", rho=1)
    assert margins(table, bounded, seed=1, n_simulations=10).values[0] == 0
    unbounded = hdp.plan(table, "inftda: neighbours=unbounded", rho=1)
    assert margins(table, unbounded, seed=1, n_simulations=10).values[0] > 0


def test_numbers_near_zero_get_at_least_the_usual_margin():
    places = Regions.from_parents(
        {"all": None, **{f"p{k}": "all" for k in range(20)}}, levels=("country", "parish")
    )
    table = hdp.Counts.from_leaves(places, [0, 1, *[500] * 18])
    plan = hdp.plan(table, "tree-dp", epsilon=0.2)
    plain = margins(table, plan, seed=1, n_simulations=20, near_zero=False)
    raised = margins(table, plan, seed=1, n_simulations=20)
    usual = np.ceil(np.median(plain.values[3:]))
    assert raised.values[1:3].min() >= usual > plain.values[1]
    assert np.array_equal(raised.values[3:], plain.values[3:])


def test_totals_differences_and_ratios_come_from_the_same_simulations():
    table, plan = planned()
    found = margins(table, plan, seed=3, n_simulations=10)
    total = found.total(["a1", "b1"])
    assert total.value == 270
    assert 0 <= total.low <= 270 <= total.high
    whole = found.total(["a", "b"], level="district")
    parts = found.total(["a1", "a2", "b1"])
    assert (whole.value, whole.margin) == (parts.value, parts.margin)  # consistent tables
    difference = found.difference(["a2"], ["b1"])
    assert difference.value == -213
    assert difference.low < -213
    ratio = found.ratio(["a1"], ["b1"])
    assert ratio.value == pytest.approx(40 / 230)
    assert 0 < ratio.margin < 0.2
    for areas, error in ((["a1", "a1"], ChoiceError), ([], ChoiceError), (["x"], HierarchyError)):
        with pytest.raises(error):
            found.total(areas)


def test_a_ratio_over_nothing_has_no_margin():
    table = hdp.Counts.from_leaves(small_table().regions, [40, 0, 230])
    plan = hdp.plan(table, "tree-dp", epsilon=1)
    found = margins(table, plan, seed=3, n_simulations=10)
    assert math.isnan(found.ratio(["a1"], ["a2"]).margin)
    # The noise turns the 1 into a 0 in some simulations, whose ratios are not left out.
    few = table.with_values(hdp.Counts.from_leaves(table.regions, [40, 1, 230]).values)
    found = margins(few, plan, seed=3, n_simulations=40)
    simulated = found._simulated(lambda table: table.values[few.tree.leaves])
    assert 0 < (simulated[:, 1] == 0).sum() < 40
    some = found.ratio(["a1"], ["a2"])
    assert some.value == 40
    assert math.isnan(some.margin)


def test_a_ratio_whose_second_sum_may_be_negative_has_no_margin(monkeypatch):
    table, plan = planned()
    found = margins(table, plan, seed=3, n_simulations=10)
    monkeypatch.setattr(
        type(found), "_simulated", lambda self, numbers: np.array([[40.0, 230.0], [40.0, -1.0]] * 5)
    )
    assert math.isnan(found.ratio(["a1"], ["b1"]).margin)


def test_a_higher_level_is_wider():
    table, plan = planned()
    low, high = (
        margins(table, plan, seed=1, n_simulations=10, level=level).values for level in (0.5, 0.99)
    )
    assert (high >= low).all()
    assert (high > low).any()


def test_wrong_levels_and_numbers_are_refused_and_a_stop_is_reported():
    table, plan = planned()
    for words in ({"level": 1.0}, {"level": 0}, {"n_simulations": 9}):
        with pytest.raises(ChoiceError):
            margins(table, plan, seed=1, **words)
    with pytest.raises(ReleaseError, match="cancelled"):
        margins(table, plan, seed=1, n_simulations=10, cancel=lambda: True)


def test_margins_of_a_release_look_at_nothing_but_the_release(tmp_path):
    table, plan = planned()
    released = hdp.release(table, plan, ledger=new_ledger(tmp_path), dataset="pop")
    found = released.margins(n_simulations=10)
    again = margins(released.table, released.plan, seed=public_seed(released.id), n_simulations=10)
    assert np.array_equal(found.cells, again.cells, equal_nan=True)


def test_margins_hold_as_often_as_they_say_where_numbers_are_large():
    places = Regions.from_parents(
        {"all": None, **{f"p{k:03}": "all" for k in range(200)}}, levels=("country", "parish")
    )
    table = hdp.Counts.from_leaves(places, np.arange(1000, 1200))
    plan = hdp.plan(table, "tree-dp", rho="0.005")  # Gaussian, wide: rounding adds little
    for level, spread in ((0.9, 0.05), (0.5, 0.08)):
        found = coverage(table, plan, n_releases=4, n_simulations=30, level=level)
        (parishes,) = found[found["level"] == "parish"].to_dict("records")
        # Four standard deviations of the share of 800 numbers. The seeds are fixed.
        assert abs(parishes["covered"] - level) < spread


def test_margins_agree_with_the_closed_form_of_least_squares():
    """A root and n children: the variance of the least-squares fit is known exactly."""
    n, shares = 8, (1, 3)
    places = Regions.from_parents(
        {"all": None, **{f"p{k}": "all" for k in range(n)}}, levels=("country", "parish")
    )
    table = hdp.Counts.from_leaves(places, np.full(n, 10**6))
    plan = hdp.plan(table, "hay", rho="0.0001", allocation=list(shares))
    root, leaf = (float(event.sigma2) for event in plan.events)
    total = 1 / (1 / root + 1 / (n * leaf))
    expected = np.sqrt([total, *[leaf * (1 - 1 / n) + total / n**2] * n])
    simulations = 1500
    found = margins(table, plan, seed=2, n_simulations=simulations).values
    factor = student.ppf(0.95, simulations - 1) * math.sqrt(1 + 1 / simulations)
    # The standard error of a standard deviation is 1 / √(2 · 1500) = 1.8% of it; five of those.
    closed = factor * expected
    assert (np.abs(found - 0.5 - closed) < 0.09 * closed + 0.5).all()  # rounded up
    assert abs(root / leaf - 3) < 0.1  # the plan's noise is that of its allocation


def test_no_margin_of_a_whole_number_is_rounded_down() -> None:
    squares = np.linspace(0.01, 40, 500)
    exact = student.ppf(0.95, 99) * math.sqrt(1 + 1 / 100) * np.sqrt(squares)
    half = half_widths(squares, 0.9, 100, whole=True)
    assert (half >= exact).all()
    assert (half < exact + 1).all()


@pytest.mark.parametrize(("median", "shown"), [(6.2, 7), (6.5, 7), (6.0, 6), (None, None)])
def test_an_expected_margin_is_shown_rounded_up(median, shown) -> None:
    assert ExpectedMargin(level="parish", median=median).median_up == shown


def test_expected_margins_of_flows_name_both_ends() -> None:
    plan = hdp.plan(hdp.samples.load("ri-commuting").table, "inftda", epsilon=1)
    levels = [one.level for one in expected_margins(plan, total=1000)]
    assert levels == ["all → all", "county → county"]
    assert set(levels) <= {level.level for level in plan.privacy.levels}


def test_numbers_without_a_margin_count_neither_as_precise_nor_as_covered(monkeypatch):
    values, half = np.array([60, 200, 300, 400]), np.array([5, 5, 90, np.nan])
    (row,) = fitness_of_level("parish", values, half)
    assert row["within_a_tenth"] == 0.5
    assert row["without_margin"] == 0.25
    table = small_table()
    plan = hdp.plan(table, "tree-dp", epsilon=1)

    def of_some(released, plan, **how):
        made = margins(released, plan, **how | {"n_simulations": 10})
        cells = np.where(np.arange(len(made.cells)) % 2, np.nan, 10_000.0)
        return replace(made, cells=cells)

    monkeypatch.setattr("hierdp_core.releases.coverage.margins", of_some)
    with pytest.raises(ChoiceError, match="at least one simulated release; got 0"):
        coverage(table, plan, n_releases=0)
    found = coverage(table, plan, n_releases=2)
    assert found["without_margin"].max() > 0
    assert set(found["covered"].dropna()) == {1.0}
