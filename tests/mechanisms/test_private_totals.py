"""Private group totals: what may be added or removed, what it changes, and what it costs.

The tests go through every table of up to two groups over small trees, and everything that may be
added: a person in a group, an empty group, and a person with a group of their own.
"""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.stats import beta
from support.examples import examples
from support.simulations import simulated
from support.strategies import group_size_tables, regions_of

from hierdp_core.exceptions import ChoiceError
from hierdp_core.hierarchy import Hierarchy, Regions, child_sums
from hierdp_core.mechanisms import CountOfCounts, parse
from hierdp_core.mechanisms.level_answers import measured_level
from hierdp_core.mechanisms.private_totals import consistent_totals, to_length
from hierdp_core.noise import SeededNoise
from hierdp_core.planning.search import synthetic_twin
from hierdp_core.privacy import GeometricEvent, event_epsilon, event_rho, total_epsilon, total_rho
from hierdp_core.privacy.account import within
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import GroupSizes

FAMILY = ("coc", "coc-opt", "coc-naive", "coc-bottom-up")
PRIVATE = {"totals": "private"}
LARGEST = 3
TREES = [
    Hierarchy(parent=np.array([-1]), level_start=np.array([0, 1])),
    Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3])),
    Hierarchy(parent=np.array([-1, 0, 0, 1, 1, 2]), level_start=np.array([0, 1, 3, 6])),
]


class NoNoise:
    def draw(self, event, shape, cells=None):
        return np.zeros(shape, dtype=np.int64)


def table_of(tree, groups):
    cells = np.zeros((tree.n_leaves, LARGEST + 1), dtype=np.int64)
    for home, size in groups:
        cells[home, size] += 1
    return GroupSizes.from_leaves(regions_of(tree), cells)


def neighbours(tree):
    """Yield (what is added, the table before, the table after)."""
    homes = range(tree.n_leaves)
    for n in (0, 1, 2):
        for where in combinations_with_replacement(homes, n):
            for sizes in product(range(LARGEST), repeat=n):
                groups = list(zip(where, sizes, strict=True))
                before = table_of(tree, groups)
                for i, (home, size) in enumerate(groups):
                    yield (
                        "person",
                        before,
                        table_of(tree, [*groups[:i], (home, size + 1), *groups[i + 1 :]]),
                    )
                for home in homes:
                    yield "empty group", before, table_of(tree, [*groups, (home, 0)])
                    yield "person with a group", before, table_of(tree, [*groups, (home, 1)])


def moved(id, options, before, after):
    """How much the totals and sizes of each level change, in L1 and squared L2."""
    made = plan(before, id, epsilon=1, options=options)
    mechanism = made.mechanism
    one, two = (mechanism.measure(t.values, made, NoNoise()) for t in (before, after))
    tree, found = before.tree, []
    for k in range(tree.n_levels):
        if one.levels[k] is None:
            continue
        sizes = two.levels[k] - one.levels[k]
        totals = (two.totals - one.totals)[tree.level(k)]
        found.append(
            tuple(int(f(part).sum()) for part in (totals, sizes) for f in (np.abs, np.square))
        )
    return found


@pytest.mark.parametrize("cap", ["public", "1", "2", "5"])
@pytest.mark.parametrize(
    ("id", "methods", "sizes_l1", "sizes_l2"),
    [
        ("coc", "hc", 1, 1),
        ("coc-opt", "hc", 1, 1),
        ("coc-naive", "naive", 2, 2),
        ("coc-bottom-up", "hc", 1, 1),
    ],
)
def test_each_answer_changes_by_no_more_than_is_declared(id, methods, sizes_l1, sizes_l2, cap):
    options = PRIVATE | {"cap": cap, "methods": methods}
    reached = {}
    for tree in TREES:
        for what, before, after in neighbours(tree):
            for level in moved(id, options, before, after):
                so_far = reached.get(what, (0, 0, 0, 0))
                reached[what] = tuple(map(max, so_far, level))
    # A chosen cap of 1 leaves one entry, so nobody changes two.
    most = (1, 1) if cap == "1" else (sizes_l1, sizes_l2)
    assert reached == {
        "person": (0, 0, *most),
        "empty group": (1, 1, 0, 0),
        "person with a group": (1, 1, 1, 1),
    }


