"""Guarantees that every mechanism in the list must keep."""

import inspect
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.simulations import simulated
from support.strategies import counts_tables, flow_tables, group_size_tables, regions_of

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError, TableError
from hierdp_core.hierarchy import Hierarchy, child_sums
from hierdp_core.mechanisms import MECHANISMS, describe, options_of, parse
from hierdp_core.mechanisms.base import MaxSize, Mechanism, Questions
from hierdp_core.mechanisms.flow_queries import TotalSplit
from hierdp_core.mechanisms.joint_fit import RootFit, root_fit_option
from hierdp_core.mechanisms.leaf_noise import LeafNoise
from hierdp_core.mechanisms.options import option, options_of_class
from hierdp_core.mechanisms.private_totals import totals_share_option
from hierdp_core.mechanisms.size_cap import max_size_epsilon_option, max_size_option
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import total_delta, total_epsilon, total_rho
from hierdp_core.privacy.account import within
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import KINDS, Counts, Flows, GroupSizes, Pairs

TABLES = {
    "counts": counts_tables(),
    "group-sizes": group_size_tables(),
    "flows": flow_tables(least_levels=2),
}
SMALL_TABLES = {
    "counts": counts_tables(max_nodes=6, least_levels=2),
    "group-sizes": group_size_tables(largest=3, max_nodes=5, max_sizes=3),
    "flows": flow_tables(max_nodes=4, max_levels=2, least_levels=2),
}
BUDGETS = st.sampled_from(
    [{"epsilon": 0.1}, {"epsilon": 2}, {"rho": 0.3}, {"epsilon": 1, "delta": 1e-8}]
)


def tables_for(id, kind=None):
    """Tables that are small enough for the mechanism to solve them quickly."""
    tables = TABLES if MECHANISMS[id].largest_cells is None else SMALL_TABLES
    kind = kind or MECHANISMS[id].kinds[0]
    if kind == "counts" and issubclass(MECHANISMS[id], TotalSplit):
        return counts_tables(max_nodes=20, least_levels=2)  # at least one level below the root
    return tables[kind]


def shares_for(id, table):
    """Allocations that the mechanism can use."""
    mechanism = MECHANISMS[id]()
    levels = len(mechanism.shared_levels(table.domain))
    if id == "coc-bottom-up" or isinstance(mechanism, LeafNoise):  # accept no other allocation
        return st.none()
    least = 1 if isinstance(mechanism, TotalSplit) else 0
    return st.none() | st.lists(st.integers(least, 3), min_size=levels, max_size=levels).filter(
        lambda w: w[-1] > 0
    )


def budgets_for(id):
    """Budgets that the mechanism can spend."""
    return st.just({"epsilon": 1, "delta": 1e-8}) if id == "stability-histogram" else BUDGETS


def some_budget(id):
    return {"epsilon": 1, "delta": 1e-8} if id == "stability-histogram" else {"epsilon": 1}


@pytest.mark.parametrize("id", MECHANISMS)
@settings(max_examples=examples(60))
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_every_mechanism_keeps_its_guarantees(id, data, seed):
    mechanism, budget = MECHANISMS[id], data.draw(budgets_for(id))
    table = data.draw(tables_for(id, data.draw(st.sampled_from(mechanism.kinds))))
    allocation = data.draw(shares_for(id, table))
    made = plan(table, id, allocation=allocation, **budget)
    if made.budget.kind == "pure":
        assert total_epsilon(made.events) == made.budget.epsilon
    elif made.privacy.rho is None:
        assert total_epsilon(made.events) == made.budget.epsilon
        assert total_delta(made.events) <= made.budget.delta
    elif made.budget.kind == "zcdp":
        assert total_rho(made.events) <= made.budget.rho
    else:
        assert within(made.events, made.budget)

    released = simulate(table, made, seed=seed)
    assert type(released.table) is type(table)
    assert released.checks.consistent or not mechanism.consistent
    assert released.checks.valid or not mechanism.valid
    if mechanism.consistent:
        assert released.checks.violations == (0,) * len(made.levels)
    values = released.table.values
    if mechanism.integral:
        assert values.dtype == np.int64
        assert values.min(initial=0) >= 0 or not mechanism.valid
    if table.kind != "flows":
        assert values.shape == table.values.shape
        for level in range(table.tree.n_levels - 1) if mechanism.consistent else ():
            sums = child_sums(table.tree, values, level)
            np.testing.assert_allclose(sums, values[table.tree.level(level)], atol=1e-6)
    if made.domain.groups is not None and mechanism.consistent:
        assert released.checks.faithful
        assert values[0].sum() == table.values[0].sum()
    if made.domain.total is not None and mechanism.consistent:
        assert released.checks.faithful
        assert released.table.total == table.total
    assert same(simulate(table, made, seed=seed).table.content, released.table.content)


