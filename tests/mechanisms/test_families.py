"""Dividing the total of a family over noisy counts: IntOpt and its alternatives."""

from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from support.slow_families import step_by_step

from hierdp_core.exceptions import SolverError
from hierdp_core.solvers.chebyshev import (
    least_largest_error,
    nearest_by_integer_program,
    nearest_in_largest_error,
)
from hierdp_core.solvers.simplex import nearest_in_squares

CASES = 20_000


def random_families(seed, cases):
    """Short and long families, small and large counts, totals near the sum and far from it."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        d = int(rng.integers(1, 40)) if rng.random() < 0.9 else int(rng.integers(40, 120))
        width = rng.choice([2, 6, 30])
        true = np.maximum(0, np.rint(rng.standard_exponential(d) * width - width)).astype(int)
        noisy = true + np.rint(rng.normal(scale=rng.choice([1, 5, 20]), size=d)).astype(int)
        total = max(0, int(true.sum() + rng.integers(-20, 21) * rng.choice([0, 1, 3])))
        yield noisy.tolist(), total


def together(solve, families, **options):
    """The answers for all families in one call, as in a mechanism, family by family."""
    noisy = np.concatenate([np.array(x, dtype=np.int64) for x, _ in families])
    starts = np.cumsum([0, *(len(x) for x, _ in families)])
    found = solve(noisy, starts, np.array([c for _, c in families]), **options)
    return [found[a:b].tolist() for a, b in pairwise(starts)]


@pytest.mark.slow
@pytest.mark.parametrize(("smallest_first", "cases"), [(True, CASES), (False, CASES // 5)])
def test_the_closed_form_is_the_step_by_step_algorithm(smallest_first, cases):
    families = list(random_families(1 + smallest_first, cases))
    found = together(nearest_in_largest_error, families, smallest_first=smallest_first)
    for (noisy, total), values in zip(families, found, strict=True):
        assert values == step_by_step(noisy, total, smallest_first)


def distance(values, noisy):
    return max(abs(v - x) for v, x in zip(values, noisy, strict=True))


@pytest.mark.slow
def test_it_is_as_near_as_an_integer_program_can_be():
    families = list(random_families(3, 300))
    best = together(nearest_by_integer_program, families)
    for smallest_first in (True, False):
        found = together(nearest_in_largest_error, families, smallest_first=smallest_first)
        for (noisy, total), values, other in zip(families, found, best, strict=True):
            assert min(values) >= 0
            assert sum(values) == sum(other) == total
            assert distance(values, noisy) == distance(other, noisy)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=4), st.integers(0, 9))
def test_the_least_largest_error_is_that_of_all_splits(noisy, total):
    splits = (s for s in product(range(total + 1), repeat=len(noisy)) if sum(s) == total)
    best = min(distance(split, noisy) for split in splits)
    assert least_largest_error(np.array(noisy), total) == best


def test_the_integer_program_is_exact_on_large_numbers():
    rng = np.random.default_rng(8)
    for scale in (10**4, 10**6, 10**8, 10**9):
        for _ in range(15):
            d = int(rng.integers(2, 12))
            noisy = rng.integers(-scale // 2, scale, size=d)
            total = max(0, int(noisy.sum() + rng.integers(-scale, scale)))
            (values,) = together(nearest_by_integer_program, [(noisy.tolist(), total)])
            assert sum(values) == total
            assert min(values) >= 0
            (own,) = together(nearest_in_largest_error, [(noisy.tolist(), total)])
            assert distance(values, noisy) == distance(own, noisy)


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ([6.0, 4.0, 1.0], 0, "lowest possible"),  # feasible, one unit too far
        ([5.0, 4.0, 1.0], 0, "infeasible"),
        ([11.0, -1.0, 1.0], 0, "infeasible"),
        ([5.0, 5.0, 0.0], 1, "did not solve"),  # optimal, but not proved to be
        (None, 2, "did not solve"),
    ],
)
def test_an_answer_of_the_solver_is_verified(monkeypatch, answer, status, words):
    asked = {}

    def solver(*args, **options):
        asked.update(options)
        return SimpleNamespace(x=None if answer is None else np.array(answer), status=status)

    monkeypatch.setattr(optimize, "milp", solver)
    with pytest.raises(SolverError, match=words):
        together(nearest_by_integer_program, [([5, 5], 10)])
    assert asked["options"] == {"mip_rel_gap": 0}


families = st.tuples(st.lists(st.integers(-50, 50), min_size=1, max_size=8), st.integers(0, 200))


@given(family=families)
def test_the_order_determines_which_numbers_become_zero(family):
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
    # Rounding changes a count by less than one, and the correction by at most one more.
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


def test_rounding_is_corrected_at_the_smallest_and_at_the_largest():
    # In fractions 1⅔, 2⅔, 2⅔: rounded, the sum is one too large, and the smallest is reduced.
    assert together(nearest_in_squares, [([1, 2, 2], 7)]) == [[1, 3, 3]]
    # In fractions ⅓, 2⅓, 2⅓: after rounding, one is missing, and a largest is increased.
    assert together(nearest_in_squares, [([1, 3, 3], 5)]) == [[0, 2, 3]]