@pytest.mark.parametrize("id", FAMILY)
def test_the_declared_sensitivities_are_those(id):
    table = table_of(TREES[1], [(0, 1), (1, 2)])
    made = plan(table, id, epsilon=1, options=PRIVATE)
    sizes = 2 if id == "coc-naive" else 1
    assert {event.l1_sensitivity for event in made.by_level.values()} == {sizes}
    assert {event.l1_sensitivity for event in made.beside} == {1}
    made = plan(table, id, rho=1, options=PRIVATE)
    assert {event.l2_sensitivity_squared for event in made.by_level.values()} == {sizes}
    assert {event.l2_sensitivity_squared for event in made.beside} == {1}


def test_gaussian_events_of_totals_have_the_variance_of_their_share():
    table = table_of(TREES[1], [(0, 1)])
    options = PRIVATE | {"totals-share": "0.25"}
    made = plan(table, "coc", rho=2, allocation=[1, 3], options=options)
    shares = [Fraction(1, 8), Fraction(3, 8)]  # of ρ = 2, a quarter is for totals
    assert [event_rho(event) for event in made.beside] == shares
    assert [event.sigma2 for event in made.beside] == [1 / (2 * share) for share in shares]


def sorted_sizes(table, length):
    return [np.repeat(np.arange(LARGEST + 1), to_length(row, length)) for row in table.values]


@pytest.mark.parametrize("length", range(5))
def test_sorted_sizes_change_by_one_whatever_their_number(length):
    for tree in TREES:
        for what, before, after in neighbours(tree):
            pairs = zip(sorted_sizes(before, length), sorted_sizes(after, length), strict=True)
            apart = [two - one for one, two in pairs]
            for k in range(tree.n_levels):
                level = apart[tree.level(k)]
                assert sum(int(np.abs(a).sum()) for a in level) <= (what != "empty group")
                assert all(len(a) == length for a in level)


@given(row=st.lists(st.integers(0, 5), min_size=2, max_size=6), groups=st.integers(0, 40))
def test_to_length_keeps_the_largest(row, groups):
    found = to_length(np.array(row), groups)
    sizes = np.repeat(np.arange(len(row)), row)[::-1]
    wanted = np.sort(np.pad(sizes, (0, 40))[:groups])
    assert np.repeat(np.arange(len(row)), found).tolist() == wanted.tolist()


BUDGETS = [{"epsilon": 0.3}, {"epsilon": 2}, {"rho": 0.3}, {"epsilon": 1, "delta": 1e-8}]


@pytest.mark.slow
@pytest.mark.parametrize("id", FAMILY)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("cap", ["public", "4", "noisy"])
@pytest.mark.parametrize("totals", ["public", "private"])
@settings(max_examples=examples(12), deadline=None)
@given(table=group_size_tables(max_nodes=12), seed=st.integers(0, 2**32), data=st.data())
def test_the_family_keeps_its_guarantees_with_every_option(
    id, budget, cap, totals, table, seed, data
):
    options = {"totals": totals, "cap": cap, "cap-epsilon": "0.05"}
    if id == "coc":
        options["hg-variance"] = data.draw(st.sampled_from(["pools", "bound"]))
        each = st.sampled_from(["hc", "hg", "naive"])
        n = table.tree.n_levels
        options["methods"] = ",".join(data.draw(st.lists(each, min_size=n, max_size=n)))
    if id == "coc-bottom-up":
        options["methods"] = data.draw(st.sampled_from(["hc", "hg"]))
    made = plan(table, id, options=options, **budget)
    if made.budget.kind == "pure":
        assert total_epsilon(made.events) == made.budget.epsilon
    elif made.budget.kind == "zcdp":
        assert total_rho(made.events) == made.budget.rho
    else:
        assert within(made.events, made.budget)
    released = simulate(table, made, seed=seed)
    values, tree = released.table.values, table.tree
    assert released.checks.consistent
    assert released.checks.valid
    assert released.checks.faithful is (None if totals == "private" else True)
    assert values.shape == (tree.n_nodes, released.noisy.largest + 1)
    assert released.table.top_coded == (cap != "public")
    groups = values.sum(axis=1)
    if totals == "private":
        assert (groups == consistent_totals(released.noisy.totals, made)).all()
    else:
        assert (groups == table.values.sum(axis=1)).all()
    assert (simulate(table, made, seed=seed).table.values == values).all()