def same(one, other):
    """Whether two contents of a table are equal, count by count."""
    if isinstance(one, Pairs):
        names = ("origin", "destination", "values")
        return all(np.array_equal(getattr(one, n), getattr(other, n)) for n in names)
    return one.tobytes() == other.tobytes()


@pytest.mark.parametrize("id", MECHANISMS)
def test_post_processing_has_access_to_noisy_values_only(id):
    parameters = list(inspect.signature(MECHANISMS[id].estimate).parameters)
    assert parameters == ["self", "noisy", "plan"]


@pytest.mark.parametrize("id", MECHANISMS)
@settings(max_examples=examples(30))
@given(data=st.data(), seed=st.integers(0, 1000))
def test_post_processing_gives_the_same_for_the_same_noisy_values(id, data, seed):
    table = data.draw(tables_for(id, data.draw(st.sampled_from(MECHANISMS[id].kinds))))
    made = plan(table, id, **some_budget(id))
    mechanism = made.mechanism
    noisy = mechanism.measure(table.content, made, SeededNoise(seed))
    first = mechanism.estimate(deepcopy(noisy), made)
    if isinstance(noisy, Questions):
        mechanism.estimate(noisy, made)
        noisy = noisy.measured()  # the noisy numbers alone, without the table behind them
    assert same(mechanism.estimate(noisy, made), first)


@pytest.mark.parametrize("id", MECHANISMS)
@settings(max_examples=examples(30))
@given(data=st.data())
def test_plans_of_tables_that_differ_only_in_counts_are_the_same(id, data):
    table = data.draw(tables_for(id, data.draw(st.sampled_from(MECHANISMS[id].kinds))))
    public = MECHANISMS[id]().needs_total
    if isinstance(table, GroupSizes):
        leaves = table.values[table.tree.leaves][:, ::-1]  # keeps the public number of groups
        other = GroupSizes.from_leaves(table.regions, leaves)
    elif isinstance(table, Counts):
        leaves = table.values[table.tree.leaves]
        other = Counts.from_leaves(table.regions, leaves[::-1] if public else leaves + 5)
    else:
        ends = (table.origins, table.destinations, table.origin[::-1], table.destination)
        other = Flows.from_pairs(*ends, table.values if public else table.values + 5)
    budget = some_budget(id)
    assert repr(plan(table, id, **budget)) == repr(plan(other, id, **budget))


@pytest.mark.parametrize("id", [id for id in MECHANISMS if id != "stability-histogram"])
@pytest.mark.parametrize("budget", [{"epsilon": 10_000}, {"rho": 10_000}])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_with_almost_no_noise_the_truth_comes_out(id, budget, data):
    table = data.draw(tables_for(id, data.draw(st.sampled_from(MECHANISMS[id].kinds))))
    released = simulated(table, id, **budget)
    if isinstance(table, Flows):
        assert same(released.table.content, table.content)
    np.testing.assert_allclose(released.table.values, table.values, atol=1e-6)


