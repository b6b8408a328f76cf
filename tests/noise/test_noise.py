"""Noise must have its distribution and no other: a scale wrong by 5% is detected."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from hierdp_core.exceptions import BudgetError, ChoiceError
from hierdp_core.noise import LARGEST_SCALE, Cells, SeededNoise, checked_seed, variance
from hierdp_core.noise.philox import philox
from hierdp_core.privacy import GaussianEvent, GeometricEvent

DRAWS = 200_000
# The correct distribution fails for one in a million seeds. The seed is fixed.
ALPHA = 1e-6
LEAST_EXPECTED = 20  # samples per bin, for the chi-squared approximation


def double_geometric_pmf(k, scale):
    q = np.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(k)


def discrete_gaussian_pmf(k, sigma2):
    support = np.arange(-2000, 2001)
    weight = np.exp(-(support.astype(float) ** 2) / (2 * sigma2))
    return np.exp(-(k.astype(float) ** 2) / (2 * sigma2)) / weight.sum()


def p_value(sample, pmf, parameter):
    """Return the p-value of a chi-squared test, with sparse bins pooled into the two tails."""
    reach = int(np.abs(sample).max()) + 1
    k = np.arange(-reach, reach + 1)
    expected = pmf(k, parameter) * len(sample)
    observed = np.bincount(sample + reach, minlength=len(k))
    thick = np.flatnonzero(expected >= LEAST_EXPECTED)
    middle = slice(thick[0], thick[-1] + 1)
    low, high = expected[: thick[0]].sum(), expected[thick[-1] + 1 :].sum()
    rest = len(sample) - expected[middle].sum() - low - high
    expected = np.array([low + rest / 2, *expected[middle], high + rest / 2])
    observed = np.array(
        [observed[: thick[0]].sum(), *observed[middle], observed[thick[-1] + 1 :].sum()]
    )
    kept = expected > LEAST_EXPECTED / 4
    observed, expected = observed[kept], expected[kept]
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("far", [2**16, 2**32, 2**63])
def test_simulations_far_apart_are_unrelated(far):
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(60))
    one, other = (SeededNoise(1, index=3 + k).draw(event, (2_000,)) for k in (0, far))
    assert (one == other).mean() < 0.05


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(6), Fraction(60)])
@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.95, False), (1.05, False)])
def test_two_sided_geometric_noise_has_its_distribution_and_no_other(scale, factor, accepted):
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=scale)
    sample = SeededNoise(1).draw(event, (DRAWS,))
    assert (p_value(sample, double_geometric_pmf, float(scale) * factor) > ALPHA) == accepted


@pytest.mark.parametrize("scale", [3, 60])
def test_two_sided_geometric_noise_has_its_tails_far_beyond_its_scale(scale):
    """Each tail has its exact probability, q^k / (1 + q), up to 11 scales away."""
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(scale))
    sample = SeededNoise(4).draw(event, (10 * DRAWS,))
    q = math.exp(-1 / scale)
    for scales in (6, 8, 9, 10, 11):
        k = scales * scale + 2
        for beyond in ((sample >= k).sum(), (sample <= -k).sum()):
            assert binomtest(int(beyond), len(sample), q**k / (1 + q)).pvalue > ALPHA
            assert beyond > 0


@pytest.mark.parametrize("sigma", [0.7, 1.0, 3.0, 20.0])
@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.95, False), (1.05, False)])
def test_discrete_gaussian_noise_has_its_distribution_and_no_other(sigma, factor, accepted):
    sigma2 = Fraction(str(sigma)) ** 2
    event = GaussianEvent(level=0, query="", l2_sensitivity_squared=1, sigma2=sigma2)
    sample = SeededNoise(2).draw(event, (DRAWS,))
    parameter = float(sigma2) * factor**2
    assert (p_value(sample, discrete_gaussian_pmf, parameter) > ALPHA) == accepted


@pytest.mark.parametrize("parameter", [0.05, 0.6, 4.0, 24.9, 25.1, 400.0])
def test_variance_is_that_of_the_law(parameter):
    k = np.arange(-2000, 2001)
    geometric = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(str(parameter)))
    gaussian = GaussianEvent(
        level=0, query="", l2_sensitivity_squared=1, sigma2=Fraction(str(parameter))
    )
    if parameter < 100:
        exact = (k**2 * double_geometric_pmf(k, parameter)).sum()
        assert variance(geometric) == pytest.approx(exact, rel=1e-9)
    exact = (k**2 * discrete_gaussian_pmf(k, parameter)).sum()
    assert variance(gaussian) == pytest.approx(exact, rel=1e-9)


def test_noise_of_a_tiny_scale_is_zero():
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(1, 10_000))
    assert variance(event) == 0
    assert not SeededNoise(0).draw(event, (1000,)).any()


def test_a_seed_repeats_and_simulations_differ():
    event = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(100))
    draws = [
        SeededNoise(seed, index=t).draw(event, (50,))
        for seed, t in [(0, 0), (0, 0), (0, 1), (1, 0)]
    ]
    assert (draws[0] == draws[1]).all()
    assert (draws[0] != draws[2]).any()
    assert (draws[0] != draws[3]).any()


def geometric(scale):
    return GeometricEvent(level=0, query="people by state", l1_sensitivity=1, scale=Fraction(scale))


def gaussian(scale):
    return GaussianEvent(
        level=0, query="people by state", l2_sensitivity_squared=1, sigma2=Fraction(scale) ** 2
    )


@pytest.mark.parametrize("event_of", [geometric, gaussian])
@pytest.mark.parametrize("scale", [2**40, LARGEST_SCALE])
def test_the_widest_noise_has_its_variance(event_of, scale):
    event = event_of(scale)
    sample = SeededNoise(3).draw(event, (DRAWS,)).astype(float)
    # The variance of so many samples has a standard deviation of at most 0.5%.
    assert (sample**2).mean() == pytest.approx(variance(event), rel=0.025)
    assert np.abs(sample).max() < 2**62


@pytest.mark.parametrize("event_of", [geometric, gaussian])
@pytest.mark.parametrize("scale", [LARGEST_SCALE + 1, 4 * 10**18, 10**30, 10**400])
def test_noise_too_wide_to_be_drawn_is_refused(event_of, scale):
    with pytest.raises(
        BudgetError, match=r"noise on “people by state” has a scale above 7\.2 × 10¹⁶"
    ):
        SeededNoise(0).draw(event_of(scale), (10,))


@given(st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6))
def test_random_words_are_those_of_numpys_philox(numbers):
    key, counter = np.array(numbers[:2], dtype=np.uint64), np.array(numbers[2:], dtype=np.uint64)
    counter[3] &= np.uint64(2**63)  # NumPy adds 1 to the counter first; no carry out of it
    numpys = np.random.Philox(key=key, counter=counter).random_raw(4)
    after = sum(int(word) << 64 * place for place, word in enumerate(counter)) + 1
    words = tuple(np.uint64(after >> 64 * place & 2**64 - 1) for place in range(4))
    assert philox(key[0], key[1], words) == tuple(numpys)


EVENTS = [geometric(7), gaussian(7), geometric(Fraction(1, 3)), gaussian(Fraction(1, 3))]


@pytest.mark.parametrize("event", EVENTS)
@given(st.lists(st.integers(0, 9), max_size=12))
def test_noise_drawn_in_pieces_equals_that_of_the_whole(event, lengths):
    whole = SeededNoise(5).draw(event, (sum(lengths),))
    source = SeededNoise(5)
    in_turn = [source.draw(event, (length,)) for length in lengths]
    starts = np.cumsum([0, *lengths])
    elsewhere = [
        SeededNoise(5).draw(event, (length,), Cells.of_region(0, length, first=first))
        for first, length in zip(starts, lengths, strict=False)
    ]
    for pieces in (in_turn, elsewhere):
        assert np.concatenate([*pieces, whole[:0]]).tolist() == whole.tolist()


@pytest.mark.parametrize("event", EVENTS)
@given(st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 9)), unique_by=lambda r: r[0]))
def test_the_noise_of_a_region_does_not_depend_on_other_regions(event, sizes):
    sizes.sort()
    regions = np.array([region for region, _ in sizes], dtype=np.int64)
    starts = np.cumsum([0, *(size for _, size in sizes)])
    together = SeededNoise(5).draw(event, (int(starts[-1]),), Cells(regions=regions, starts=starts))
    for place, (region, size) in enumerate(sizes):
        alone = SeededNoise(5).draw(event, (size,), Cells.of_region(region, size))
        assert together[starts[place] : starts[place + 1]].tolist() == alone.tolist()


def test_no_cell_gets_the_same_noise_twice():
    event = geometric(7)
    source = SeededNoise(0)
    source.draw(event, (10,))
    for again in (
        Cells.of_region(0, 1),
        Cells.of_region(0, 1, first=9),
        Cells(regions=np.array([3, 2]), starts=np.array([0, 1, 2])),
        Cells(regions=np.array([3, 3]), starts=np.array([0, 1, 2])),
    ):
        with pytest.raises(RuntimeError, match="received noise before"):
            source.draw(event, (int(again.starts[-1]),), again)
    source.draw(event, (1,), Cells.of_region(0, 1, first=10))
    with pytest.raises(ValueError, match="2 numbers, but there are 1 cells"):
        source.draw(event, (2,), Cells.of_region(7, 1))


def test_noise_of_different_places_is_unrelated():
    """Seed, simulation, level, query, region and cell each change the noise."""
    n, first = 20_000, geometric(20)
    samples = [
        SeededNoise(1).draw(first, (n,)),
        SeededNoise(1).draw(first, (n,), Cells.of_region(0, n, first=n)),
        SeededNoise(1).draw(first, (n,), Cells.of_region(1, n)),
        SeededNoise(1).draw(first, (n,), Cells.of_rows(np.arange(n) + 9)),
        SeededNoise(2).draw(first, (n,)),
        SeededNoise(2**64 + 1).draw(first, (n,)),
        SeededNoise(1, index=1).draw(first, (n,)),
        SeededNoise(1).draw(replace(first, level=1), (n,)),
        SeededNoise(1).draw(replace(first, level=None), (n,)),
        SeededNoise(1).draw(replace(first, query="people"), (n,)),
        # At places of its own: a number has noise of one kind, and both kinds use the same bits.
        *(SeededNoise(1).draw(gaussian(20), (n,), Cells.of_region(k, n)) for k in (5, 6)),
        SeededNoise(1).draw(gaussian(20), (n,), Cells.of_rows(np.arange(n) + 2 * n)),
        SeededNoise(1, index=2).draw(gaussian(20), (n,)),
        SeededNoise(1).draw(replace(gaussian(20), level=2), (n,)),
    ]
    among = np.corrcoef(samples)[np.triu_indices(len(samples), 1)]
    assert np.abs(among).max() < 5 / np.sqrt(n)
    for sample in samples:
        neighbours = np.corrcoef(sample[1:], sample[:-1])[0, 1]
        assert abs(neighbours) < 5 / np.sqrt(n)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (-1, "from 0 to 18,446,744,073,709,551,615; got -1"),
        (2**64, "got 18446744073709551616"),
        (True, "got True"),
        (1.5, "got 1.5"),
    ],
)
def test_an_index_that_no_simulation_has_is_refused(index, words):
    with pytest.raises(ChoiceError, match=f"Give the simulation .* index.*{words}"):
        SeededNoise(0, index=index)
    assert SeededNoise(0, index=2**64 - 1).draw(geometric(1), (1,)).shape == (1,)


@pytest.mark.parametrize("seed", [-1, True, 1.5, "1"])
def test_a_seed_that_is_no_whole_number_from_0_is_refused(seed):
    with pytest.raises(
        ChoiceError, match=f"The seed must be a whole number, at least 0; got {seed}"
    ):
        SeededNoise(seed)


@pytest.mark.parametrize("seed", [0, 1, 2**70])
def test_whole_numbers_of_every_size_are_seeds(seed):
    assert checked_seed(seed) == seed


def test_a_seed_of_numpy_is_the_same_seed():
    own, numpys = (SeededNoise(seed).draw(geometric(60), (50,)) for seed in (7, np.int64(7)))
    assert own.tolist() == numpys.tolist()
