"""Accounting of (ε, δ), compared with enumeration of all integers.

The reference multiplies the distributions of single numbers, without a grid, a transform or the
library, and computes to 40 digits where that matters.
"""

import math
import subprocess
import sys
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from support.examples import examples
from support.strategies import regions_of

from hierdp_core.exceptions import BudgetError
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.privacy import (
    BUN_STEINKE,
    EXACT_CURVE,
    TIGHT,
    Allocation,
    Budget,
    GaussianEvent,
    GeometricEvent,
    Sensitivity,
    ThresholdEvent,
    all_priced,
    level_events,
    losses,
    priced,
    spending,
    total_epsilon,
)
from hierdp_core.privacy.account import SEQUENTIAL, holds, parts_of, within
from hierdp_core.privacy.losses import (
    ABSOLUTE_ALLOWANCE,
    RELATIVE_ALLOWANCE,
    Part,
    composed,
    gaussian_delta,
)
from hierdp_core.privacy.shapes import largest_shapes, trip_shapes, unit_shape
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, Flows, GroupSizes
from hierdp_core.util.text import join_or

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
COUNTS = Counts.from_leaves(regions_of(TREE), [3, 4])
TABLES = {
    "counts": COUNTS,
    "group-sizes": GroupSizes.from_leaves(regions_of(TREE), [[1, 2], [3, 4]]),
    "flows": Flows.from_pairs(regions_of(TREE), regions_of(TREE), [0], [1], [5]),
}
ONE, TWO = Sensitivity(l1=1, l2_squared=1), Sensitivity(l1=2, l2_squared=2)


# The reference.


def cell(part, move):
    """Return losses and probabilities of one number that changes by `move`, to 40 digits."""
    reach = move + (
        math.ceil(15 * math.sqrt(part.noise)) + 2
        if part.gaussian
        else math.ceil(60 * part.noise) + 2
    )
    noise = mpf(part.noise)

    def log(x):
        return -mpf(x * x) / (2 * noise) if part.gaussian else -mpf(abs(x)) / noise

    law = {x: mp.exp(log(x)) for x in range(-reach, reach + 1)}
    total = sum(law.values())
    return [(log(x) - log(x - move), chance / total) for x, chance in law.items()]


def enumerated(parts_and_shapes, epsilon):
    """Return δ(ε) of independent numbers by multiplying their distributions."""
    with mp.workdps(40):
        losses = {mpf(0): mpf(1)}
        for part, shape in parts_and_shapes:
            for move in shape:
                found = {}
                for (have, p), (more, q) in product(losses.items(), cell(part, move)):
                    if p * q > mpf("1e-26"):
                        loss = mp.nstr(have + more, 30)
                        found[loss] = found.get(loss, mpf(0)) + p * q
                losses = {mpf(loss): chance for loss, chance in found.items()}
        return float(
            sum(p * -mp.expm1(mpf(epsilon) - loss) for loss, p in losses.items() if loss > epsilon)
        )


def gaussian(sigma, *shapes):
    return Part(gaussian=True, noise=sigma**2, shapes=shapes or ((1,),))


def geometric(scale, *shapes):
    return Part(gaussian=False, noise=scale, shapes=shapes or ((1,),))


def closed_form(sigma2, move, epsilon):
    """Return δ(ε) of one number by the definition, as a sum of excess probabilities."""
    with mp.workdps(60):
        reach = math.ceil(20 * math.sqrt(sigma2)) + move + 2
        weights = {x: mp.exp(-mpf(x * x) / (2 * mpf(sigma2))) for x in range(-reach, reach + 1)}
        growth = mp.exp(mpf(epsilon))
        shifted = {x: mp.exp(-mpf((x - move) ** 2) / (2 * mpf(sigma2))) for x in weights}
        above = sum(max(mpf(0), w - growth * shifted[x]) for x, w in weights.items())
        return float(above / sum(weights.values()))


# One release.