@pytest.mark.parametrize("id", ["tree-dp", "hay"])
def test_a_plan_made_for_the_levels_measured_leaves_the_others_at_zero(id):
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    table = Counts.from_leaves(regions_of(tree), [1000, 2000])
    made = plan(table, id, epsilon=1, allocation=[0, 1])
    noisy = made.mechanism.measure(table.values, made, SeededNoise(0))
    assert noisy[0] == 0
    assert abs(simulate(table, made).table.values[0] - 3000) < 100


def test_least_squares_is_unbiased_where_the_tree_program_is_not():
    tree = Hierarchy(parent=np.array([-1] + [0] * 50), level_start=np.array([0, 1, 51]))
    table = Counts.from_leaves(regions_of(tree), [0] * 50)
    bias = {
        id: np.mean(
            [
                simulate(table, plan(table, id, epsilon=0.1), seed=0, index=t).table.values[0]
                for t in range(200)
            ]
        )
        for id in ("hay", "tree-dp")
    }
    # The root's noise has a deviation below 29; the mean of 200 stays within 4 of its deviations.
    assert abs(bias["hay"]) < 4 * 29 / np.sqrt(200)
    assert bias["tree-dp"] > 20


@dataclass(frozen=True, kw_only=True)
class _WithOption(MECHANISMS["hay"]):
    id = "with-option"

    merge: str = option("mean", title="Merge", about="How.", choices=("mean", "best"))


def test_options_are_checked_against_the_list(monkeypatch):
    monkeypatch.setitem(MECHANISMS, _WithOption.id, _WithOption)
    assert options_of(parse("with-option")) == (("merge", "mean"),)
    assert options_of(parse("with-option", {"merge": "best"})) == (("merge", "best"),)
    assert parse("with-option", {"merge": "best"}) == _WithOption(merge="best")
    with pytest.raises(ChoiceError, match=r'no option "speed"\. Choose merge'):
        parse("with-option", {"speed": "high"})
    for refused in (
        lambda: parse("with-option", {"merge": "worst"}),
        lambda: _WithOption(merge="worst"),
    ):
        with pytest.raises(
            ChoiceError, match=r'option merge of .* cannot be "worst"\. Choose mean or best'
        ):
            refused()


def test_the_usual_options_of_group_sizes_are_those_that_are_documented():
    """The fields are made here, as a class of one's own would make them."""

    @dataclass(frozen=True, kw_only=True)
    class Own(MECHANISMS["hay"]):
        root: RootFit = root_fit_option()
        share: Fraction = totals_share_option()
        size: MaxSize = max_size_option()
        epsilon: Fraction = max_size_epsilon_option()

    found = {option.name: option for option in options_of_class(Own)}
    assert {name: option.default for name, option in found.items()} == {
        "root": "auto",
        "totals-share": "0.1",
        "cap": "public",
        "cap-epsilon": "0.0001",
    }
    assert found["root"].choices == get_args(RootFit)
    assert found["totals-share"].when == ("totals", "private")
    assert found["cap-epsilon"].when == ("cap", "noisy")


def test_options_of_one_method_say_so():
    (option,) = (option for option in describe("coc").options if option.name == "hg-variance")
    assert option.when == ("methods", "hg")


@pytest.mark.parametrize("left_out", ["measured", "seconds"])
def test_what_answers_questions_must_give_all_answers_and_its_time(left_out):
    """Otherwise no release could be repeated from its noisy answers, or timed."""
    shown = {"measured": lambda self: (), "seconds": property(lambda self: 0.0)}
    assert type("Whole", (Questions,), shown)().measured() == ()
    partly = {name: value for name, value in shown.items() if name != left_out}
    with pytest.raises(TypeError, match=left_out):
        type("Partial", (Questions,), partly)()


