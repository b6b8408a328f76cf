"""The curve of Gaussian noise is never below the loss of a correct mechanism, for any shape.

The reference convolves the privacy losses of single cells without a grid.
"""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.examples import examples

from hierdp_core.audits import audit
from hierdp_core.audits.claims import claim_of, noise_claim_of
from hierdp_core.audits.gaussian import GaussianClaim, contradicts, curve, most_likely, rho_at_least
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms import parse
from hierdp_core.privacy import epsilon_of_rho
from hierdp_core.privacy.shapes import largest_shapes
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts

# Two different trips change one cell of the root by 2, and two cells of the leaves by 1.
DIFFERENT = {"neighbours": "unbounded", "trips": "2", "distinct": "yes"}
NOISY_CAP = {"cap": "noisy", "cap-epsilon": "0.5"}


def gaussian_losses(sigma2, move):
    reach = math.ceil(14 * math.sqrt(sigma2)) + 1
    k = np.arange(-reach, reach + 1.0)
    chance = np.exp(-(k**2) / (2 * sigma2))
    return (move**2 - 2 * move * k) / (2 * sigma2), chance / chance.sum()


def geometric_losses(scale, move):
    k = np.arange(-60 * math.ceil(scale), 60 * math.ceil(scale) + 1.0)
    return (np.abs(k - move) - np.abs(k)) / scale, np.tanh(0.5 / scale) * np.exp(-np.abs(k) / scale)


def exact_losses(cells):
    """Return the losses of independent cells together, and their probabilities."""
    losses, law = np.zeros(1), np.ones(1)
    for loss, chance in cells:
        kept = chance > 1e-17
        together = np.round(losses[:, None] + loss[kept], 9).ravel()
        losses, place = np.unique(together, return_inverse=True)
        law = np.bincount(place, (law[:, None] * chance[kept]).ravel())
        losses, law = losses[law > 1e-19], law[law > 1e-19]
    return losses, law


def exact_deltas(cells, epsilons):
    """Return at most the exact δ at each ε, as losses may be rounded up to the ninth digit."""
    losses, law = exact_losses(cells)
    least = losses - 0.5e-9 * len(cells)
    return np.array(
        [(law * np.maximum(0, -np.expm1(np.minimum(e - least, 0)))).sum() for e in epsilons]
    )


def gaussian_cells(shapes, sigmas2):
    return [gaussian_losses(s, d) for s, shape in zip(sigmas2, shapes, strict=True) for d in shape]


def people(leaves):
    regions = Regions.from_parents({"N": None, "A": "N", "B": "N"}, levels=("nation", "state"))
    return Counts.from_leaves(regions, leaves)


@pytest.mark.parametrize("rho", [0.5, 2, 4, 8, 12])
def test_what_two_different_trips_lose_is_within_the_curve(rho):
    """The shapes of the levels differ, and all of them lie below the curve."""
    made = plan(people([3, 2]), parse("inftda", DIFFERENT), rho=rho)
    claim = noise_claim_of(made)
    sigmas2 = [sigma2 for sigma2, _ in claim.levels]
    epsilons, allowed = curve(claim)
    some = slice(None, None, 10)
    truth = exact_deltas(gaussian_cells([(2,), (1, 1)], sigmas2), epsilons[some])
    assert (allowed[some] >= truth).all()
    # The curve is close: at every ε it nearly equals the largest over the shapes.
    other = exact_deltas(gaussian_cells([(1, 1), (1, 1)], sigmas2), epsilons[some])
    np.testing.assert_allclose(allowed[some], np.maximum(truth, other), atol=1e-3)


