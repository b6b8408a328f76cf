"""Words of options, messages on limits, and the formulas of the bounds with exact values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import binary_places, lomax_flows

from hierdp_core import samples
from hierdp_core.audits import audit
from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.mechanisms import describe, options_of, parse
from hierdp_core.mechanisms.count_of_counts import CountOfCounts
from hierdp_core.mechanisms.flow_bounds import largest_noise, leaf_noise_bounds
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram
from hierdp_core.mechanisms.neighbours import (
    Person,
    one_more_in_a_group,
    person_counted,
    running_example,
    with_empty_groups,
)
from hierdp_core.mechanisms.options import decimal_word, whole_number
from hierdp_core.mechanisms.size_cap import require_max_size
from hierdp_core.privacy import Budget, GaussianEvent, GeometricEvent
from hierdp_core.simulation import plan

FLOWS = lomax_flows(binary_places(2), 0.5, 0)


@given(whole=st.integers(-(10**12), 10**12), places=st.integers(0, 12), other=st.integers(1, 10**6))
def test_a_fraction_is_written_exactly(whole, places, other):
    value = Fraction(whole, 10**places)
    assert Fraction(decimal_word(value)) == value
    assert "/" not in decimal_word(value)
    assert Fraction(decimal_word(Fraction(whole, other))) == Fraction(whole, other)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (Fraction(1, 20), "0.05"),
        (Fraction(1, 80), "0.0125"),
        (Fraction(-3, 2), "-1.5"),
        (Fraction(100), "100"),
        (Fraction(0), "0"),
        (Fraction(7, 1000), "0.007"),
        (Fraction(1, 30), "1/30"),
    ],
)
def test_decimals_have_their_usual_form(value, word):
    assert decimal_word(value) == word


def test_a_whole_number_has_at_most_19_digits():
    assert whole_number("9" * 19) == 10**19 - 1
    assert whole_number("9" * 20) == "9" * 20


def test_every_option_is_described_and_written_as_it_is_read():
    for id in ("inftda", "coc", "pgsr-c-opt", "stability-histogram"):
        usual = dict(options_of(parse(id, {})))
        info = {option.name: option for option in describe(id).options}
        assert usual == {name: option.default for name, option in info.items()}
        for name, option in info.items():
            for choice in option.choices or ():
                if option.kinds and option.kinds != ("flows",):
                    continue
                assert dict(options_of(parse(id, {name: choice})))[name] == choice


def test_options_say_for_which_tables_and_when_they_have_an_effect():
    inftda = {option.name: option for option in describe("inftda").options}
    assert inftda["tree"].kinds == ("flows",)
    assert not inftda["trips"].per_level
    coc = {option.name: option for option in describe("coc").options}
    assert coc["methods"].per_level
    assert coc["merge"].choices == ("weighted", "mean")


def test_a_long_word_for_the_largest_size_is_cut():
    with pytest.raises(ChoiceError, match=r'got "1{40}"\.$'):
        require_max_size(int("1" * 60), "coc")


def test_a_table_with_too_many_sizes_is_named_with_its_numbers():
    table = samples.load("us-households-national").table
    with pytest.raises(ChoiceError, match=r"3,274 areas × 1,000,001 sizes"):
        plan(table, "coc", epsilon=1, options={"cap": "1000000"})


class TestBounds:
    BETA = 0.05

    def test_the_bound_on_noise_of_one_number_and_of_none(self):
        wide = GaussianEvent(level=0, query="q", l2_sensitivity_squared=1, sigma2=Fraction(9))
        for draws, log in ((0, math.log(2 / 0.05)), (7, math.log(14 / 0.05))):
            assert largest_noise(wide, draws, self.BETA) == pytest.approx(math.sqrt(18 * log))
        narrow = GeometricEvent(level=0, query="q", l1_sensitivity=1, scale=Fraction(3))
        assert largest_noise(narrow, 7, self.BETA) == pytest.approx(3 * math.log(14 / 0.05))

    def test_a_flow_below_the_threshold_may_be_lost(self):
        made = plan(FLOWS, "stability-histogram", epsilon=1, delta=1e-6)
        (event,), tree = made.events, made.level_tree
        pairs = tree.cells(tree.n_levels - 1)
        each = float(event.scale) * math.log(2 * pairs / self.BETA) + event.threshold
        found = leaf_noise_bounds(made, self.BETA)
        assert found[-1] == pytest.approx(each)
        assert found[0] == pytest.approx(pairs * each)


class TestNeighbours:
    def test_titles_say_how_two_tables_differ(self):
        one = Person(trips=1, distinct=False, replaced=True)
        assert one.differ("alone") == "One person is replaced by one elsewhere, alone"
        many = Person(trips=3, distinct=True, replaced=False)
        assert many.differ("alone").startswith("One person with ")
        assert "3 different trips is added" in many.differ("alone")

    @pytest.mark.parametrize(("trips", "epsilon"), [(1, 1), (4, 1), (1, "0.02")])
    def test_a_histogram_is_audited_just_below_its_threshold_and_far_above(self, trips, epsilon):
        budget = Budget.approximate(epsilon, 1e-6)
        mechanism = StabilityHistogram(trips=trips)
        made = plan(FLOWS, mechanism, budget=budget)
        (event,) = made.events
        around, large, alone = mechanism.worst_neighbours(budget)
        least = math.ceil(event.threshold)
        # The person raises a flow from below the threshold to it or above it.
        assert (around.before.values.min(), around.before.values.max()) == (
            least - (trips + 1) // 2,
            least - (trips + 1) // 2 + trips,
        )
        far = least + max(1_000 * trips, 50 * math.ceil(event.scale))
        assert sorted(large.after.values.ravel().tolist()) == [far, far + trips]
        assert alone.before.values.tolist() == [trips]

    @pytest.mark.parametrize("budget", [Budget.pure(1), Budget.of(rho=1)])
    def test_an_audit_of_a_histogram_without_delta_says_what_is_missing(self, budget):
        assert len(StabilityHistogram().worst_neighbours(budget)) == 2
        with pytest.raises(BudgetError, match=r"needs \(ε, δ\)"):
            audit("stability-histogram", budget=budget, runs=50)

    def test_the_running_example_is_that_of_the_paper(self):
        paper = samples.load("running-example").table
        assert running_example().values.tolist() == paper.values[:, :6].tolist()
        assert not paper.values[:, 6:].any()

    def test_three_of_four_units_are_empty(self):
        assert with_empty_groups().values[0].tolist() == [3, 1, 0]

    def test_a_household_of_one_in_georgia_gets_a_second_member(self):
        (pair,) = one_more_in_a_group()
        assert pair.title == "Someone joins a household of one in Georgia"
        georgia = list(pair.before.regions.names).index("Georgia")
        moved = np.subtract(pair.after.values, pair.before.values)
        assert moved[georgia].tolist() == moved[0].tolist() == [0, -1, 1, 0, 0, 0]
        assert pair.after.values.min() == 0

    def test_a_unit_of_its_own_brings_one_person_and_an_empty_unit_brings_none(self):
        _, own, empty = CountOfCounts(totals="private").worst_neighbours(Budget.pure(1))
        for pair, people in ((own, 1), (empty, 0)):
            came = np.subtract(pair.after.values[0], pair.before.values[0])
            assert came.sum() == 1
            assert came @ np.arange(len(came)) == people

    @pytest.mark.parametrize("trips", [1, 3])
    @pytest.mark.parametrize("replaced", [True, False])
    def test_others_are_only_where_the_person_is_counted(self, trips, replaced):
        person = Person(trips=trips, distinct=False, replaced=replaced)
        pair = person_counted("many", person, others=50, title="")
        before, after = (
            [int(n) for n in t.values[t.tree.leaves]] for t in (pair.before, pair.after)
        )
        if replaced:
            assert (before, after) == ([50 + trips, 50], [50, 50 + trips])
        else:
            assert (before, after) == ([50, 0], [50 + trips, 0])