@pytest.mark.parametrize("move", [1, 2, 3])
@pytest.mark.parametrize("sigma", [0.1, 0.382, 0.71, 0.72, 1.3, 3.7, 12.0])
def test_one_number_has_the_curve_of_its_whole_numbers(sigma, move):
    losses = composed((gaussian(sigma, (move,)),))
    reach = (move / sigma) ** 2 / 2 + 6 * move / sigma
    for epsilon in np.linspace(0, reach, 13):
        exact = closed_form(sigma**2, move, epsilon)
        assert exact <= losses.delta(epsilon)
        # The bound is close: within 1% of ε, and the allowances.
        near = closed_form(sigma**2, move, epsilon - 0.02 * move / sigma)
        assert losses.delta(epsilon) <= near * (1 + 1e-7) + 2 * ABSOLUTE_ALLOWANCE


def test_the_curve_is_not_monotone_in_sigma_where_sigma_is_small():
    deltas = [composed((gaussian(sigma),)).delta(1.0) for sigma in (0.71, 0.72)]
    assert deltas == pytest.approx([0.1900, 0.1909], abs=1e-4)


@pytest.mark.parametrize("sigma", [3e3, 4e4, 1e6])
@pytest.mark.parametrize("shape", [(1,), (1, 1), (3,)])
def test_wide_noise_has_the_continuous_curve(sigma, shape):
    """Above about 65,000 integers, neighbouring ones are grouped."""
    mu = math.sqrt(sum(d * d for d in shape)) / sigma
    losses = composed((gaussian(sigma, shape),))
    for t in (0.0, 1.0, 3.0, 6.0):
        smooth = gaussian_delta(mu, t * mu)
        assert losses.delta(t * mu) == pytest.approx(smooth, rel=5e-3, abs=2e-14)
    # The discrete curve differs from the continuous one by less than 1e-3 here.
    assert losses.delta(4 * mu) >= gaussian_delta(mu, 4 * mu) * 0.999


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (2, 2, 1), (1,) * 5])
def test_sums_of_noise_are_discrete_gaussian_where_this_is_assumed(shape):
    """On both sides of the limit, the curves of direct sums and of one Gaussian agree."""
    squares = sum(d * d for d in shape)
    limit = math.sqrt(9.0 * (1 if squares == len(shape) else squares))
    below, above = (composed((gaussian(limit * f, shape),)) for f in (0.9999, 1.0001))
    mu = math.sqrt(squares) / limit
    for epsilon in (0.0, mu, 3 * mu, 5 * mu):
        # The slope of δ in ln σ is at most 10 in absolute value here.
        assert below.delta(epsilon) == pytest.approx(above.delta(epsilon), rel=1e-2, abs=1e-13)


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("shape", [(1,), (2,), (1, 1), (3, 1)])
def test_geometric_noise_has_its_curve(scale, shape):
    part = geometric(scale, shape)
    losses = composed((part,))
    total = sum(shape) / scale
    for epsilon in (0.0, 0.3 * total, 0.9 * total):
        exact = enumerated([(part, shape)], epsilon)
        assert exact <= losses.delta(epsilon) <= exact * 1.01 + 1e-13
    assert losses.delta(total * (1 + 1e-9)) <= 1e-3 * losses.delta(0.0)


# Several releases.


@pytest.mark.parametrize(
    "parts",
    [
        (gaussian(0.5), gaussian(0.8)),
        (gaussian(1.4, (1, 1)), gaussian(0.9)),
        (gaussian(0.7), gaussian(0.7), gaussian(0.6)),
        (geometric(1.0), gaussian(0.9, (2,))),
        (geometric(0.8, (1, 1)), geometric(2.0)),
    ],
)
def test_composition_equals_joint_enumeration(parts):
    losses = composed(parts)
    spread = math.sqrt(sum(part.deviation**2 for part in parts))
    for epsilon in (0.0, spread, 3 * spread):
        exact = enumerated([(part, part.shapes[0]) for part in parts], epsilon)
        assert exact <= losses.delta(epsilon)
        near = enumerated([(part, part.shapes[0]) for part in parts], epsilon - 0.03 * spread)
        assert losses.delta(epsilon) <= near * 1.001 + 1e-13


@pytest.mark.slow
def test_every_choice_of_shapes_is_below_the_curve_and_the_factor_is_small():
    """Two trips: one cell by 2 or two cells by 1, independently on each of two levels."""
    shapes = ((2,), (1, 1))
    parts = (gaussian(0.9, *shapes), gaussian(1.3, *shapes))
    losses = composed(parts)
    for epsilon in (0.5, 4.0, 10.0):
        each = [
            enumerated(list(zip(parts, choice, strict=True)), epsilon)
            for choice in product(shapes, shapes)
        ]
        assert max(each) <= losses.delta(epsilon) <= 1.3 * max(each) + 1e-13


