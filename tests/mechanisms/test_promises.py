"""What a mechanism states about itself is correct: flags, checks, words and formulas."""

import math
import re
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from support.neighbours import each_option
from support.simulations import simulated
from support.strategies import binary_places, families, lomax_flows, regions_of

from hierdp_core import samples
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.explain.group_sizes import noisy_cumulative
from hierdp_core.mechanisms import MECHANISMS, flow_queries, parse
from hierdp_core.mechanisms.count_of_counts import CountOfCounts, CountOfCountsBottomUp
from hierdp_core.mechanisms.flow_queries import LARGEST_TRIPS, TopDownMeasured, TopDownQuestions
from hierdp_core.mechanisms.group_sizes import max_size_fact
from hierdp_core.mechanisms.joint_fit import settled_root
from hierdp_core.mechanisms.leaf_noise import threshold
from hierdp_core.mechanisms.level_answers import Measured, _of_no_more_than, estimated_level
from hierdp_core.mechanisms.neighbours import Change
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Counts, GroupSizes

FLOWS = lomax_flows(binary_places(2), 0.5, 0)
TABLES = {
    "counts": Counts.from_leaves(regions_of(families(3, 2)), [4, 0, 1, 2, 9]),
    "group-sizes": GroupSizes.from_leaves(
        regions_of(families(3, 2)), [[4, 1, 2], [0, 3, 1], [2, 2, 2], [1, 0, 5], [3, 1, 0]]
    ),
    "flows": FLOWS,
}
SEEDS = 12
# Flows far above the threshold that hides cells.
LARGE_FLOWS = FLOWS.with_values(replace(FLOWS.content, values=1_000 * FLOWS.content.values + 7))
OFTEN = 4
# Options that decide what is public.
OF_PUBLIC_FACTS = ("neighbours", "totals", "cap")


def public_cases():
    """(id, kind, options): the usual options, and others of what is public, each once."""
    cases = {}
    for id, mechanism in MECHANISMS.items():
        for options in each_option(id, TABLES["group-sizes"].tree.n_levels):
            output = {name: options[name] for name in OF_PUBLIC_FACTS if name in options}
            for kind in mechanism.kinds:
                cases["-".join((id, kind, *output.values()))] = (id, kind, output)
    return [pytest.param(*case, id=name) for name, case in cases.items()]


def sums_shown(table):
    """The sums that a released table shows, by the words that a statement has for each."""
    if table.kind != "group-sizes":
        root = table.total if table.kind == "flows" else table.values[0].sum()
        return {r"the total, {}\b": (round(float(root), 6),)}
    groups = tuple(round(float(n), 6) for n in table.values.sum(axis=1))
    return {
        r"the number of groups( in every area)?, {}\b": groups[:1],
        r"the number of groups in every area, {} in all": groups,
        r"size,? {}\b": (table.values.shape[1] - 1,),
    }


@pytest.mark.slow
@pytest.mark.parametrize("id", MECHANISMS)
def test_the_flags_say_exactly_what_the_results_show(id):
    mechanism = MECHANISMS[id]
    table = TABLES[mechanism.kinds[0]]
    made = plan(table, id, epsilon=0.5, delta=1e-6)
    results = [simulate(table, made, seed=seed) for seed in range(SEEDS)]
    assert mechanism.consistent == all(done.checks.consistent for done in results)
    assert (mechanism.valid and mechanism.integral) == all(done.checks.valid for done in results)
    values = [done.table.values for done in results]
    assert mechanism.integral == all((np.rint(v) == v).all() for v in values)
    assert mechanism.valid == all((v >= 0).all() for v in values)