@pytest.mark.parametrize("rho", [2, 8, 12])
def test_the_best_events_of_two_different_trips_contradict_nothing(rho):
    """Every event {loss ≥ t}, with exact probabilities, so the result is not left to chance."""
    claim = noise_claim_of(plan(people([3, 2]), parse("inftda", DIFFERENT), rho=rho))
    cells = gaussian_cells([(2,), (1, 1)], [sigma2 for sigma2, _ in claim.levels])
    losses, law = exact_losses(cells)
    low = np.cumsum(law[::-1])[::-1]
    high = np.cumsum((law * np.exp(-losses))[::-1])[::-1]
    for k in range(0, len(losses), max(1, len(losses) // 200)):
        assert not contradicts(claim, min(1.0, low[k]), high[k])
    assert rho_at_least(claim, low[len(low) // 2], high[len(low) // 2]) <= claim.rho


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(5))
def test_two_different_trips_are_not_a_leak(seed):
    pair = people([3, 2]), people([4, 3])
    found = audit(parse("inftda", DIFFERENT), rho=8, pair=pair, runs=20_000, seed=seed)
    assert not found.leaks, found.sentences


levels = st.lists(st.tuples(st.floats(0.3, 6), st.integers(1, 5)), min_size=1, max_size=2)


@settings(max_examples=examples(25), deadline=None)
@given(levels=levels, cap=st.none() | st.floats(0.7, 4))
@example(levels=[(0.999, 1)], cap=None)
def test_every_product_of_shapes_is_within_the_curve(levels, cap):
    claim = GaussianClaim(levels=tuple(levels), geometric=() if cap is None else ((cap, 1),))
    epsilons, allowed = curve(claim)
    some = epsilons[::25]
    shapes = [largest_shapes(d, d, at_most=50) for _, d in levels]
    beside = [] if cap is None else [geometric_losses(cap, 1)]
    truths = [
        exact_deltas(gaussian_cells(each, [s for s, _ in levels]) + beside, some)
        for each in product(*shapes)
    ]
    assert (allowed[::25] >= np.max(truths, axis=0)).all()
    if len(truths) == 1:
        np.testing.assert_allclose(allowed[::25], truths[0], atol=1e-3)


def brute_shapes(l1, squares):
    """Return all shapes within the limits, as tuples in descending order."""
    rows = {()}
    for _ in range(l1):
        rows |= {
            tuple(sorted((*row, d), reverse=True))
            for row in rows
            for d in range(1, l1 + 1)
            if sum(row) + d <= l1 and sum(m * m for m in row) + d * d <= squares
        }
    return rows


def within(small, large):
    return len(small) <= len(large) and all(a <= b for a, b in zip(small, large, strict=False))


@pytest.mark.parametrize("l1", range(1, 7))
@pytest.mark.parametrize("squares", [1, 2, 3, 4, 5, 8, 9, 18, 36])
def test_shapes_are_those_that_no_other_exceeds(l1, squares):
    found = largest_shapes(l1, squares, at_most=50)
    rows = brute_shapes(l1, squares)
    largest = {r for r in rows if not any(r != s and within(r, s) for s in rows)}
    assert set(found) == largest
    assert len(found) == len(set(found))
    assert largest_shapes(l1, squares, at_most=len(found) - 1) is None


def test_a_shape_within_another_loses_less():
    """The shapes that the list leaves out are covered: one cell, then two, with a small σ."""
    epsilons = np.linspace(-2, 6, 30)
    for sigma2 in (0.2, 0.5, 1.0, 3.0):
        for small, large in (((1,), (2,)), ((1, 1), (2, 1)), ((2,), (2, 1)), ((2, 1), (3, 1))):
            one, other = (
                exact_deltas(gaussian_cells([shape], [sigma2]), epsilons)
                for shape in (small, large)
            )
            assert (one <= other + 1e-12).all()


@pytest.mark.parametrize("move", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_geometric_noise_has_its_exact_curve(move, scale):
    claim = GaussianClaim(levels=((4.0, 1),), geometric=((scale, move),))
    epsilons, allowed = curve(claim)
    shapes = largest_shapes(move, at_most=50)
    truth = np.max(
        [
            exact_deltas(
                [gaussian_losses(4.0, 1), *(geometric_losses(scale, d) for d in shape)],
                epsilons[::20],
            )
            for shape in shapes
        ],
        axis=0,
    )
    assert (allowed[::20] >= truth).all()
    np.testing.assert_allclose(allowed[::20], truth, atol=2e-3)
    assert math.isclose(claim.rho, 1 / 8 + (move / scale) ** 2 / 2)
    assert math.isclose(claim.with_rho_times(1.7).rho, 1.7 * claim.rho)


@pytest.mark.parametrize("rho", [0.1, 1, 5])
def test_with_too_many_shapes_the_bound_from_rho_holds(rho):
    """With ten trips, shapes are not listed, and Gaussian noise of any shape keeps to the bound."""
    made = plan(people([30, 2]), "inftda: trips=10", rho=rho)
    claim = noise_claim_of(made)
    assert claim.parts is None
    epsilons, allowed = curve(claim)
    ((sigma2, _),) = claim.levels
    truth = exact_deltas(gaussian_cells([(10, 10)], [sigma2]), epsilons[::20])
    assert (allowed[::20] >= truth).all()
    losses, law = exact_losses(gaussian_cells([(10, 10)], [sigma2]))
    low = np.cumsum(law[::-1])[::-1]
    high = np.cumsum((law * np.exp(-losses))[::-1])[::-1]
    for k in range(0, len(losses), max(1, len(losses) // 200)):
        assert low[k] <= most_likely(claim.rho, high[k])
        assert not contradicts(claim, min(1.0, low[k]), high[k])
    # With a third of the noise, the same events do contradict the claim.
    losses, law = exact_losses(gaussian_cells([(10, 10)], [sigma2 / 9]))
    low = np.cumsum(law[::-1])[::-1]
    high = np.cumsum((law * np.exp(-losses))[::-1])[::-1]
    assert any(contradicts(claim, min(1.0, low[k]), high[k]) for k in range(len(low)))


def test_a_noisy_largest_size_with_gaussian_noise_is_compared_with_its_own_curve():
    from hierdp_core.audits import worst_pairs
    from hierdp_core.privacy import Budget

    (pair,) = worst_pairs(parse("coc", NOISY_CAP), budget=Budget.of(rho=1))
    made = plan(pair.before, parse("coc", NOISY_CAP), rho=1)
    claim = noise_claim_of(made)
    assert claim.geometric == ((2.0, 1),)
    assert math.isclose(claim.rho, 1)
    assert claim_of(made).rho == 1


def test_a_plan_that_spends_half_is_compared_with_half():
    made = plan(people([3, 2]), "inftda: split=reference", rho=1)
    assert claim_of(made).rho == 0.5
    assert claim_of(made).words == "ρ = 0.5"
    assert math.isclose(claim_of(made).epsilon, epsilon_of_rho(0.5, delta=1e-6))
    pure = claim_of(plan(people([3, 2]), "inftda: split=reference", epsilon=1))
    assert (pure.epsilon, pure.rho, pure.words) == (0.5, None, "ε = 0.5")


@pytest.mark.parametrize(("low", "high"), [(0.9, 0.2), (0.5, 0.01), (0.99, 0.6)])
def test_a_lower_bound_on_rho_is_contradicted_up_to_itself(low, high):
    claim = GaussianClaim(levels=((4.0, 1),))
    least = rho_at_least(claim, low, high)
    assert least > 0
    assert contradicts(claim.with_rho_times(0.999 * least / claim.rho), low, high)