def test_the_allowances_cover_rounding_errors():
    """Many levels, a small δ: compared with 40 digits, without the allowance."""
    part = gaussian(2.0)
    losses = composed((part,) * 3)
    epsilon = 5.6
    exact = enumerated([(part, (1,))] * 3, epsilon)
    assert 1e-12 < exact < 1e-9
    bare = (losses.delta(epsilon) - ABSOLUTE_ALLOWANCE) / (1 + RELATIVE_ALLOWANCE)
    assert exact - ABSOLUTE_ALLOWANCE / 10 <= bare <= exact * 1.01


@settings(max_examples=examples(30), deadline=None)
@given(
    sigmas=st.lists(st.floats(0.2, 50), min_size=1, max_size=4),
    delta=st.floats(1e-11, 0.3),
)
def test_epsilon_and_delta_are_inverse_and_delta_falls(sigmas, delta):
    losses = composed(tuple(gaussian(sigma) for sigma in sigmas))
    epsilon = losses.epsilon(delta)
    assert losses.delta(epsilon) <= delta
    assert epsilon == 0 or losses.delta(epsilon * (1 - 1e-9)) > delta * (1 - 1e-6)
    row = losses.deltas(np.linspace(0, 2 * epsilon + 1, 50))
    assert (np.diff(row) <= ABSOLUTE_ALLOWANCE / 10).all()


# Shapes.


def test_trips_share_cells_in_every_way():
    assert trip_shapes(3, records=1) == ((3,), (2, 1), (1, 1, 1))
    assert len(trip_shapes(8, records=2)) == 253
    assert trip_shapes(9, records=2) == ()
    assert unit_shape(10_001) == unit_shape(0) == ()
    for trips in (1, 2, 3):
        for records in (1, 2):
            shapes = trip_shapes(trips, records=records)
            assert {sum(shape) for shape in shapes} == {trips * records}
            # All of them lie within the two sensitivities, which allow more shapes.
            listed = largest_shapes(trips * records, trips**2 * records, at_most=300)
            assert set(shapes) <= set(listed) | {s for s in shapes if len(s) > 1}


def test_shapes_are_those_of_the_events_or_all_within_their_sensitivity():
    event = GaussianEvent(level=0, query="", l2_sensitivity_squared=4, sigma2=Fraction(4))
    (part,) = parts_of([event])
    assert part.shapes == ((2,), (1, 1, 1, 1))
    noisy = GeometricEvent(level=None, query="", l1_sensitivity=2, scale=Fraction(3))
    assert parts_of([noisy])[0].shapes == ((2,), (1, 1))
    threshold = ThresholdEvent(
        level=0, query="", l1_sensitivity=1, scale=Fraction(1), threshold=30, created=1, most=1
    )
    assert parts_of([threshold]) is None
    assert priced([threshold], Fraction(1, 10**20)) is None
    assert priced([threshold], Fraction(1, 10**8)).epsilon == 1
    many = GaussianEvent(level=0, query="", l2_sensitivity_squared=10**6, sigma2=Fraction(10**6))
    assert parts_of([many]) is None
    assert priced([many], Fraction(1, 10**8)).source == TIGHT


# Noise for a budget.


def spent(epsilon, delta, sensitivities, weights, **words):
    names = [f"level {k}" for k in range(len(weights))]

    def releases(budget):
        return level_events(
            budget,
            Allocation.of(weights, names),
            query="q",
            levels=names,
            sensitivities=sensitivities,
        )

    budget = Budget.approximate(epsilon, delta, **words)
    found = spending(budget, releases)
    return found, releases(found.budget)


GOLDEN = [
    # ε, δ, and σ by the continuous curve, Corollary 13 and Proposition 1.3, for a change by 1
    ("1", "1e-8", 5.1003, 5.3908, 6.1510),
    ("0.1", "1e-8", 45.937, 48.933, 60.779),
    ("4", "1e-10", 1.5753, 1.6428, 1.7673),
    ("17.14", "1e-10", 0.4274, 0.4423, 0.4594),
]