@pytest.mark.parametrize(("id", "kind", "options"), public_cases())
def test_what_is_published_exactly_is_stated_with_its_number_and_nothing_else_is(id, kind, options):
    """A sum that is the same in every release has no noise, so the statement must list it."""
    table = LARGE_FLOWS if kind == "flows" else TABLES[kind]
    if options.get("cap") == "noisy":  # less noise makes fewer sizes, so it is quick
        options = options | {"cap-epsilon": "0.25"}
    made = plan(table, parse(id, options), epsilon=2, delta=1e-6)
    stated = "; ".join(made.privacy.invariants)
    released = [sums_shown(simulate(table, made, index=t).table) for t in range(OFTEN)]
    for words in released[0]:
        same = len({shown[words] for shown in released}) == 1
        number = f"{released[0][words][0]:,.0f}"
        assert bool(re.search(words.format(number), stated)) == same, (words, number, stated)


@pytest.mark.parametrize("id", ["inftda", "tda-l2", "tda-linf"])
@pytest.mark.parametrize(("kind", "total"), [("counts", "16"), ("flows", f"{FLOWS.total:,}")])
def test_the_total_is_public_where_a_record_is_replaced_and_nowhere_else(id, kind, total):
    bounded, unbounded = (
        plan(TABLES[kind], parse(id, {"neighbours": neighbours}), epsilon=1).privacy
        for neighbours in ("bounded", "unbounded")
    )
    assert f"the total, {total}" in bounded.invariants
    assert f"the total, {total}" in bounded.sentence
    assert not [fact for fact in unbounded.invariants if "total" in fact]


@pytest.mark.parametrize("id", MECHANISMS)
def test_a_configuration_is_named_and_cannot_be_changed(id):
    mechanism = parse(id, {})
    with pytest.raises(TypeError, match="positional"):
        type(mechanism)(None)
    for field in fields(mechanism):
        with pytest.raises(FrozenInstanceError):
            setattr(mechanism, field.name, None)


class TestQuestions:
    """No count of the table is measured twice, and all of them can be measured in pieces."""

    def questions(self):
        made = plan(FLOWS, "inftda", epsilon=1)
        return TopDownQuestions(FLOWS.content, made, SeededNoise(0)), made.level_tree

    def test_a_number_is_measured_once(self):
        questions, tree = self.questions()
        root = np.zeros(1, dtype=np.int64)
        starts = np.append(0, np.cumsum(tree.family_sizes(1, root)))
        first = questions.children(1, root, starts, 0)
        assert len(first) == starts[-1]
        assert first.dtype == np.int64
        with pytest.raises(RuntimeError, match="measured only once"):
            questions.children(1, root, starts, len(first))

    def test_nodes_are_measured_in_order(self):
        questions, tree = self.questions()
        for nodes in ([1, 0], [1, 1]):
            keys = np.array(nodes, dtype=np.int64)
            starts = np.append(0, np.cumsum(tree.family_sizes(2, keys)))
            with pytest.raises(RuntimeError, match="measured only once"):
                questions.children(2, keys, starts, 0)

    def test_a_later_node_after_a_refusal_is_still_answered(self):
        questions, tree = self.questions()
        for node in (0, 1):
            keys = np.array([node], dtype=np.int64)
            starts = np.append(0, np.cumsum(tree.family_sizes(2, keys)))
            assert len(questions.children(2, keys, starts, 0)) == starts[-1]

    @pytest.mark.parametrize("id", ["inftda", "tda-l2"])
    @pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
    def test_pieces_give_the_same_table_again(self, monkeypatch, id, neighbours):
        made = plan(FLOWS, id, epsilon=1, options={"neighbours": neighbours})
        whole = simulate(FLOWS, made, seed=3)
        monkeypatch.setattr(flow_queries, "_CELLS_AT_ONCE", 3)
        pieces = simulate(FLOWS, made, seed=3)
        again = made.mechanism.estimate(pieces.noisy, made)
        for part in ("origin", "destination", "values"):
            expected = getattr(whole.table.content, part)
            assert getattr(pieces.table.content, part).tolist() == expected.tolist()
            assert getattr(again, part).tolist() == expected.tolist()

    def test_what_was_measured_is_kept_in_whole_numbers_of_the_smaller_kind(self):
        kept = simulated(FLOWS, "inftda", epsilon=1).noisy
        assert isinstance(kept, TopDownMeasured)
        assert {level.dtype for level in kept.levels} == {np.dtype(np.int32)}
        wide = flow_queries._packed(np.array([1, 2**40]))
        assert wide.tolist() == [1, 2**40]
        assert kept.total is None
        with pytest.raises(AssertionError):
            kept.root()


