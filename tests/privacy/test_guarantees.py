"""No number of a guarantee that people or scripts read is stronger than the exact one.

The numbers are parsed from what is shown and compared with exact fractions, or with decimals of
120 digits. Each must also be close to the exact one, so that "∞" everywhere would fail.
"""

import json
import re
from collections.abc import Iterator
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.strategies import regions_of

from hierdp_core import figures
from hierdp_core.cli import main
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import (
    GaussianEvent,
    PrivacyStatement,
    ThresholdEvent,
    belief,
    conversions,
    epsilon_of_rho,
    event_delta,
    event_epsilon,
    event_rho,
    highest_chance,
    of_a_hundred,
    rho_of_epsilon,
    statement,
    total_epsilon,
    total_rho,
)
from hierdp_core.privacy.rounding import float_up, parameter
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, GroupSizes
from hierdp_core.writers.label import label
from pages.ui.privacy import meaning_words

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
COUNTS = Counts.from_leaves(regions_of(TREE), [3, 4])
SIZES = GroupSizes.from_leaves(regions_of(TREE), [[1, 2], [3, 4]])

PRECISE = Context(prec=120, Emax=10**9, Emin=-(10**9))
POWER = "10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+"
NUMBER = rf"(∞|{POWER}|[\d,]+(?:\.\d+)?(?: × {POWER})?)"
PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number(text: str) -> Decimal:
    """Return the value of a number as people read it: "32,900", "2.69 × 10⁴³", "10⁻⁸"."""
    powered = re.fullmatch("(?:(.+) × )?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if powered is None:
        return Decimal(text.replace(",", ""))
    return Decimal(f"{powered[1] or 1}E{powered[2].translate(PLAIN)}")


def numbers(pattern: str, text: str) -> list[Decimal]:
    found = re.findall(pattern.replace("NUMBER", NUMBER), text)
    assert found, f"{pattern} is not in: {text}"
    return [number(one) for one in found]


def decimal(value: Fraction | float | str | Decimal) -> Decimal:
    exact = Fraction(value) if isinstance(value, Fraction | Decimal) else Fraction(str(value))
    return PRECISE.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def exp(value: Decimal) -> Decimal:
    return PRECISE.exp(value)


Shown = tuple[str, Decimal, Decimal]  # its name, its value as shown, its exact value


def too_strong(shown: Iterator[Shown]) -> list[str]:
    """Return the upper bounds shown that are below the exact ones, or above them by more than 3%.

    For a factor, the excess over 1 is compared.
    """
    return [
        f"{what}: {output} for {exact}"
        for what, output, exact in shown
        if output < exact or output > exact * Decimal("1.03")
    ]


def stated_numbers(made: Plan, words: str, card: str, json_text: str) -> Iterator[Shown]:
    """Yield all numbers of the statement, the label and the JSON, with the exact ones."""
    exact = exact_parameters(made)
    rows = dict(re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", unescape(card)))
    output = json.loads(json_text, parse_float=Decimal, parse_int=Decimal)
    for symbol, name in (("ε", "epsilon"), ("δ", "delta"), ("ρ", "rho")):
        value = exact[name]
        if value is None:
            assert rows[symbol] == "–"
            assert output[name] is None
            continue
        yield f"label {symbol}", number(rows[symbol]), value
        yield f"JSON {name}", output[name], value
        named = {"rho": exact["epsilon"] is None, "delta": bool(value)}.get(name, True)
        if named:
            for text in (words, rows["Privacy guarantee"]):
                (shown,) = numbers(f"{symbol} = NUMBER", text)
                yield f"{symbol} in words", shown, value
    if exact["epsilon"] is not None:
        (factor,) = numbers("[Nn]o (?:set of )?outcomes? is more than NUMBER times", words)
        true = exp(exact["epsilon"])
        with localcontext(PRECISE):
            yield "factor", factor - 1, true - 1
    if exact["delta"]:
        (chance,) = numbers("plus a probability of NUMBER", words)
        yield "chance", chance, exact["delta"]
    events = {event.level: event for event in made.events}
    for k, level in enumerate(output["levels"]):
        event = events[k]
        for name, price in (("epsilon", event_epsilon(event)), ("rho", event_rho(event))):
            if price is not None:
                yield f"{name} of a level", level[name], decimal(price)
        # The scale of the noise is a lower bound: its inverse is an upper one.
        gaussian = isinstance(event, GaussianEvent)
        (scale,) = numbers("σ = NUMBER" if gaussian else "scale NUMBER", level["noise"])
        true = decimal(event.sigma2).sqrt(PRECISE) if gaussian else decimal(event.scale)
        with localcontext(PRECISE):
            yield "noise", 1 / scale, 1 / true
        squared = event.l2_sensitivity_squared if gaussian else event.l1_sensitivity**2
        with localcontext(PRECISE):
            yield "sensitivity", level["sensitivity"] ** 2, Decimal(squared)


def exact_parameters(made: Plan) -> dict[str, Decimal | None]:
    """Return ε, δ and ρ as stated, or the cost of the events if the noise follows a false claim."""
    budget, rho = made.budget, total_rho(made.events)
    epsilon = budget.epsilon
    if made.privacy.claimed and epsilon is not None:
        spent = total_epsilon(made.events)
        if spent is not None:
            epsilon = spent
    delta = None if budget.epsilon is None else budget.delta or Fraction(0)
    exact = {"epsilon": epsilon, "delta": delta, "rho": rho}
    found = {name: None if v is None else decimal(v) for name, v in exact.items()}
    if made.privacy.claimed and budget.kind == "approximate":
        assert rho is not None
        assert delta is not None
        by_account = {"simple": simple, "zcdp": least_over_orders}[budget.accounting]
        found["epsilon"] = max(Decimal(0), by_account(decimal(rho), decimal(delta)))
    return found


def simple(rho: Decimal, delta: Decimal) -> Decimal:
    with localcontext(PRECISE):
        return rho + 2 * (rho * -delta.ln()).sqrt()


def all_shown(made: Plan) -> Iterator[Shown]:
    privacy = made.privacy
    card = label(privacy, title="t", mechanism="m", note="n")
    return stated_numbers(made, privacy.sentence, card, json.dumps(privacy.as_dict()))


# Decimals of up to 20 digits, of all magnitudes.
def sizes(least: int, most: int) -> st.SearchStrategy[str]:
    digits = st.integers(10**19, 10**20 - 1) | st.integers(1, 999)
    return st.builds(
        lambda d, e: f"{str(d)[0]}.{str(d)[1:] or 0}e{e}", digits, st.integers(least, most)
    )


EPSILONS, DELTAS = sizes(-5, 3), sizes(-15, -2)
BUDGETS = (
    st.builds(lambda e: {"epsilon": e}, EPSILONS)
    | st.builds(
        lambda e, d, account: {"epsilon": e, "delta": d, "accounting": account},
        EPSILONS,
        DELTAS,
        st.sampled_from(["simple", "zcdp"]),  # the tight account has its own tests
    )
    | st.builds(lambda r: {"rho": r}, EPSILONS)
)


@given(budget=BUDGETS)
@example(budget={"epsilon": "0.00001"})
@example(budget={"epsilon": "0.001"})
@example(budget={"epsilon": "0.004"})
@example(budget={"epsilon": "1.2345644"})
@example(budget={"epsilon": "10.4"})
@example(budget={"epsilon": "12.49"})
@example(budget={"epsilon": "10000"})
def test_no_number_of_a_statement_is_stronger_than_the_exact_one(budget):
    assert too_strong(all_shown(plan(COUNTS, "tree-dp", **budget))) == []


@given(budget=BUDGETS)
@example(budget={"epsilon": "10000"})
def test_no_number_of_a_false_claim_is_stronger_than_what_the_noise_gives(budget):
    made = plan(SIZES, "pgsr-c-chain", options={"calibration": "published"}, **budget)
    assert too_strong(all_shown(made)) == []
    assert made.privacy.guarantee in made.privacy.caution


@pytest.mark.parametrize(
    "planted",
    [
        ("_rounded_up", lambda value: f"{value:g}", "1.2345644"),
        ("factor_up", lambda value: f"{np.exp(value):.3g}", "0.001"),
        ("factor_up", lambda value: "1.01", "0.01"),
        ("lower", lambda value, digits: f"{float(value):.1g}", "1.2345644"),
        ("float_up", lambda value: float(f"{float(value):.6g}"), "1.2345644"),
    ],
    ids=["parameter", "factor of one", "factor", "noise", "JSON"],
)
def test_rounding_to_nearest_is_noticed(planted, monkeypatch):
    name, instead, epsilon = planted
    monkeypatch.setattr(statement, name, instead)
    statement._level_privacy.cache_clear()
    try:
        assert too_strong(all_shown(plan(COUNTS, "tree-dp", epsilon=epsilon)))
    finally:
        statement._level_privacy.cache_clear()


# Conversions.


@given(epsilon=EPSILONS, delta=DELTAS)
def test_the_rho_of_a_budget_costs_no_more_than_the_budget(epsilon, delta):
    rho = rho_of_epsilon(epsilon, delta=delta)
    cost = simple(decimal(rho), decimal(delta))
    assert cost <= decimal(epsilon) <= cost * Decimal("1.000000001")
    # The statement converts it back, so it never shows more than was stated.
    assert epsilon_of_rho(rho, delta=delta) <= float_up(Fraction(epsilon))


@given(rho=EPSILONS, delta=DELTAS)
def test_conversions_are_never_below_their_formulas(rho, delta):
    privacy = plan(COUNTS, "tree-dp", rho=rho).privacy
    standard, tight = conversions(privacy, delta=delta)[:2]
    exact = decimal(rho)
    for shown in (decimal(standard.epsilon), number(statement._rounded_up(standard.epsilon))):
        assert (
            simple(exact, decimal(delta))
            <= shown
            <= simple(exact, decimal(delta)) * Decimal("1.03")
        )
    least = least_over_orders(exact, decimal(delta))
    assert decimal(tight.epsilon) >= least * (1 - Decimal("1e-25"))
    assert decimal(tight.epsilon) <= max(least, Decimal(0)) * Decimal("1.000001") + Decimal("1e-9")


def least_over_orders(rho: Decimal, delta: Decimal) -> Decimal:
    """Return the smallest bound of Canonne, Kamath and Steinke 2020, Corollary 13, by bisection.

    Its derivative in the order α has the sign of ρ(α − 1)² + ln δ + ln α.
    """
    with localcontext(Context(prec=60, Emax=10**9, Emin=-(10**9))):
        low, high = Decimal("1e-30"), Decimal("1e30")
        for _ in range(80):
            middle = (low * high).sqrt()
            rises = rho * middle**2 + delta.ln() + (1 + middle).ln() > 0
            low, high = (low, middle) if rises else (middle, high)
        order = 1 + low
        tail = -delta.ln() - low.ln() - order * (1 + 1 / low).ln()
        return order * rho + tail / low


# Threshold.


@given(
    scale=st.fractions(Fraction(1, 20), 10**7),
    delta=st.floats(-300, -1).map(lambda power: 10**power),
    m=st.integers(1, 100),
)
def test_the_delta_of_a_threshold_is_never_below_its_formula(scale, delta, m):
    threshold = float(scale) * -np.log(delta) + m
    event = ThresholdEvent(
        level=0, query="", l1_sensitivity=m, scale=scale, threshold=threshold, created=m, most=m
    )
    least = int(np.ceil(threshold)) - m
    with localcontext(PRECISE):
        q = (-1 / decimal(scale)).exp()
        exact = (
            min(Decimal(1), m * (-least / decimal(scale)).exp() / (1 + q))
            if least >= 1
            else Decimal(1)
        )
    assert (
        exact
        <= Decimal(repr(event_delta(event)))
        <= exact * Decimal("1.000000001") + Decimal("5e-324")
    )


# The page "What ε means".

PERCENTS = st.integers(1, 99)


def percent(text: str, *, most: bool) -> Decimal:
    """Return a bound in percent; one without content is 100 (upper bound) or 0 (lower bound)."""
    if text.startswith(("more than", "less than")):
        value = Decimal(text.split()[-1].removesuffix("%"))
        assert value in {Decimal("99.999"), Decimal("0.001")}
        if text.startswith("more") == most:
            return Decimal(100 if most else 0)
        return value
    return Decimal(text.removesuffix("%"))


def posterior(loss: Decimal, prior: Decimal) -> Decimal:
    with localcontext(PRECISE):
        return prior / (prior + (1 - prior) * (-loss).exp())


def exact_loss(privacy: PrivacyStatement, made: Plan, delta: str) -> Decimal:
    if made.budget.kind == "pure":
        return decimal(made.budget.epsilon)
    return simple(decimal(total_rho(made.events)), decimal(delta))


BOUND = r"((?:(?:more|less) than )?[\d.]+%)"


@given(budget=BUDGETS, prior=PERCENTS, delta=DELTAS)
@example(budget={"epsilon": "1"}, prior=50, delta="1e-8")
@example(budget={"epsilon": "0.00001"}, prior=50, delta="1e-8")
@example(budget={"epsilon": "30"}, prior=1, delta="1e-8")
def test_beliefs_are_rounded_outwards_wherever_they_are_shown(budget, prior, delta):
    made = plan(COUNTS, "tree-dp", **budget)
    chance, before = prior / 100, Decimal(prior) / 100
    loss = figures.meaning_of_epsilon.loss_limit(made.privacy, delta=delta)
    exact = exact_loss(made.privacy, made, delta)
    most, least = 100 * posterior(exact, before), 100 * posterior(-exact, before)
    sentence = meaning_words.belief_sentence(belief(loss, chance), made.privacy, delta=None)
    for text in (
        sentence.replace("*", ""),
        figures.meaning_of_epsilon.belief_alt(prior=chance, loss=loss),
    ):
        ((low, high),) = re.findall(f"between {BOUND} and {BOUND}", text)
        assert percent(low, most=False) <= least <= percent(low, most=False) + 1
        assert percent(high, most=True) - 1 <= most <= percent(high, most=True)
    here = belief(loss, chance)
    band = pd.DataFrame({"prior": [chance], "least": [here.least], "most": [here.most]})
    _, hover, _, mark = figures.meaning_of_epsilon.belief_picture(
        band, prior=chance, loss=loss
    ).data
    low, high = (re.search(f"{BOUND}$", text)[1] for text in mark.text)
    assert percent(low, most=False) <= least
    assert percent(high, most=True) >= most
    assert hover.customdata[0][0] == f"{prior}%"
    assert percent(hover.customdata[0][1], most=True) >= most
    table = figures.meaning_of_epsilon.belief_table(loss)
    for row in table.to_dict("records"):
        before = Decimal(str(row["prior"])) / 100
        assert decimal(row["least"]) <= 100 * posterior(-exact, before)
        assert decimal(row["most"]) >= 100 * posterior(exact, before)
    total = figures.meaning_of_epsilon.level_table(made.privacy, prior=chance, delta=delta).iloc[-1]
    assert percent(total["most"], most=True) >= most


@given(budget=BUDGETS, prior=PERCENTS, delta=DELTAS)
def test_levels_are_rounded_up_in_their_table(budget, prior, delta):
    made = plan(COUNTS, "tree-dp", **budget)
    table = figures.meaning_of_epsilon.level_table(made.privacy, prior=prior / 100, delta=delta)
    for row, event in zip(table.to_dict("records")[:-1], made.events, strict=True):
        epsilon, rho = event_epsilon(event), event_rho(event)
        assert rho is not None
        assert decimal(rho) <= number(row["rho"]) <= decimal(rho) * Decimal("1.03")
        if epsilon is None:
            assert row["epsilon"] == "–"
        else:
            assert decimal(epsilon) <= number(row["epsilon"]) <= decimal(epsilon) * Decimal("1.03")
        pure = made.budget.kind == "pure"
        alone = decimal(epsilon) if pure else simple(decimal(rho), decimal(delta))
        most = 100 * posterior(alone, Decimal(prior) / 100)
        assert percent(row["most"], most=True) - 1 <= most <= percent(row["most"], most=True)


def exact_chance(made: Plan, x: Decimal) -> Decimal:
    """Return the probability by the formulas of `highest_chance`, for pure ε and for ρ."""
    with localcontext(PRECISE):
        if made.budget.kind == "pure":
            epsilon = decimal(made.budget.epsilon)
            return min(epsilon.exp() * x, 1 - (-epsilon).exp() * (1 - x))
        root, far = decimal(total_rho(made.events)).sqrt(), (-x.ln()).sqrt()
        grown = (-((far - root) ** 2)).exp() if far > root else Decimal(1)
        rest = (-(((-(1 - x).ln()).sqrt() + root) ** 2)).exp()
        return min(grown, 1 - rest)


@given(budget=BUDGETS, without=PERCENTS)
@example(budget={"epsilon": "1"}, without=5)
@example(budget={"epsilon": "10"}, without=5)
def test_odds_are_rounded_up(budget, without):
    made = plan(COUNTS, "tree-dp", **budget)
    most = highest_chance(made.privacy, without / 100)
    exact = exact_chance(made, Decimal(without) / 100)
    assert exact <= decimal(most) <= min(Decimal(1), exact * Decimal("1.000000001"))
    cases, below, above = of_a_hundred(without / 100, most)
    sentence = meaning_words.odds_sentence(cases, below, above, made.privacy)
    shown = re.findall(r"\*\*([\d,]+) of ([\d,]+)\*\*", sentence)
    (x, of), (y, too) = [(number(a), number(b)) for a, b in shown]
    assert of == too
    assert x / of == Decimal(without) / 100
    assert exact <= y / of < exact + 1 / of + Decimal("1e-15")


# The command line.


def call(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(line.split()) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "budget"),
    [
        ("--epsilon 0.001", {"epsilon": "0.001"}),
        ("--epsilon 1.2345644", {"epsilon": "1.2345644"}),
        (
            "--epsilon 1.2345644 --delta 1.2345644e-8",
            {"epsilon": "1.2345644", "delta": "1.2345644e-8"},
        ),
        ("--rho 0.12345644", {"rho": "0.12345644"}),
    ],
)
def test_no_output_of_the_command_line_is_stronger(flags, budget, capsys):
    from hierdp_core import samples

    made = plan(samples.load("running-example").table, "pgsr-h-dp", **budget)
    exact = exact_parameters(made)
    lines = call(
        f"simulate --sample running-example --mechanism pgsr-h-dp {flags}", capsys
    ).splitlines()
    card = label(made.privacy, title="t", mechanism="m", note="n")
    text = json.dumps(made.privacy.as_dict())
    assert too_strong(stated_numbers(made, lines[1], card, text)) == []

    output = call(f"simulate --sample running-example --mechanism pgsr-h-dp {flags} --json", capsys)
    privacy = json.loads(output, parse_float=Decimal, parse_int=Decimal)["privacy"]
    for name, value in exact.items():
        assert (privacy[name] is None) == (value is None)
        assert value is None or value <= privacy[name] <= value * Decimal("1.03")

    line = f"compare --sample running-example --mechanisms pgsr-h-dp {flags} --simulations 1"
    head, first = call(line, capsys).splitlines()[:2]
    row = dict(zip(re.split(r"  +", head), re.split(r"  +", first), strict=False))
    for name, value in budget.items():
        assert number(row[name]) == Decimal(value)


def test_the_plan_command_rounds_budgets_up_and_noise_down(capsys):
    import argparse

    from hierdp_core.cli.budget_command import _print_budget

    levels = pd.DataFrame(
        {
            "level": ["all", "leaf"],
            "share": [1, 2],
            "budget": [1 / 3, 2 / 3],
            "noise_sd": [np.nan, 4.999],
        }
    )
    errors = pd.DataFrame({"level": ["all"], "regions": [1], "mean_abs": [1.0], "q95_abs": [2.0]})
    _print_budget(
        argparse.Namespace(
            sentence="", sure="", basis="", counted="people", n_simulations=60, warnings=(),
            levels=levels, errors=errors, plan=plan(COUNTS, "tree-dp", epsilon=1),
        )
    )  # fmt: skip
    rows = [
        re.split(r"  +", line) for line in capsys.readouterr().out.splitlines() if "leaf" in line
    ]
    assert rows == [["leaf", "2", "0.667", "4.99"]]


@given(sizes=st.lists(EPSILONS, min_size=1, max_size=3, unique=True), delta=DELTAS)
def test_a_comparison_shows_no_budget_smaller_than_it_is(sizes, delta):
    from hierdp_core.evaluation.comparison import Comparison, axes
    from hierdp_core.privacy import Budget
    from hierdp_core.writers.comparison_report import conversion_section

    budgets = [
        kind
        for size in sizes
        for kind in (
            Budget.of(epsilon=size),
            Budget.of(rho=size),
            Budget.of(epsilon=size, delta=delta, accounting="simple"),
        )
    ]
    plans = tuple(plan(COUNTS, "tree-dp", budget=budget) for budget in budgets)
    table = conversion_section(
        Comparison(plans=plans, n_simulations=0, errors=pd.DataFrame(), by_size=pd.DataFrame())
    ).table
    usual = Decimal("1e-8")
    for made, row in zip(plans, table.to_dict("records"), strict=True):
        rho = decimal(total_rho(made.events))
        standard = simple(rho, usual)
        if made.budget.epsilon is not None and (made.budget.delta or 0) <= Fraction("1e-8"):
            standard = min(standard, decimal(made.budget.epsilon))
        assert rho <= number(row["as ρ"]) <= rho * Decimal("1.03")
        assert standard <= number(row["as ε at δ = 10⁻⁸"]) <= standard * Decimal("1.03")
    for axis in axes(plans, scale="rho"):
        for case, value in zip(axis.cases, axis.values, strict=True):
            assert decimal(total_rho(plans[case].events)) <= decimal(value)
            assert decimal(value) <= number(parameter(value))


def test_published_budgets_are_printed_as_published():
    from hierdp_core.privacy.published import deployments

    for one in deployments():
        output = {
            symbol: number(text) for symbol, text in re.findall(f"([ερδ]) = {NUMBER}", one.budget)
        }
        stated = {"ε": one.epsilon, "ρ": one.rho, "δ": one.delta or None}
        assert output == {name: decimal(v) for name, v in stated.items() if v is not None}