@pytest.mark.parametrize(("epsilon", "delta", "smooth", "renyi", "simple"), GOLDEN)
def test_golden_deviations(epsilon, delta, smooth, renyi, simple):
    sigmas = {}
    for account in ("tight", "zcdp", "simple"):
        found, (event,) = spent(epsilon, delta, (ONE,), (1,), accounting=account, noise="gaussian")
        sigmas[account] = math.sqrt(event.sigma2)
        assert found.accounting == account
    assert sigmas["zcdp"] == pytest.approx(renyi, rel=2e-4)
    assert sigmas["simple"] == pytest.approx(simple, rel=2e-4)
    assert gaussian_delta(1 / smooth, float(epsilon)) == pytest.approx(float(delta), rel=2e-2)
    if sigmas["tight"] > 3:
        assert (sigmas["tight"] / smooth) ** 2 < 1.01
    assert sigmas["tight"] < sigmas["zcdp"] < sigmas["simple"]


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("levels", [(ONE,), (ONE, ONE, ONE), (TWO,), (ONE, TWO)])
def test_where_one_shape_is_the_worst_the_variance_is_that_of_the_continuous_curve(epsilon, levels):
    """Within 1%, for noise whose σ is above three times the largest change of a number."""
    weights = tuple(range(1, len(levels) + 1))
    _, events = spent(epsilon, "1e-8", levels, weights, noise="gaussian")
    parts = parts_of(events)
    assert all(len(part.shapes) == 1 and part.noise > 9 for part in parts)
    length = math.sqrt(sum(e.l2_sensitivity_squared / e.sigma2 for e in events))
    assert gaussian_delta(length * math.sqrt(1.01), float(epsilon)) > 1e-8


@pytest.mark.parametrize(
    ("epsilon", "delta", "levels", "least"),
    [
        ("17.14", "1e-10", 1, 0.382),
        ("17.14", "1e-10", 2, 0.418),
        ("17.14", "1e-10", 3, 0.429),
        ("4", "1e-10", 1, 1.540),
    ],
)
def test_enumeration_allows_no_smaller_variance(epsilon, delta, levels, least):
    """All σ from 20% below on are tried, and none that saves more than 1% holds."""
    _, events = spent(epsilon, delta, (ONE,) * levels, (1,) * levels, noise="gaussian")
    one = math.sqrt(float(events[0].sigma2) / levels)
    assert one == pytest.approx(least, abs=6e-4)
    if levels > 1:
        return
    held = [
        sigma
        for sigma in np.geomspace(0.8 * one, one, 120)
        if closed_form(sigma**2, 1, float(epsilon)) <= float(delta)
    ]
    assert all(one**2 <= 1.01 * sigma**2 for sigma in held)


@settings(max_examples=examples(25), deadline=None)
@given(
    epsilon=st.sampled_from(["0.05", "0.7", "3", "20"]),
    delta=st.sampled_from(["1e-11", "1e-6", "0.01"]),
    weights=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    data=st.data(),
)
def test_epsilon_and_delta_hold_for_exactly_the_noise_that_is_used(epsilon, delta, weights, data):
    trips = Sensitivity(l1=4, l2_squared=8, shapes=trip_shapes(2, records=2))
    each = data.draw(
        st.lists(st.sampled_from([ONE, TWO, trips]), min_size=len(weights), max_size=len(weights))
    )
    noise = data.draw(st.sampled_from(["best", "gaussian", "geometric"]))
    found, events = spent(epsilon, delta, each, weights, noise=noise)
    exact = Fraction(epsilon), Fraction(delta)
    assert within(events, Budget.approximate(epsilon, delta))
    if found.source == EXACT_CURVE:
        assert holds(events, *exact)
    assert priced(events, exact[1]).epsilon <= float(epsilon) * (1 + 1e-12)
    # The candidate with less variance is used, and Gaussian noise if the two are equal.
    best = min(found.candidates, key=lambda candidate: candidate.variance)
    assert best.chosen
    assert sum(candidate.chosen for candidate in found.candidates) == 1
    assert len(found.candidates) == (2 if noise == "best" else 1)
    # The noise is never more than that of the conversions.
    _, usual = spent(epsilon, delta, each, weights, accounting="zcdp")
    if noise != "geometric":
        assert all(
            not isinstance(a, GaussianEvent) or a.sigma2 <= b.sigma2
            for a, b in zip(events, usual, strict=True)
        )