class TestRecords:
    def test_the_largest_number_of_trips(self):
        assert parse("inftda", {"trips": LARGEST_TRIPS}).trips == LARGEST_TRIPS
        with pytest.raises(ChoiceError, match="1 to 10,000"):
            parse("inftda", {"trips": LARGEST_TRIPS + 1})

    def test_the_change_is_that_of_the_options(self):
        mechanism = parse("inftda", {"trips": 3, "distinct": "yes"})
        assert mechanism.change == Change(
            neighbours=mechanism.neighbours, trips=3, distinct=True, groups_come=False
        )
        assert not parse("inftda", {"trips": 3}).change.distinct

    @pytest.mark.parametrize(
        ("options", "words", "left_out"),
        [
            ({}, " by another", ""),
            (
                {"trips": 2},
                " by another with equally many",
                "The number of trips of one person is not protected.",
            ),
            ({"neighbours": "unbounded", "trips": 2}, "", ""),
        ],
    )
    def test_by_whom_a_record_is_replaced(self, options, words, left_out):
        mechanism = parse("inftda", options)
        assert mechanism.qualification(FLOWS.domain) == words
        assert mechanism.not_protected(FLOWS.domain) == left_out
        assert plan(FLOWS, mechanism, epsilon=1).privacy.not_protected == left_out

    @pytest.mark.parametrize(
        ("options", "unit"),
        [
            ({}, "one person"),
            ({"trips": 2}, "one person with up to 2 trips"),
            ({"trips": 2, "distinct": "yes"}, "one person with up to 2 different trips"),
        ],
    )
    def test_whose_trips_are_protected(self, options, unit):
        assert parse("inftda", options).unit(FLOWS.domain) == unit
        assert unit in plan(FLOWS, "inftda", epsilon=1, options=options).privacy.sentence

    def test_a_public_total_gets_no_budget(self):
        with pytest.raises(BudgetError, match=r"Set .* to 0 or leave it out; got 7"):
            plan(FLOWS, "inftda", epsilon=1, allocation=[7, *[1] * 4])


def test_a_threshold_is_the_larger_of_two():
    # 3 trips in one pair: 3 + 0.5 ln 6000 against 6 + 0.5 ln 1000.
    assert threshold(0.5, 1e-3, trips=3, most=3) == pytest.approx(6 + 0.5 * math.log(1000))
    assert threshold(5.0, 1e-3, trips=3, most=3) == pytest.approx(3 + 5 * math.log(6000))
    assert threshold(5.0, 1e-3, trips=3, most=1) == pytest.approx(1 + 5 * math.log(6000))


