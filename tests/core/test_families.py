"""Splitting a family's total over noisy numbers: IntOpt and its rivals."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_families import step_by_step

from hierdp_core.solvers.chebyshev import nearest_by_integer_program, nearest_in_largest_error
from hierdp_core.solvers.simplex import nearest_in_squares

CASES = 20_000


def random_families(seed, cases):
    """Short and long families, small and large numbers, totals near the sum and far from it."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        d = int(rng.integers(1, 40)) if rng.random() < 0.9 else int(rng.integers(40, 120))
        width = rng.choice([2, 6, 30])
        true = np.maximum(0, np.rint(rng.standard_exponential(d) * width - width)).astype(int)
        noisy = true + np.rint(rng.normal(scale=rng.choice([1, 5, 20]), size=d)).astype(int)
        total = max(0, int(true.sum() + rng.integers(-20, 21) * rng.choice([0, 1, 3])))
        yield noisy.tolist(), total


def together(solve, families, **options):
    """All families at once, as a mechanism asks for them; the answers family by family."""
    noisy = np.concatenate([np.array(x, dtype=np.int64) for x, _ in families])
    starts = np.cumsum([0, *(len(x) for x, _ in families)])
    found = solve(noisy, starts, np.array([c for _, c in families]), **options)
    return [found[a:b].tolist() for a, b in pairwise(starts)]


@pytest.mark.parametrize(("smallest_first", "cases"), [(True, CASES), (False, CASES // 5)])
def test_the_closed_form_is_the_step_by_step_algorithm(smallest_first, cases):
    families = list(random_families(1 + smallest_first, cases))
    found = together(nearest_in_largest_error, families, smallest_first=smallest_first)
    for (noisy, total), values in zip(families, found, strict=True):
        assert values == step_by_step(noisy, total, smallest_first)


def distance(values, noisy):
    return max(abs(v - x) for v, x in zip(values, noisy, strict=True))


def test_it_is_as_near_as_an_integer_program_can_be():
    families = list(random_families(3, 300))
    best = together(nearest_by_integer_program, families)
    for smallest_first in (True, False):
        found = together(nearest_in_largest_error, families, smallest_first=smallest_first)
        for (noisy, total), values, other in zip(families, found, best, strict=True):
            assert min(values) >= 0
            assert sum(values) == sum(other) == total
            assert distance(values, noisy) == distance(other, noisy)


families = st.tuples(st.lists(st.integers(-50, 50), min_size=1, max_size=8), st.integers(0, 200))


@given(family=families)
def test_the_order_decides_which_numbers_turn_to_nothing(family):
    noisy, total = family
    ascending, descending = (
        together(nearest_in_largest_error, [family], smallest_first=first)[0]
        for first in (True, False)
    )
    assert distance(ascending, noisy) == distance(descending, noisy)
    assert ascending == step_by_step(noisy, total)


@given(family=families)
def test_in_squares_the_sum_is_kept_and_no_whole_neighbour_is_much_nearer(family):
    noisy, total = family
    (values,) = together(nearest_in_squares, [family])
    assert min(values) >= 0
    assert sum(values) == total
    real = real_projection(noisy, total)
    # Rounded by less than one, and then mended by at most one more.
    assert max(abs(v - r) for v, r in zip(values, real, strict=True)) <= 1.5 + 1e-9


def real_projection(noisy, total):
    """The simplex point by bisection on the shift."""
    low, high = -max(noisy) - 1.0, total - min(noisy) + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if sum(max(x + middle, 0) for x in noisy) < total:
            low = middle
        else:
            high = middle
    return [max(x + low, 0) for x in noisy]


def test_rounding_is_mended_at_the_smallest_and_at_the_largest():
    # In fractions 1⅔, 2⅔, 2⅔: rounded they are one too many, and the smallest gives it.
    assert together(nearest_in_squares, [([1, 2, 2], 7)]) == [[1, 3, 3]]
    # In fractions ⅓, 2⅓, 2⅓: one is missing, and a largest gets it.
    assert together(nearest_in_squares, [([1, 3, 3], 5)]) == [[0, 2, 3]]
