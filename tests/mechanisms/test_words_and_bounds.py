"""Words of options, messages on limits, and the formulas of the bounds with exact values."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import binary_places, lomax_flows

from hierdp_core import samples
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms import describe, options_of, parse
from hierdp_core.mechanisms.flow_bounds import largest_noise, leaf_noise_bounds
from hierdp_core.mechanisms.leaf_noise import StabilityHistogram
from hierdp_core.mechanisms.neighbours import Person
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

    @pytest.mark.parametrize("trips", [1, 4])
    def test_a_histogram_is_audited_just_below_its_threshold_and_far_above(self, trips):
        budget = Budget.approximate(1, 1e-6)
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
