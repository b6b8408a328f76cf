"""Rounding goes in the safe direction and no further than stated."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.privacy.rounding import (
    as_typed,
    factor_up,
    float_down,
    float_up,
    lower,
    parameter,
    percent_as_typed,
    percent_down,
    percent_exact,
    percent_up,
    root_down,
    root_up,
    rounded_down,
    rounded_up,
    rounding_note,
    stated,
    upper,
)

fractions = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12)
floats = st.floats(1e-300, 1e300)


@given(fractions | floats, st.integers(1, 20))
def test_a_number_lies_between_its_roundings(value, digits):
    exact = value if isinstance(value, Fraction) else Fraction(str(value))
    below, above = Fraction(rounded_down(value, digits)), Fraction(rounded_up(value, digits))
    assert below <= exact <= above
    assert (above - below) <= exact * Fraction(10) ** (1 - digits)
    assert len(rounded_up(value, digits).as_tuple().digits) <= digits


@given(fractions)
def test_floats_lie_on_their_side_as_they_print(exact):
    below, above = float_down(exact), float_up(exact)
    assert Fraction(repr(below)) <= exact <= Fraction(repr(above))
    assert above <= math.nextafter(math.nextafter(below, math.inf), math.inf)
    assert float_up(Decimal("1E-400")) == math.nextafter(0, 1)
    assert float_down(Decimal("1E-400")) == 0


@given(fractions)
def test_roots_lie_on_their_side(value):
    below, above = Fraction(root_down(value)), Fraction(root_up(value))
    assert below**2 <= value <= above**2
    assert above - below <= above * Fraction(1, 10**58)
    assert root_up(value**2) == root_down(value**2) or value.denominator > 1


@given(floats)
def test_what_is_typed_reads_back(value):
    assert float(as_typed(value)) == value


@given(st.floats(1e-12, 1 - 1e-12))
def test_percentages_bound_the_chance_and_never_say_certain(chance):
    exact = 100 * Fraction(str(chance))
    for shown, more in ((percent_up(chance), True), (percent_down(chance), False)):
        assert shown not in {"0%", "100%"}
        if shown.startswith("more than"):
            assert exact > Fraction("99.999")
        elif shown.startswith("less than"):
            assert exact < Fraction("0.001")
        else:
            value = Fraction(shown.removesuffix("%"))
            assert value >= exact if more else value <= exact
            assert abs(value - exact) < 1
    if chance > 0.001 and len(repr(chance)) < 10:
        assert Fraction(percent_exact(chance).removesuffix("%")) == exact


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (0, "0", "0"),
        (0.12345, "0.124", "0.123"),
        (1234.5, "1,240", "1,230"),
        (-0.12345, "−0.123", "−0.124"),
        (1.0e7, "10⁷", "10⁷"),
        (1.2345e-9, "1.24 × 10⁻⁹", "1.23 × 10⁻⁹"),
        (math.inf, "∞", "∞"),
        (-math.inf, "−∞", "−∞"),
    ],
)
def test_numbers_as_people_read_them(value, up, down):
    assert (upper(value), lower(value)) == (up, down)


def test_a_stated_number_keeps_all_its_digits():
    assert stated(Fraction("1234.5678901")) == "1,234.5678901"
    assert stated(0.1 + 0.2) == "0.30000000000000004"
    assert stated(Fraction(2, 3)) == "0.66666666666666667"


def test_factors_of_huge_losses_take_no_time():
    """A published calibration of ε = 10,000 gives ε = 10 million on a large tree."""
    start = time.perf_counter()
    assert factor_up(1.065e7) == "1.71 × 10⁴⁶²⁵²³⁶"
    assert factor_up(Decimal("1E+6")) == "3.04 × 10⁴³⁴²⁹⁴"
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("epsilon", [1e-40, 1e-9, 1e-5])
def test_the_factor_of_a_tiny_loss_is_above_one(epsilon):
    excess = Decimal(factor_up(epsilon)[2:]) * Decimal(10) ** -len(factor_up(epsilon)[2:])
    assert Decimal(repr(epsilon)) < excess < Decimal(repr(epsilon)) * Decimal("1.02")


@given(st.floats(1, 10**6))
def test_a_parameter_has_three_digits_or_none_after_the_point(value):
    shown = Decimal(parameter(value).replace(",", ""))
    assert shown == rounded_up(value, 3) if value < 999 else shown == math.ceil(value)
    assert bool(rounding_note("ε", [value])) == (shown != Decimal(repr(value)))


@pytest.mark.parametrize(
    ("value", "text"), [(998.5, "999"), (999.5, "1,000"), (1000.5, "1,001"), (9999.5, "10,000")]
)
def test_a_parameter_below_a_power_of_ten_is_shown_as_this_power(value, text):
    assert parameter(value) == text
    assert rounding_note("ρ", [1, value]) == "Each ρ is rounded up."


@given(st.floats(1e-6, 1))
def test_a_proportion_in_percent_is_the_proportion_to_the_last_bits(share):
    typed = Fraction(percent_as_typed(share)) / 100
    assert abs(typed - Fraction(share)) <= Fraction(share) / 2**51


@given(st.integers(1, 10**6), st.integers(0, 6))
def test_a_proportion_that_was_stated_in_percent_is_shown_as_stated(number, places):
    percent = number / 10**places
    assert float(percent_as_typed(percent / 100)) == percent


@given(st.integers(10**15, 16 * 10**14 - 1))
def test_a_percentage_below_16_keeps_sixteen_digits(number):
    percent = number / 10**14
    assert percent_as_typed(percent / 100) == as_typed(percent)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0.00001", "10⁻⁵"),
        ("0.000099", "9.9 × 10⁻⁵"),
        ("0.0001", "0.0001"),
        ("9990000", "9,990,000"),
        ("10000000", "10⁷"),
        ("-10000000", "\N{MINUS SIGN}1 × 10⁷"),
    ],
)
def test_powers_of_ten_are_written_from_ten_millions_and_below_a_ten_thousandth(value, text):
    assert upper(Fraction(value)) == lower(Decimal(value)) == text
