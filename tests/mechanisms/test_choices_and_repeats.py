"""Options have the effect that is stated, defaults claim nothing, and no answer is given twice."""

from dataclasses import replace
from fractions import Fraction
from time import perf_counter

import numpy as np
import pytest
from support.strategies import binary_places, families, lomax_flows, regions_of

from hierdp_core.audits.laboratory import _checked_pair
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import MECHANISMS, describe, names, options_of, parse
from hierdp_core.mechanisms.count_of_counts import CountOfCounts
from hierdp_core.mechanisms.counts import TreeDp
from hierdp_core.mechanisms.flow_queries import TopDownQuestions
from hierdp_core.mechanisms.generic import SolverMechanism
from hierdp_core.mechanisms.level_answers import estimated_level
from hierdp_core.mechanisms.neighbours import Change, counts_pair
from hierdp_core.mechanisms.options import decimal_word
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import Budget, Neighbours
from hierdp_core.simulation import plan, simulate
from hierdp_core.solvers.pooling import Pools
from hierdp_core.tables import Counts, GroupSizes
from hierdp_core.tables.top_coding import top_coded

FLOWS = lomax_flows(binary_places(2), 0.5, 0)
TABLES = {
    "counts": Counts.from_leaves(regions_of(families(3, 2)), [4, 0, 1, 2, 9]),
    "group-sizes": GroupSizes.from_leaves(
        regions_of(families(3, 2)), [[4, 1, 2], [0, 3, 1], [2, 2, 2], [1, 0, 5], [3, 1, 0]]
    ),
    "flows": FLOWS,
}
QUICK = [id for id, kind in MECHANISMS.items() if not issubclass(kind, SolverMechanism)]


class NoNoise:
    """A source that keeps no record of the cells it was asked for."""

    def draw(self, event, shape, cells=None):
        return np.zeros(shape, dtype=np.int64)


@pytest.mark.parametrize("id", QUICK)
def test_a_property_is_denied_only_where_a_release_lacks_it(id):
    mechanism = MECHANISMS[id]
    table = TABLES[mechanism.kinds[0]]
    made = plan(table, id, epsilon=0.5, delta=1e-6)
    released = [simulate(table, made, seed=seed) for seed in range(8)]
    values = [one.table.values for one in released]
    assert mechanism.consistent == all(one.checks.consistent for one in released)
    assert mechanism.integral == all((np.rint(v) == v).all() for v in values)
    assert mechanism.valid == all((v >= 0).all() for v in values)


def test_a_mechanism_without_options_has_values_not_methods_for_what_it_states():
    mechanism = TreeDp()
    assert mechanism.neighbours is Neighbours.ADD_OR_REMOVE_ONE
    assert mechanism.change == Change(neighbours=Neighbours.ADD_OR_REMOVE_ONE)
    assert mechanism.max_size == "public"
    assert mechanism.room_above == 0
    assert mechanism.merging is None
    assert mechanism.needs_total is False
    assert mechanism.needs_region_groups is False


def test_only_a_measured_maximum_size_needs_room_above_it():
    assert CountOfCounts(max_size="noisy").room_above > 0
    assert {CountOfCounts(max_size=size).room_above for size in ("public", 1, 3)} == {0}


def test_a_comparison_of_group_sizes_includes_both_papers_by_default():
    papers = [describe(id).paper for id in names("group-sizes") if describe(id).is_suggested]
    assert {name for name in ("[A]", "[B]") for paper in papers if name in paper} == {"[A]", "[B]"}


@pytest.mark.parametrize("id", names("flows"))
def test_the_budget_is_shared_by_exactly_the_levels_that_have_weight(id):
    mechanism, table = parse(id), TABLES[MECHANISMS[id].kinds[0]]
    domain = mechanism.public_domain(table)
    weights = mechanism.allocation(None, domain).weights
    levels = mechanism.levels(domain)
    measured = tuple(level for level, weight in zip(levels, weights, strict=True) if weight)
    assert mechanism.shared_levels(domain) == measured