@pytest.mark.parametrize("id", FAMILY)
def test_a_plan_with_private_totals_knows_none_of_them(id):
    tree = TREES[1]
    few, many = table_of(tree, [(0, 1)]), table_of(tree, [(0, 2)] * 50 + [(1, 0)] * 9)
    made = plan(few, id, epsilon=1, options=PRIVATE)
    assert repr(made) == repr(plan(many, id, epsilon=1, options=PRIVATE))
    assert repr(made) == repr(plan(few.domain, id, epsilon=1, options=PRIVATE))
    assert made.domain.groups is None
    assert made.domain.region_groups is None
    simulate(many, made)  # a plan for both
    shown = made.privacy.sentence
    assert "one person, with or without a group of their own, or one empty group" in shown
    assert "number of" not in shown
    rows = made.privacy.levels
    assert sum(Fraction(str(row.epsilon)) for row in rows if row.epsilon is not None) == 1
    assert rows[-1].level == "the number of groups by region"


@pytest.mark.parametrize("id", FAMILY)
@pytest.mark.parametrize("budget", [{"epsilon": 10_000}, {"rho": 10_000}])
@settings(max_examples=examples(20), deadline=None)
@given(table=group_size_tables())
def test_with_almost_no_noise_the_truth_comes_out(id, budget, table):
    options = PRIVATE | {"totals-share": "0.4"}
    assert (simulated(table, id, options=options, **budget).table.values == table.values).all()


@settings(max_examples=examples(30), deadline=None)
@given(table=group_size_tables(max_nodes=10), seed=st.integers(0, 100))
def test_consistent_totals_are_whole_numbers_nearest_to_the_noisy_ones(table, seed):
    made = plan(table, "coc", epsilon=0.5, options=PRIVATE)
    noisy = simulate(table, made, seed=seed).noisy.totals
    found, tree = consistent_totals(noisy, made), table.tree
    assert found.min() >= 0
    for level in range(tree.n_levels - 1):
        assert (child_sums(tree, found, level) == found[tree.level(level)]).all()
    # All weights are equal. No integer answer is better than the real one, and the
    # rounded real one is no better than the integer answer.
    below = np.zeros((tree.n_nodes, tree.n_leaves))
    for leaf in range(tree.n_leaves):
        node = tree.leaves.start + leaf
        while node >= 0:
            below[node, leaf] = 1
            node = int(tree.parent[node])
    real, residual = nnls(below, noisy.astype(float))
    cost = float(np.square(found - noisy).sum())
    assert cost >= residual**2 - 1e-6
    assert cost <= float(np.square(below @ np.rint(real) - noisy).sum()) + 1e-6


RUNS, ALPHA = 200_000, 1e-6
CLAIMS = {
    "person": Fraction(9, 10),
    "empty group": Fraction(1, 10),
    "person with a group": Fraction(1),
}


@pytest.mark.parametrize("budget", [1, 4])
@pytest.mark.parametrize("what", CLAIMS)
def test_outputs_show_no_more_loss_than_is_claimed_and_nearly_as_much(what, budget):
    tree = TREES[1]
    before = table_of(tree, [(0, 0), (0, 2), (1, 1)])
    after = {
        "person": [(0, 1), (0, 2), (1, 1)],
        "empty group": [(0, 0), (0, 2), (1, 1), (0, 0)],
        "person with a group": [(0, 0), (0, 2), (1, 1), (0, 1)],
    }[what]
    made = plan(before, "coc", epsilon=budget, options=PRIVATE)
    mechanism = made.mechanism

    def answers(table, noise, runs):
        stacked = np.repeat(table.values[..., None], runs, axis=-1)
        found = mechanism.measure(stacked, made, noise)
        sizes = np.concatenate(found.levels).reshape(-1, runs)
        return np.concatenate([sizes, found.totals.reshape(-1, runs)])

    exact = [answers(t, NoNoise(), 1) for t in (before, table_of(tree, after))]
    way = np.sign(exact[1] - exact[0])

    def hits(table, seed):
        noisy = answers(table, SeededNoise(seed), RUNS)
        return int((way * (noisy - exact[0]) >= (way != 0)).all(axis=0).sum())

    with_it, without = hits(table_of(tree, after), 1), hits(before, 2)
    least = beta.ppf(ALPHA / 2, with_it, RUNS - with_it + 1)
    most = beta.isf(ALPHA / 2, without + 1, RUNS - without)
    claim = float(CLAIMS[what] * budget)
    assert 0.55 * claim < float(np.log(least / most)) <= claim