class TestCountOfCounts:
    EXAMPLE = samples.load("running-example").table
    TREE = EXAMPLE.tree

    def test_the_usual_answers_are_cumulative_numbers(self):
        values = self.EXAMPLE.values
        for mechanism in (CountOfCounts(), CountOfCountsBottomUp()):
            answers = mechanism.answer(values, self.TREE)
            assert answers.tolist() == np.cumsum(values, axis=1).tolist()

    def test_without_noise_private_totals_leave_the_true_cumulative_numbers(self):
        done = simulated(self.EXAMPLE, "coc", epsilon=10_000, options={"totals": "private"})
        for node, row in enumerate(self.EXAMPLE.values):
            found = noisy_cumulative(done, node)
            assert found is not None
            assert found.tolist() == np.cumsum(row).tolist()

    def test_the_variance_of_a_size_is_twice_that_of_a_sum(self):
        noisy, groups = np.array([[1, 1, 4, 4], [0, 2, 2, 2]]), np.array([7, 2])
        runs = estimated_level(
            noisy,
            "hc",
            groups,
            6.0,
            n_sizes=5,
            isotonic="l2",
            by_pool=True,
            private=False,
        )
        # 1 of size 0, 3 of size 2, 3 of size 4; then 2 of size 1.
        assert runs.size.tolist() == [0, 2, 4, 1]
        assert runs.count.tolist() == [1, 3, 3, 2]
        assert runs.variance.tolist() == [12.0, 4.0, 4.0, 6.0]

    def test_no_more_groups_than_there_are(self):
        found = _of_no_more_than(np.array([[1, -4, 2], [3, 0, 0], [5, 5, 0]]), np.array([4, 3, 6]))
        assert found[:2].tolist() == [[1, 1, 0, 2], [0, 3, 0, 0]]
        assert found[2, 1:].sum() <= 6
        assert found.sum(axis=1).tolist() == [4, 3, 6]

    def test_the_largest_size_is_stated(self):
        assert max_size_fact(self.EXAMPLE.domain).text.endswith(
            f", {self.EXAMPLE.values.shape[1] - 1}"
        )

    def test_levels_that_are_not_measured_have_no_measurements(self):
        done = simulated(self.EXAMPLE, "coc-bottom-up", epsilon=1)
        assert isinstance(done.noisy, Measured)
        assert [level is None for level in done.noisy.levels] == [True, False]

    @pytest.mark.parametrize("asked", [[1, 0, 1], [0, 1, 1], [1, 1, 1]])
    def test_a_share_for_any_level_above_the_last_is_refused(self, asked):
        table = TABLES["group-sizes"]
        with pytest.raises(BudgetError, match="spends the whole budget on the last level"):
            plan(table, "coc-bottom-up", epsilon=1, allocation=asked)
        usual = plan(table, "coc-bottom-up", epsilon=1)
        assert plan(table, "coc-bottom-up", epsilon=1, allocation=[0, 0, 1]) == usual


@pytest.mark.parametrize("n", [2, 400])
def test_one_person_changes_one_running_sum_of_every_area_by_one(n):
    regions = regions_of(families(n))
    table = GroupSizes.from_leaves(regions, [[2, 1, 3]] * n)
    moved = np.zeros((n, 3), dtype=np.int64)
    moved[0, :2] = -1, 1
    other = GroupSizes.from_leaves(regions, table.values[table.tree.leaves] + moved)
    made = plan(table, "pgsr-c-chain", epsilon=1, delta=1e-6)
    one, more = (made.mechanism.answer(t.values, t.tree) for t in (table, other))
    changes = np.abs(np.subtract(one, more)[table.tree.leaves])
    # A level of any width says so, since fewer possible changes need less noise.
    assert changes.max() == 1
    assert changes.sum() == n
    assert made.by_level[2].shapes == ((1,) * n,)


class TestTheRootOfAJointFit:
    def settled(self, table, root, allocation=None):
        made = plan(table, "pgsr-c-opt", epsilon=1, allocation=allocation)
        noisy = np.zeros(table.values.shape[1], dtype=np.int64)
        return settled_root(noisy, table.domain.groups, made, root=root, fit="l2")

    def test_first_and_joint_are_what_they_say(self):
        table = samples.load("running-example").table
        assert self.settled(table, "first") is not None
        assert self.settled(table, "joint") is None

    def test_auto_depends_on_how_much_the_levels_below_could_add(self):
        few = GroupSizes.from_leaves(regions_of(families(1, 1)), [[3, 2], [1, 4]])
        many = GroupSizes.from_leaves(regions_of(families(*[1] * 60)), [[3, 2]] * 60)
        # Two areas lower the variance of the root by a third, 60 areas by less than 5%.
        assert self.settled(few, "auto") is None
        assert self.settled(many, "auto") is not None
        # With a hundredth of the budget, the measurement of the root is the less accurate one.
        assert self.settled(many, "auto", allocation=[1, 50, 50]) is None