def test_mechanisms_are_found_by_id_and_kind():
    for kind in KINDS:
        assert mechanisms.names(kind)[0] == mechanisms.recommended(kind)
        assert mechanisms.is_recommended(mechanisms.recommended(kind), kind)
    assert mechanisms.is_recommended("inftda")
    assert not mechanisms.is_recommended("pgsr-c-chain")
    assert not mechanisms.is_recommended("pgsr-c-chain", "group-sizes")
    assert not mechanisms.is_recommended("inftda", "counts")  # which it also takes
    assert set(mechanisms.names()) == set(MECHANISMS)
    assert mechanisms.names("flows")[0] == "inftda"
    with pytest.raises(ChoiceError, match=r'no mechanism "laplace"\. Choose pgsr-c-opt'):
        mechanisms.describe("laplace")
    for id in MECHANISMS:
        stated = mechanisms.describe(id).as_dict()
        assert stated["id"] == id
        assert stated["about"].endswith(".")
        assert stated["kind"] == stated["kinds"][0]
        assert tuple(stated["kinds"]) == MECHANISMS[id].kinds
        assert inspect.getdoc(MECHANISMS[id]) != inspect.getdoc(Mechanism)


def test_a_mechanism_for_another_kind_is_refused_with_those_that_fit():
    tree = Hierarchy(parent=np.array([-1, 0]), level_start=np.array([0, 1, 2]))
    counts = Counts.from_leaves(regions_of(tree), [3])
    with pytest.raises(ChoiceError, match="pgsr-h-dp is for group sizes; this table holds counts"):
        plan(counts, "pgsr-h-dp", epsilon=1)


def test_a_plan_is_for_the_table_it_was_made_for():
    tree = Hierarchy(parent=np.array([-1, 0]), level_start=np.array([0, 1, 2]))
    other = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    table = Counts.from_leaves(regions_of(tree), [3])
    made = plan(Counts.from_leaves(regions_of(other), [3, 4]), "tree-dp", epsilon=1)
    with pytest.raises(ChoiceError, match="made for another table"):
        simulate(table, made)
    broken = Counts(regions=table.regions, values=np.array([4, 3]))
    with pytest.raises(TableError, match="sum of the counts of its sub-areas"):
        simulate(broken, plan(table, "tree-dp", epsilon=1))
    for seed in (-1, 0.5, True, "x"):
        with pytest.raises(ChoiceError, match="The seed must be a whole number"):
            simulate(table, plan(table, "tree-dp", epsilon=1), seed=seed)


@pytest.mark.parametrize(
    ("budget", "claim", "gives"),
    [
        ({"epsilon": 1}, "claims ε = 1,", "guarantee is ε = 1.5 (pure DP)."),
        ({"rho": 0.5}, "claims ρ = 0.5,", "guarantee is ρ = 0.75 (zCDP)."),
        ({"epsilon": 1, "delta": 1e-8}, "claims ε = 1, δ = 10⁻⁸,", "δ = 10⁻⁸ (approximate DP)."),
    ],
)
def test_a_false_claim_is_reported_however_the_budget_is_stated(budget, claim, gives):
    tree = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
    table = GroupSizes.from_leaves(regions_of(tree), [[1, 2], [3, 4]])
    published = plan(table, "pgsr-c-chain", options={"calibration": "published"}, **budget)
    assert claim in published.privacy.caution
    assert gives in published.privacy.caution
    assert plan(table, "pgsr-c-chain", **budget).privacy.caution == ""


def test_the_limit_of_a_table_of_counts_names_no_sizes():
    regions = regions_of(Hierarchy(parent=[-1, *[0] * 200_000], level_start=[0, 1, 200_001]))
    table = Counts.from_leaves(regions, np.ones(200_000, dtype=np.int64))
    with pytest.raises(
        ChoiceError, match=r"^tda-linf takes .* 200,000 counts; this one has 200,001\. Use "
    ):
        plan(table, "tda-linf", epsilon=1)