def test_few_levels_get_geometric_noise_and_many_get_gaussian():
    few, events = spent("1", "1e-8", (ONE,) * 3, (1,) * 3)
    assert isinstance(events[0], GeometricEvent)
    assert few.source == SEQUENTIAL
    assert total_epsilon(events) == 1
    many, events = spent("1", "1e-8", (TWO,) * 12, (1,) * 12)
    assert isinstance(events[0], GaussianEvent)
    assert many.source == EXACT_CURVE
    variances = {candidate.noise: candidate.variance for candidate in many.candidates}
    assert variances["gaussian"] < variances["geometric"]
    # Over so many releases, composition also allows geometric noise more than ε.
    assert max(c.amount for c in many.candidates if c.noise == "geometric") >= 1


@pytest.mark.parametrize("delta", ["1e-13", "1e-300"])
def test_below_the_least_delta_corollary_13_is_used_and_named(delta):
    found, _ = spent("1", delta, (ONE,) * 12, (1,) * 12, noise="gaussian")
    assert found.source == TIGHT
    found, _ = spent("1", "1e-8", (ONE,), (1,), accounting="simple")
    assert (found.source, found.accounting) == (BUN_STEINKE, "simple")


@pytest.mark.parametrize("epsilon", ["1e-5", "1", "1000", "10000"])
@pytest.mark.parametrize("delta", ["1e-300", "1e-12", "1e-5", "0.5", "0.999"])
@pytest.mark.parametrize("n_levels", [1, 5])
def test_extreme_budgets_take_few_compositions_and_none_a_second_time(
    epsilon, delta, n_levels, monkeypatch
):
    made = []
    monkeypatch.setattr(losses, "composed", lambda parts: made.append(parts) or composed(parts))
    _, events = spent(epsilon, delta, (TWO,) * n_levels, (1,) * n_levels)
    assert len(made) <= 200
    assert within(events, Budget.approximate(epsilon, delta))
    made.clear()
    spent(epsilon, delta, (TWO,) * n_levels, (1,) * n_levels)
    assert not made


def test_accounting_and_noise_are_checked_and_need_delta():
    with pytest.raises(BudgetError, match="Choose tight, zcdp or simple"):
        Budget.approximate(1, 1e-8, accounting="renyi")
    with pytest.raises(BudgetError, match="accounting applies only to a budget with δ"):
        Budget.of(epsilon=1, accounting="simple")
    with pytest.raises(BudgetError, match="noise applies only to a budget with δ"):
        Budget.of(rho=1, noise="gaussian")
    with pytest.raises(BudgetError, match=r'"simple" gives Gaussian noise only'):
        Budget.approximate(1, 1e-8, accounting="simple", noise="geometric")


@pytest.mark.parametrize(
    ("accounting", "noise", "offered"),
    [
        (None, "x", ["best", "gaussian", "geometric"]),
        ("tight", "x", ["best", "gaussian", "geometric"]),
        ("zcdp", "x", ["best", "gaussian"]),
        ("simple", "x", ["best", "gaussian"]),
        ("x", None, ["tight", "zcdp", "simple"]),
        ("x", "gaussian", ["tight", "zcdp", "simple"]),
        ("x", "geometric", ["tight"]),
    ],
)
def test_an_unknown_value_is_answered_by_those_that_can_be_combined(accounting, noise, offered):
    words = join_or(offered)
    with pytest.raises(BudgetError, match=rf'has no value "x"\. Choose {words}\.$'):
        Budget.of(epsilon=1, delta="1e-8", accounting=accounting, noise=noise)
    for word in offered:
        given = (word, noise) if accounting == "x" else (accounting, word)
        budget = Budget.of(epsilon=1, delta="1e-8", accounting=given[0], noise=given[1])
        assert word in (budget.accounting, budget.noise)


# Plans.