class TestOptions:
    @pytest.mark.parametrize("id", ["coc", "coc-naive"])
    def test_a_word_that_is_no_choice_is_refused(self, id):
        with pytest.raises(ChoiceError, match="Choose weighted or mean"):
            parse(id, {"merge": "median"})
        with pytest.raises(ChoiceError, match="Choose weighted or mean"):
            MECHANISMS[id](merge="median")

    def test_a_word_is_known_by_its_letters(self):
        mean = "MEAN".lower()
        mechanism = CountOfCounts(merge=mean)
        assert dict(options_of(mechanism))["merge"] == "mean"

    def test_an_option_has_an_effect_if_its_condition_holds_and_otherwise_none(self):
        table = TABLES["group-sizes"]
        defaults = {option.name: option.default for option in describe("coc").options}
        for option in describe("coc").options:
            name, word = option.when or (option.name, option.default)
            applies = word in defaults[name].split(",")
            results = set()
            for choice in option.choices:
                made = plan(table, "coc", epsilon=1, options={option.name: choice})
                released = [simulate(table, made, seed=seed).table.values for seed in range(8)]
                results.add(np.concatenate(released).tobytes())
            if option.choices:
                assert (len(results) > 1) == applies, option.name
        both = [
            simulate(table, plan(table, f"coc: methods=hg; isotonic={word}", epsilon=1)).table
            for word in ("l1", "l2")
        ]
        assert np.array_equal(both[0].values, both[1].values)

    @pytest.mark.parametrize("root", ["first", "joint"])
    def test_a_root_that_is_fitted_first_does_not_depend_on_the_levels_below(self, root):
        table = TABLES["group-sizes"]
        made = plan(table, "coc-opt", epsilon=0.5, options={"root": root})
        one, other = (
            made.mechanism.measure(table.values, made, SeededNoise(seed)) for seed in (1, 2)
        )
        mixed = replace(one, levels=(one.levels[0], *other.levels[1:]))
        rows = [made.mechanism.estimate(noisy, made)[0].tolist() for noisy in (one, mixed)]
        assert (rows[0] == rows[1]) == (root == "first")

    @pytest.mark.parametrize(
        "value", [Fraction(1, 10**30), Fraction(7, 2**20 * 10**25), Fraction(3, 5**40)]
    )
    def test_a_long_decimal_is_written_exactly(self, value):
        word = decimal_word(value)
        assert "/" not in word
        assert Fraction(word) == value


class TestWorstNeighbours:
    @pytest.mark.parametrize("cap", ["public", "noisy", 1, 2, 3])
    def test_the_pair_differs_by_the_full_sensitivity_whatever_the_maximum_size(self, cap):
        mechanism = CountOfCounts(max_size=cap)
        (pair,) = mechanism.worst_neighbours(Budget.pure(1))
        largest = cap if isinstance(cap, int) else pair.before.values.shape[1] - 1
        one, other = (
            mechanism.answer(top_coded(table.values, largest), table.tree)
            for table in (pair.before, pair.after)
        )
        for level in range(pair.before.tree.n_levels):
            nodes = pair.before.tree.level(level)
            assert np.abs(one[nodes] - other[nodes]).sum() == mechanism.sensitivity.l1

    def test_the_trips_of_a_person_may_share_a_place_unless_stated_otherwise(self):
        pair = counts_pair("three", "One person with three trips", (2, 2), (5, 2))
        change = Change(neighbours=Neighbours.ADD_OR_REMOVE_ONE, trips=3)
        assert _checked_pair(pair, change) is pair
        with pytest.raises(ChoiceError, match="no number counts two trips of one person"):
            _checked_pair(pair, replace(change, distinct=True))
        with pytest.raises(ChoiceError, match="adds 3 and removes 0"):
            _checked_pair(pair, TreeDp().change)


class TestQuestions:
    """The table itself refuses a second answer, also where the noise keeps no record."""

    def questions(self):
        made = plan(FLOWS, "inftda", epsilon=1)
        return TopDownQuestions(FLOWS.content, made, NoNoise()), made.level_tree

    def ask(self, questions, tree, nodes):
        keys = np.array(nodes, dtype=np.int64)
        starts = np.append(0, np.cumsum(tree.family_sizes(3, keys)))
        return questions.children(3, keys, starts, 0)

    @pytest.mark.parametrize("again", [[1], [0], [1, 2], [0, 2], [2, 2], [3, 2]])
    def test_no_count_is_given_twice(self, again):
        questions, tree = self.questions()
        self.ask(questions, tree, [0, 1])
        with pytest.raises(RuntimeError, match="measured only once"):
            self.ask(questions, tree, again)
        assert len(self.ask(questions, tree, [2, 3]))

    def test_the_time_for_answers_is_that_of_the_answers(self):
        questions, tree = self.questions()
        assert questions.seconds == 0
        started = perf_counter()
        for node in range(4):
            self.ask(questions, tree, [node])
        assert 0 < questions.seconds <= perf_counter() - started


class TestEstimates:
    @pytest.mark.parametrize(
        ("id", "kind"), [("topdown", "counts"), ("topdown-2018", "group-sizes")]
    )
    def test_a_level_that_is_not_measured_gets_the_sums_of_its_children(self, id, kind):
        table = TABLES[kind]
        made = plan(table, id, epsilon=10_000, allocation=[1, 0, 1])
        assert simulate(table, made).table.values.tolist() == table.values.tolist()

    def test_the_mean_size_of_a_pool_is_rounded_to_the_nearest_size(self):
        pools = Pools(mean=np.array([0.4, 1.6, 2.5, 9.7]), count=np.array([3, 2, 4, 1]))
        runs = estimated_level(
            [pools],
            "hg",
            np.array([10]),
            2.0,
            n_sizes=6,
            isotonic="l1",
            by_pool=False,
            private=False,
        )
        assert runs.size.tolist() == [0, 2, 3, 5]
        assert runs.count.tolist() == [3, 2, 4, 1]
