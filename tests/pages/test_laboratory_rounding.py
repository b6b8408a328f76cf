"""Whatever the audit prints, draws or writes: no bound is above the exact one.

Texts are read back as people read them: the numbers that stand in them.
"""

import re
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from hierdp_core.audits import Audit, CurvePoint, audit
from hierdp_core.figures import audits as pictures
from pages.ui.privacy import laboratory_words

bounds = st.floats(0, 20).filter(lambda x: x == 0 or x > 1e-6)


class Numbers(NamedTuple):
    """What an audit found, what is claimed, and ρ of both findings."""

    released: float
    measured: float
    claim: float
    rho: float


any_numbers = given(numbers=st.builds(Numbers, bounds, bounds, bounds, bounds))


@pytest.fixture(scope="module")
def base() -> Audit:
    return audit("tree-dp", rho=0.5, runs=40)


def with_numbers(base: Audit, numbers: Numbers) -> Audit:
    """The same audit with other numbers in it."""
    released, measured, claim, rho = numbers
    (one, *_) = base.by_pair
    points = (CurvePoint(epsilon=0.5, delta_lower=rho / 20, delta_claimed=claim / 20),)
    findings = {
        name: replace(
            getattr(one, name), epsilon_lower=epsilon, rho_lower=rho, points=points, leaks=False
        )
        for name, epsilon in (("released", released), ("measured", measured))
    }
    stated = replace(base.claim, epsilon=claim, rho=claim, true_epsilon=claim)
    return replace(base, claim=stated, by_pair=(replace(one, **findings),))


def exact(number: float) -> Fraction:
    """A float is the decimal that it prints as."""
    return Fraction(repr(number))


def read(text: str) -> Fraction:
    """The first number of a text."""
    number = r"[0-9][0-9,]*(?:\.[0-9]+)?"
    found = re.search(rf"(?:({number}) × )?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)|({number})", text)
    assert found is not None, text
    head, power, plain = found.groups()
    if plain:
        return Fraction(plain.replace(",", ""))
    power = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return Fraction(head or 1) * Fraction(10) ** int(power)


def is_close_below(shown: Fraction, value: float, digits: int = 3) -> bool:
    return exact(value) * (1 - Fraction(1, 10 ** (digits - 1))) <= shown <= exact(value)


def is_close_above(shown: Fraction, value: float, digits: int = 3) -> bool:
    return exact(value) <= shown <= exact(value) * (1 + Fraction(1, 10 ** (digits - 1)))


@settings(max_examples=examples(100))
@any_numbers
def test_json_rounds_bounds_down_and_claims_up(base: Audit, numbers: Numbers) -> None:
    released, measured, claim, rho = numbers
    output = with_numbers(base, numbers).as_dict()
    assert is_close_below(exact(output["epsilon_lower"]), max(released, measured), 4)
    for name, value in (("released", released), ("measured", measured)):
        assert is_close_below(exact(output[name]["epsilon_lower"]), value, 4)
        assert is_close_below(exact(output[name]["rho_lower"]), rho, 4)
        assert is_close_below(exact(output["pairs"][0][name]["epsilon_lower"]), value, 4)
        (point,) = output[name]["points"]
        assert is_close_below(exact(point["delta_lower"]), rho / 20, 4)
        assert is_close_above(exact(point["delta_claimed"]), claim / 20, 4)
    assert exact(output["claim"]) >= exact(claim)


def with_amounts(base: Audit, numbers: Numbers, symbol: str) -> Audit:
    """The same audit with measured amounts in ε or ρ: released, measured, and claimed."""
    released, measured, claim, _ = numbers
    audit = with_numbers(base, numbers)
    (one,) = audit.by_pair
    findings = {
        name: replace(getattr(one, name), rho_lower=amount if symbol == "ρ" else None)
        for name, amount in (("released", released), ("measured", measured))
    }
    stated = replace(audit.claim, rho=claim if symbol == "ρ" else None)
    return replace(audit, claim=stated, by_pair=(replace(one, **findings),))


@settings(max_examples=examples(100))
@any_numbers
def test_sentences_and_pages_round_bounds_down_and_claims_up(base: Audit, numbers: Numbers) -> None:
    released, measured, claim, _ = numbers
    most = max(released, measured)
    for symbol, claimed in (("ε", "The claim is ε = "), ("ρ", "spends ρ = ")):
        found = with_amounts(base, numbers, symbol)
        if most > 0:
            bound = found.sentences[0].split(f"{symbol} is at least ")[1]
            assert is_close_below(read(bound), most)
        else:
            assert "show no privacy loss" in found.sentences[0]
        verdict = laboratory_words.verdict(found)
        assert "(95% confidence)" in verdict
        assert is_close_below(read(verdict.split(f"{symbol} of at least ")[1]), most)
        assert is_close_above(read(verdict.split(claimed)[1]), claim)
    assert is_close_above(read(laboratory_words.meaning(found).split("ε = ")[1]), claim)
    (one,) = found.by_pair
    leaks = replace(found, by_pair=(replace(one, released=replace(one.released, leaks=True)),))
    assert is_close_above(read(leaks.sentences[1].split("with this noise, ε = ")[1]), claim, 4)


@pytest.mark.slow
@settings(max_examples=examples(50))
@pytest.mark.parametrize("symbol", ["ε", "ρ"])
@any_numbers
def test_figures_round_bounds_down_and_claims_up(
    base: Audit, symbol: str, numbers: Numbers
) -> None:
    released, measured, claim, _ = numbers
    steps = [with_amounts(base, numbers, symbol)]
    table = pictures.bounds_table(steps).iloc[0]
    assert is_close_below(exact(float(table[f"{symbol} at least, released table"])), released, 4)
    assert is_close_below(
        exact(float(table[f"{symbol} at least, noisy measurements"])), measured, 4
    )
    assert is_close_above(exact(float(table[f"{symbol} claimed"])), claim, 4)
    alt = pictures.bounds_alt(steps)
    assert alt.startswith(f"Lower bounds on {symbol} (95% confidence)")
    assert is_close_below(read(alt.split("each table: ")[1]), measured)
    assert is_close_below(read(alt.split("noisy measurements, ")[1]), released)
    assert is_close_above(read(alt.split("The claim is ")[1]), claim)
    traces = {trace.name: trace for trace in pictures.bounds(steps, runs=40).data}
    assert is_close_below(
        read(traces[f"{symbol} at least, noisy measurements"].customdata[0][0]), measured
    )
    named = next(name for name in traces if name.startswith("claimed: "))
    assert is_close_above(read(named.split(f"{symbol} = ")[1]), claim)