def test_events_of_sizes_and_totals_share_the_budget_as_asked():
    table = table_of(TREES[1], [(0, 1)])
    options = PRIVATE | {"totals-share": "0.25"}
    made = plan(table, "coc", epsilon=1, allocation=[1, 3], options=options)
    assert [event_epsilon(e) for e in made.beside] == [Fraction(1, 16), Fraction(3, 16)]
    assert [event_epsilon(e) for e in made.by_level.values()] == [Fraction(3, 16), Fraction(9, 16)]
    skipped = plan(table, "coc", epsilon=1, allocation=[0, 1], options=PRIVATE)
    assert [e.query for e in skipped.beside] == ["the number of groups by region"]
    assert simulate(table, skipped, seed=3).checks.consistent


@pytest.mark.parametrize("shown", ["0", "1", "-0.5", "a tenth", "nan", "1e999"])
def test_an_invalid_share_is_refused(shown):
    with pytest.raises(ChoiceError, match="totals-share"):
        plan(
            table_of(TREES[1], [(0, 1)]),
            "coc",
            epsilon=1,
            options=PRIVATE | {"totals-share": shown},
        )


def test_a_synthetic_table_needs_a_total_and_a_maximum_size():
    table = table_of(TREES[1], [(0, 2)] * 30 + [(1, 1)] * 20)
    with pytest.raises(ChoiceError, match=r"an estimate of the number of (groups|households)\."):
        synthetic_twin(table, parse("coc", PRIVATE), None)
    assert synthetic_twin(table, parse("coc", PRIVATE), 80).values[0].sum() == 80
    assert synthetic_twin(table, parse("coc", {"cap": "2"}), None).values.shape[1] == 3
    with pytest.raises(ChoiceError, match="A synthetic table needs a maximum group size"):
        synthetic_twin(table, parse("coc", {"cap": "noisy"}), None)


@pytest.mark.parametrize("totals", ["public", "private"])
@pytest.mark.parametrize("empty_groups", [True, False])
def test_the_only_member_of_a_group_is_protected_by_private_totals(totals, empty_groups) -> None:
    table = GroupSizes.from_leaves(
        Regions.from_parents({"r": None, "a": "r", "b": "r"}, levels=("nation", "state")),
        [[0, 2, 1], [0, 1, 1]],
        empty_groups=empty_groups,
    )
    privacy = plan(table, CountOfCounts(totals=totals), epsilon=1).privacy
    left_out = totals == "public" and not empty_groups
    assert ("only member of a group" in privacy.not_protected) == left_out
    assert ("except the only member of a group" in privacy.sentence) == left_out


@pytest.mark.parametrize("length", [0, 2, 5, 9])
def test_as_many_sizes_are_measured_as_the_noisy_totals_say(length):
    """Whether there are more or fewer groups than that shows nowhere."""
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(1))
    (pools,) = measured_level(
        np.array([[3, 2, 3]]),
        "hg",
        event,
        SeededNoise(0),
        private=True,
        lengths=np.array([length]),
    )
    assert pools.count.sum() == length


@pytest.mark.parametrize("methods", ["hc", "hg", "naive", "hc,hg"])
def test_how_many_numbers_are_measured_depends_on_noisy_totals_alone(methods):
    class SixGroups:
        """Noise with which every noisy total is 6, and a record of how often it was drawn."""

        def __init__(self, table):
            self.totals, self.shapes = iter(table.values.sum(axis=1).tolist()), []

        def draw(self, event, shape, cells=None):
            self.shapes.append((event, shape))
            if event.level is None:
                return np.array([6 - next(self.totals) for _ in range(shape[0])])
            return np.zeros(shape, dtype=np.int64)

    drawn = []
    for groups in ([(0, 1)], [(0, 1), (0, 0), (1, 2)]):
        table = table_of(TREES[1], groups)
        made = plan(table, parse("coc", PRIVATE | {"methods": methods}), epsilon=1)
        noise = SixGroups(table)
        assert set(made.mechanism.measure(table.values, made, noise).totals.tolist()) == {6}
        drawn.append(noise.shapes)
    assert drawn[0] == drawn[1]
