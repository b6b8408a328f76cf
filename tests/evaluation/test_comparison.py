"""Cases side by side: what they are, what they mean, and which is best."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.strategies import regions_of

from hierdp_core import mechanisms, samples
from hierdp_core.evaluation.comparison import (
    Comparison,
    SizeClasses,
    axes,
    best,
    case_digest,
    comparable,
    compare,
    converted,
    front,
    grid,
    labels,
    measures,
    only_public_to,
    overview,
    privacy_table,
    recommend,
    rivals,
    simulate_cases,
    summarize,
    summarize_by_size,
    table_digest,
    with_options,
)
from hierdp_core.evaluation.errors import by_region_errors
from hierdp_core.evaluation.evaluation import evaluate
from hierdp_core.evaluation.repeated import simulate_many
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.privacy import Budget, Neighbours, epsilon_of_rho
from hierdp_core.simulation import plan as planned
from hierdp_core.simulation import simulate
from hierdp_core.tables import Counts, Flows, GroupSizes
from hierdp_core.util.parallel import Workers

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TABLE = GroupSizes.from_leaves(regions_of(TREE), [[5, 20, 10], [8, 30, 9]])
ONE, TENTH = Budget.of(epsilon=1), Budget.of(epsilon="0.1")
IDS = ("pgsr-h-dp", "coc")
# Counts with places of size 0 and 1, 2, … on the last level.
WIDE = Hierarchy(parent=np.array([-1] + [0] * 43), level_start=np.array([0, 1, 44]))
PLACES = Counts.from_leaves(regions_of(WIDE), [0, 0, 0, *range(1, 41)])


def compared(n: int = 12, **more) -> Comparison:
    return compare(TABLE, grid(TABLE, IDS, [TENTH, ONE]), n_simulations=n, **more)


def test_a_grid_holds_every_case_once():
    allocation = [None, (1, 1), (1, 2)]  # even ones are the usual ones
    plans = grid(TABLE, ["coc", "pgsr-h-dp"], [ONE, TENTH, ONE], allocation=allocation)
    assert [(p.id, p.budget, p.allocation.words) for p in plans] == [
        (id, budget, words)
        for id in ("coc", "pgsr-h-dp")
        for budget in (ONE, TENTH)
        for words in ("1,1", "1,2")
    ]
    assert len(set(labels(plans))) == len(plans)
    assert labels(plans)[0] == "Count-of-counts, matched · 1:1 · ε = 1"
    assert labels(plans[:1]) == ("Count-of-counts, matched",)


def test_options_go_to_the_mechanisms_that_have_them():
    one, other = grid(TABLE, with_options(IDS, {"isotonic": "l2"}), [ONE])
    assert "isotonic" not in dict(one.options)
    assert dict(other.options)["isotonic"] == "l2"


@pytest.mark.parametrize(
    ("ids", "budgets", "more", "error", "named"),
    [
        ([], [ONE], {}, ChoiceError, "at least one mechanism"),
        (IDS, [], {}, BudgetError, "at least one budget"),
        (["magic"], [ONE], {}, ChoiceError, "magic"),
        (["hay"], [ONE], {}, ChoiceError, "choose coc-opt or pgsr-c-opt"),
        (["coc: colour=red"], [ONE], {}, ChoiceError, "colour"),
        (["coc: isotonic=l3"], [ONE], {}, ChoiceError, "l3"),
        (IDS, [ONE], {"allocation": [(1, 1, 1)]}, BudgetError, "The allocation has 3 weights"),
        (IDS, [ONE] * 251, {}, ChoiceError, "502 configurations; the limit is 500"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(ids, budgets, more, error, named):
    with pytest.raises(error, match=named):
        grid(TABLE, ids, budgets, **more)


def test_compare_gives_the_simulations_of_simulate_many():
    found = compared(n=3, seed=5)
    assert found.complete
    assert found.done == (3, 3, 3, 3)
    expected = simulate_many(TABLE, found.plans, n_simulations=3, seed=5)
    same = [c for c in expected.columns if c != "seconds"]
    pd.testing.assert_frame_equal(found.errors[same], expected[same])
    assert list(found.errors.columns[-6:]) == [
        "case", "neighbours", "unit", "difference", "spent_epsilon", "spent_rho",
    ]  # fmt: skip


def test_the_first_simulations_of_all_cases_come_first_and_cancel_keeps_them():
    order = []
    simulate_cases(
        TABLE,
        grid(TABLE, IDS, [ONE]),
        n_simulations=50,
        arrived=lambda draw: order.append((draw.index, draw.case)),
        workers=Workers(threads=1, cancel=lambda: len(order) >= 4),
    )
    assert order == sorted(order)
    assert 4 <= len(order) < 10
    nothing = compared(workers=Workers(cancel=lambda: True))
    assert nothing.done == (0, 0, 0, 0)
    assert not nothing.complete
    assert nothing.levels == ()


def test_simulations_that_are_there_are_not_made_again():
    plans, order = grid(TABLE, IDS, [ONE]), []
    simulate_cases(
        TABLE,
        plans,
        n_simulations=3,
        have=(2, 3),
        arrived=lambda draw: order.append((draw.index, draw.case)),
    )
    assert order == [(2, 0)]


def test_a_case_that_fails_states_why_and_the_others_go_on(monkeypatch):
    def too_late(self, noisy, plan):
        raise ChoiceError("The solver is out of time.")

    monkeypatch.setattr(mechanisms.get("coc"), "estimate", too_late)
    found = compared(n=4)
    assert found.done == (4, 4, 0, 0)
    assert {case for case, _ in found.failures} == {2, 3}
    assert found.failures[0][1] == "The solver is out of time."
    with pytest.raises(ChoiceError, match="out of time"):
        compare(TABLE, grid(TABLE, ["coc"], [ONE]), n_simulations=2)


@pytest.mark.parametrize(("n", "workers"), [(0, 1), (1, 0), (10**6, 1)])
def test_simulations_that_cannot_be_made_are_refused(n, workers):
    with pytest.raises(ChoiceError):
        compared(n=n, workers=workers)


def test_summaries_have_a_row_a_case_and_level():
    found = compared()
    table = summarize(found, "emd")
    assert table[["case", "level"]].drop_duplicates().shape[0] == len(table) == 4 * 2
    one = found.errors[(found.errors["case"] == 2) & (found.errors["level"] == table["level"][0])]
    row = table[(table["case"] == 2) & (table["level"] == table["level"][0])].iloc[0]
    assert row["mean"] == one["emd"].mean()
    assert row["q90"] == one["emd"].quantile(0.9)
    whole = overview(found)
    assert {"mean_abs", "emd", "fdr", "violations", "seconds", "simulations"} <= set(whole)
    assert whole["case"].tolist() == sorted(whole["case"])


def test_a_digest_names_what_made_the_simulations():
    table = table_digest(TABLE)
    plans = [*grid(TABLE, IDS, [ONE, TENTH]), *grid(TABLE, IDS, [ONE], allocation=[(1, 2)])]
    names = {case_digest(table, p, seed=s, quantities=("",)) for p in plans for s in (0, 1)}
    assert len(names) == 2 * len(plans)
    other = GroupSizes.from_leaves(regions_of(TREE), [[5, 20, 10], [8, 31, 9]])
    assert table_digest(other) != table
    assert table_digest(GroupSizes.from_leaves(regions_of(TREE), TABLE.values[1:])) == table


# What privacy means.

MIXED = grid(
    TABLE, ["pgsr-h-dp"], [ONE, TENTH, Budget.of(epsilon=1, delta="1e-6"), Budget.of(rho="0.5")]
)


def test_budgets_of_different_kinds_are_not_comparable():
    assert [group.cases for group in comparable(MIXED)] == [(0, 1), (2,), (3,)]
    assert [group.guarantee for group in comparable(MIXED)] == [
        "pure DP",
        "approximate DP (δ = 10⁻⁶)",
        "zCDP",
    ]
    assert len(axes(MIXED)) == 3
    assert [cases for _, cases in rivals(MIXED)] == [(0,), (1,), (2,), (3,)]
    assert rivals(grid(TABLE, IDS, [ONE]))[0] == (
        "ε = 1 (pure DP), adding or removing one person",
        (0, 1),
    )


def test_neighbours_and_units_are_never_converted():
    from dataclasses import replace

    one = MIXED[0]
    moved = replace(one, privacy=replace(one.privacy, neighbours=Neighbours.REPLACE_ONE))
    trip = replace(one, privacy=replace(one.privacy, unit="one trip"))
    for scale in ("stated", "rho", "epsilon", "epsilon-tight"):
        assert [axis.cases for axis in axes([one, moved, trip], scale=scale)] == [(0,), (1,), (2,)]


def test_a_converted_axis_says_so():
    (axis,) = axes(MIXED, scale="rho")
    assert axis.cases == (0, 1, 2, 3)
    # ε = 1 over two levels with even shares: two releases of ε = 1/2 each.
    assert axis.values[0] == pytest.approx(2 * 0.5**2 / 2)
    assert axis.values[3] == 0.5
    assert "pure DP and approximate DP (δ = 10⁻⁶) are expressed as ρ" in axis.note
    (axis,) = axes(MIXED, scale="epsilon", delta=1e-6)
    assert axis.values[2] == pytest.approx(1)
    assert axis.values[3] == pytest.approx(epsilon_of_rho(0.5, delta=1e-6))
    assert "pure DP and zCDP are expressed as ε" in axis.note
    assert axes(MIXED[:2])[0].note == ""
    with pytest.raises(ChoiceError, match="scale"):
        axes(MIXED, scale="colour")


def test_a_stated_epsilon_on_a_converted_axis_is_said_to_be_stated():
    thresholds = planned(
        samples.load("ri-commuting").table, "stability-histogram", epsilon=1, delta=1e-10
    )
    (axis,) = axes([thresholds], scale="epsilon")
    assert axis.values == (1,)
    assert "The stated ε is shown where it holds at this δ" in axis.note
    assert "From ρ" not in axis.note


@given(st.sampled_from(MIXED), st.floats(1e-12, 1e-2))
def test_conversions_never_understate_and_the_tight_one_is_not_looser(case, delta):
    forms = converted(case.privacy, delta=delta)
    assert forms["epsilon_tight"] <= forms["epsilon"] * (1 + 1e-12)
    assert forms["epsilon_tight"] == case.privacy.epsilon_at(delta).epsilon
    if case.budget.kind == "pure":
        assert forms["epsilon"] <= case.privacy.epsilon


def test_what_only_one_takes_as_public_is_reported():
    shared, own = only_public_to(grid(TABLE, IDS, [ONE]))
    assert "the list of areas and how they nest" in shared
    assert set(own) == {mechanisms.describe(id).title for id in IDS}
    assert "in every area" in own[mechanisms.describe("coc").title][0]
    assert only_public_to(MIXED)[1] == {}
    table = privacy_table(MIXED)
    assert table["difference"].tolist() == [plan.privacy.difference for plan in MIXED]
    assert table["guarantee"].tolist() == [
        "ε = 1 (pure DP)",
        "ε = 0.1 (pure DP)",
        "ε = 1, δ = 10⁻⁶ (approximate DP)",
        "ρ = 0.5 (zCDP)",
    ]


def test_facts_that_only_some_cases_of_a_mechanism_treat_as_public_are_not_shared():
    one, other = (
        planned(TABLE, mechanisms.parse("coc", {"totals": totals}), epsilon=1)
        for totals in ("public", "private")
    )
    shared, own = only_public_to([one, other])
    assert shared == tuple(f for f in one.privacy.invariants if f in other.privacy.invariants)
    (fact,) = (f for f in one.privacy.invariants if "number of groups" in f)
    assert fact not in shared
    assert [fact in facts for facts in own.values()] == [True, False]


# Which is best.


@given(arrays(float, st.tuples(st.integers(1, 30), st.just(2)), elements=st.integers(0, 8)))
def test_the_front_is_what_no_other_point_beats(points):
    def beaten(mine):
        return any((p <= mine).all() and (p < mine).any() for p in points)

    found = front(points)
    assert sorted(found) == [k for k, point in enumerate(points) if not beaten(point)]
    assert points[list(found), 0].tolist() == sorted(points[list(found), 0])


CALIBRATION_RUNS = 600


def test_the_confidence_of_simulations_is_calibrated():
    # Two cases with the same law: to call one of them settled is always wrong. Resampling 30
    # draws does so in about 10.5 of 100 runs (5 on each side, and a little for the few draws);
    # with 600 runs the share stays within 0.07 … 0.15 except for one seed in a thousand.
    rng = np.random.default_rng(1)
    wrong = [best(rng.normal(size=(30, 2)), resamples=400).settled for _ in range(CALIBRATION_RUNS)]
    assert 0.07 < np.mean(wrong) < 0.15


def test_a_clear_difference_is_settled_and_a_shared_noise_cancels():
    rng = np.random.default_rng(2)
    noise = rng.normal(10, 5, size=(30, 1))
    found = best(np.hstack([noise, noise + 0.1]))
    assert found.case == 0
    assert found.settled
    assert (
        found.sentence(("A", "B"))
        == "A has the lowest error in 100% of resamples of the 30 simulations."
    )
    apart = best(np.hstack([noise, rng.permutation(noise) + 0.1]))
    assert not apart.settled
    assert apart.sentence(("A", "B")).startswith(
        "The simulations do not show which has the lowest error. "
    )


def test_ties_and_few_simulations_are_reported():
    equal = np.arange(12.0).reshape(-1, 1)
    both = best(np.hstack([equal, equal, equal + 1]))
    assert both.same == (0, 1)
    assert both.chance == pytest.approx(1)
    assert "A and B have the lowest error in 100%" in both.sentence("ABC")
    assert "the same error in every simulation" in both.sentence("ABC")
    assert best(np.hstack([equal, equal])).sentence("AB") == (
        "A and B have the same error in every simulation."
    )
    few = best(np.array([[1.0, 2.0], [1.0, 3.0]]))
    assert not few.settled
    assert "too few simulations" in few.sentence("AB")
    assert best(equal).sentence("A") == "There is no other case to compare A with."


# Places by size.


def test_levels_with_few_places_have_no_classes():
    classes = SizeClasses.for_table(PLACES)
    assert classes.levels == (1,)  # not the single root
    assert [int((classes.of[0] == k).sum()) for k in range(-1, 10)] == [3] + [4] * 10
    assert SizeClasses.for_table(TABLE).levels == ()


def test_errors_by_size_are_those_of_the_regions():
    (plan,) = grid(PLACES, ["tree-dp"], [TENTH])
    classes, simulation = SizeClasses.for_table(PLACES), simulate(PLACES, plan, seed=3)
    rows = classes.errors(simulation)
    whole = by_region_errors(PLACES, simulation, "count")
    zero, small = rows.iloc[0], rows.iloc[1]
    places = whole[whole["true"].between(1, 4)]
    assert (small["smallest"], small["largest"], small["places"]) == (1, 4, 4)
    assert small["bias"] == places["error"].mean()
    assert small["mean_rel"] == places["rel_error"].mean()
    assert np.isnan(zero["mean_rel"])
    assert zero["bias"] >= 0  # a released number is never negative
    table = summarize_by_size(compare(PLACES, [plan], n_simulations=3), "bias")
    assert table["size_class"].tolist() == list(range(-1, 10))
    assert summarize_by_size(compared(n=1)).empty


def test_places_of_flows_are_parted_by_departures():
    flows = samples.load("od-random-sparse").table
    (made,) = grid(flows, ["inftda"], [Budget.of(epsilon=1)])
    classes, simulation = SizeClasses.for_table(flows), simulate(flows, made, seed=1)
    assert classes.levels
    rows, whole = classes.errors(simulation), by_region_errors(flows, simulation, "departures")
    for level, own in rows.groupby("level"):
        places = whole[(whole["level"] == level) & ~whole["padded"]]
        assert own["places"].sum() == len(places)
        weighted = (own["bias"] * own["places"]).sum() / len(places)
        assert weighted == pytest.approx(places["error"].mean(), abs=1e-9)


def test_an_option_goes_to_all_that_have_it_or_to_one_alone():
    budget = [Budget.of(epsilon=1)]
    ids = ["pgsr-h-dp", "coc", "coc-naive"]
    both = grid(TABLE, with_options(ids, {"merge": "mean"}), budget)
    one = grid(TABLE, with_options(ids, {"merge": "mean", "coc.merge": "weighted"}), budget)
    assert [dict(p.options).get("merge") for p in both] == [None, "mean", "mean"]
    assert [dict(p.options).get("merge") for p in one] == [None, "weighted", "mean"]
    with pytest.raises(ChoiceError, match=r"hay\.merge is for hay, which is not compared"):
        with_options(ids, {"hay.merge": "mean"})
    with pytest.raises(ChoiceError, match=r'^coc has no option "shape"\. Choose .*merge'):
        with_options(ids, {"coc.shape": "round"})
    with pytest.raises(ChoiceError, match=r'^pgsr-h-dp has no option "merge"\.'):
        with_options(ids, {"pgsr-h-dp.merge": "mean"})
    with pytest.raises(ChoiceError, match=r'for "cock", which is not a mechanism\. Choose .*coc'):
        with_options(ids, {"cock.merge": "mean"})


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        ({"cases": [0, 9]}, "indices from 0 to 1; got 0 and 9"),
        ({"level": "planet"}, 'no level "planet"'),
        ({"column": "speed"}, 'no column of numbers "speed"'),
        ({"column": "seed"}, 'no column of numbers "seed"'),
        ({"quantity": "rooms"}, 'no quantity "rooms"'),
    ],
)
def test_paired_errors_exist_only_for_what_was_compared(requested, message):
    plans = grid(TABLE, ["pgsr-h-dp", "topdown-2018"], [Budget.of(epsilon=1)])
    comparison = compare(TABLE, plans, n_simulations=2)
    words = {"cases": [0, 1], "level": TABLE.regions.levels[-1], "column": "mean_abs"}
    assert comparison.paired(**words).shape == (2, 2)
    with pytest.raises(ChoiceError, match=message):
        comparison.paired(**(words | requested))


# The recommendation.


def test_the_recommended_case_has_the_lowest_error_over_all_levels_together():
    means = np.array([[10.0, 10.0, 10.0], [5.0, 14.0, 14.0], [30.0, 30.0, 9.0]])
    found = recommend(means, ("nation", "state", "county"))
    # Geometric means of the ratios to the best: 1.36, 1.35 and 2.34 or so.
    scores = (means / means.min(axis=0)).prod(axis=1)
    assert found.case == int(scores.argmin()) == 1
    assert found.runner_up == int(scores.argsort()[1])
    assert found.better["nation"] == ()
    assert found.better["county"] == (0, 2)
    assert found.runner_up_level == "nation"
    assert found.runner_up_ratio == pytest.approx(2.0)
    assert found.ratios["county"] == pytest.approx(9 / 14)


def test_an_error_of_zero_is_recommended_and_breaks_nothing():
    found = recommend(np.array([[0.0, 2.0], [3.0, 2.0]]), ("nation", "state"))
    assert found.case == 0
    assert np.isfinite(found.runner_up_ratio)
    assert recommend(np.zeros((2, 1)), ("all",)).case == 0
    assert recommend(np.ones((1, 2)), ("a", "b")).runner_up is None


@pytest.mark.parametrize("scale", ["rho", "epsilon", "epsilon-tight"])
def test_a_budget_without_a_conversion_keeps_its_own_axis(scale):
    """(ε, δ) of a threshold holds at its own δ alone, so it has no ε at a smaller one."""
    table = samples.load("ri-commuting").table
    hidden = planned(table, "stability-histogram", epsilon=1, delta="0.001")
    other = planned(table, "inftda", rho=0.5)
    forms = converted(hidden.privacy)
    assert all(math.isnan(value) for value in forms.values())
    assert converted(hidden.privacy, delta=0.001)["epsilon"] == 1
    rows = privacy_table([hidden, other])
    assert rows["epsilon_tight"].isna().tolist() == [True, False]
    own = [axis for axis in axes([hidden, other], scale=scale) if 0 in axis.cases]
    (axis,) = own
    assert (axis.cases, axis.symbol, axis.values) == ((0,), "ε", (1.0,))
    assert "cannot be converted" in axis.note
    assert sorted(axis.cases for axis in axes([hidden, other], scale=scale)) == [(0,), (1,)]


def test_errors_are_stated_in_the_unit_of_the_numbers_that_are_compared() -> None:
    units = {sample: measures(samples.load(sample).table)[0].unit for sample in _ERRORS_IN}
    assert units == _ERRORS_IN


_ERRORS_IN = {
    "ri-commuting": "mean absolute error (jobs)",  # of pairs, not of flows from an area
    "us-population": "mean absolute error (people)",
    "running-example": "mean absolute error (occupied units)",
}


def test_the_measures_of_flows_have_the_unit_of_the_table():
    regions = regions_of(TREE)
    table = Flows.from_pairs(regions, regions, [0, 1], [1, 0], [3, 4], unit="commuters")
    assert [measure.unit for measure in measures(table)] == [
        "mean absolute error (commuters)",
        "largest error (commuters)",
    ]


def test_every_column_of_a_comparison_is_described():
    regions = regions_of(TREE)
    table = Flows.from_pairs(regions, regions, [0, 1], [1, 0], [3, 4])
    for exact, id in ((table, "inftda"), (TABLE, "coc")):
        frame = compare(exact, [planned(exact, id, epsilon=1)], n_simulations=1).to_frame()
        assert set(frame.attrs["columns"]) == set(frame.columns)
        errors = evaluate(exact, simulate(exact, planned(exact, id, epsilon=1))).to_frame()
        assert set(errors.attrs["columns"]) == set(errors.columns)


def test_a_comparison_needs_a_case():
    with pytest.raises(ChoiceError, match="at least one plan"):
        compare(TABLE, [], n_simulations=1)