@pytest.mark.parametrize(
    ("id", "kind", "noise"),
    [
        (id, kind, noise)
        for id, one in MECHANISMS.items() for kind in one.kinds
        for noise in ("gaussian", "geometric")
        if (id, noise) != ("stability-histogram", "gaussian")  # refused
    ],
)  # fmt: skip
def test_no_plan_states_less_than_its_noise_gives(id, kind, noise):
    """For every id, δ(ε) of its events, enumerated without a grid, is at most the stated δ."""
    made = plan(TABLES[kind], id, epsilon=4, delta=1e-3, noise=noise)
    parts = parts_of(made.events)
    if parts is None:
        assert made.privacy.epsilon == 4  # a threshold, which has proofs of its own
        return
    for choice in product(*(part.shapes for part in parts)):
        exact = enumerated(list(zip(parts, choice, strict=True)), 4.0)
        assert exact <= 1e-3
    if all(len(part.shapes) == 1 for part in parts) and made.privacy.conversion == EXACT_CURVE:
        priced_at = priced(made.events, Fraction(1, 1000)).epsilon
        assert exact == pytest.approx(1e-3, rel=0.1) or priced_at > 4 * 0.98


def test_a_statement_names_the_accounting_method_and_the_kinds_of_noise():
    tight = plan(COUNTS, "tree-dp", epsilon=1, delta=1e-8).privacy.as_dict()
    assert tight["accounting"] == "tight"
    assert [one["noise"] for one in tight["noise_candidates"]] == ["gaussian", "geometric"]
    assert [one["chosen"] for one in tight["noise_candidates"]].count(True) == 1
    simple = plan(COUNTS, "tree-dp", epsilon=1, delta=1e-8, accounting="simple").privacy
    assert (simple.accounting, simple.conversion) == ("simple", BUN_STEINKE)
    assert simple.candidates == ()
    pure = plan(COUNTS, "tree-dp", epsilon=1).privacy
    assert (pure.accounting, pure.candidates) == ("", ())


def test_budgets_of_epsilon_or_rho_keep_their_noise_and_show_a_usual_delta():
    made = plan(COUNTS, "tree-dp", rho=0.5)
    assert [event.sigma2 for event in made.events] == [2, 2]
    sentence = made.privacy.as_approximate
    assert sentence.startswith("At δ = 10⁻⁸ this is ε = ")
    exact = made.privacy.epsilon_at(1e-8)
    assert exact.source == EXACT_CURVE
    bounds = [bound.epsilon for bound in all_priced(made.events, Fraction(1, 10**8))]
    assert exact.epsilon == min(bounds) < max(bounds)
    assert plan(COUNTS, "tree-dp", epsilon=1, delta=1e-8).privacy.as_approximate == ""
    assert made.privacy.as_dict()["at_usual_delta"]["epsilon"] == exact.epsilon


def test_a_noisy_cap_and_private_totals_are_paid_for_together():
    options = {"cap": "noisy", "cap-epsilon": "0.2", "totals": "private"}
    made = plan(TABLES["group-sizes"], "coc", epsilon=2, delta=1e-4, options=options)
    assert len(made.beside) == 3
    assert holds(made.events, Fraction(2), Fraction(1, 10**4)) or total_epsilon(made.events) == 2
    assert made.privacy.accounting == "tight"


def test_half_a_budget_is_half_of_what_accounting_allows():
    whole, half = (
        plan(COUNTS, "inftda", epsilon=1, delta=1e-8, noise="gaussian", options={"split": split})
        for split in ("paper", "reference")
    )
    assert half.events[0].sigma2 == 2 * whole.events[0].sigma2
    assert half.privacy.epsilon < 0.8
    assert half.privacy.conversion == EXACT_CURVE


def test_a_published_calibration_claims_the_cost_at_its_own_sensitivities():
    options = {"calibration": "published"}
    made = plan(TABLES["group-sizes"], "pgsr-c-chain", epsilon=1, delta=1e-8, options=options)
    assert made.privacy.claimed
    assert made.privacy.epsilon > 1


def test_libraries_for_accounting_are_loaded_only_when_needed():
    code = (
        "import sys, hierdp_core as hdp; from hierdp_core import privacy, mechanisms; "
        "import hierdp_core.simulation; print('dp_accounting' in sys.modules, "
        "'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "False"


def test_shapes_that_exceed_the_sensitivities_are_refused():
    assert Sensitivity(l1=2, l2_squared=2, shapes=((1, 1),)).worst_shapes == ((1, 1),)
    for l1, l2_squared in ((1, 2), (2, 1)):
        with pytest.raises(ValueError, match="exceeds the L1 sensitivity"):
            Sensitivity(l1=l1, l2_squared=l2_squared, shapes=((1, 1),))
