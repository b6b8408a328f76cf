"""The rows of a rising tree: their regressions start from the pools of the call before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import families

from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.rising_program import Program

WIDTHS = np.array([1.0, 3.0, 1.0, 1.0, 2.0, 1.0, 5.0, 1.0])
HIGHEST = np.array([np.inf, 6.0, 0.0, np.inf, 9.0])


def program_of(targets):
    tree = families(2, 3)
    slack = np.ones((3, len(WIDTHS)))
    return Program(tree, targets, slack, HIGHEST, WIDTHS)


def regressed(program, multipliers):
    leaves = np.empty(program.below.shape)
    residual = program.residual_at(program.paths(multipliers), leaves)
    pools = [
        [(begin, end) for begin, end in zip([0, *row], row, strict=False)][first:stop]
        for row, first, stop in zip(
            (row[:n].tolist() for row, n in zip(program.pool_end, program.n_pools, strict=True)),
            *program.free.T,
            strict=True,
        )
    ]
    return residual, leaves, pools


@given(st.lists(st.integers(0, 2**32), min_size=2, max_size=5), st.sampled_from([0.1, 3.0, 50.0]))
def test_earlier_pools_change_nothing(seeds, size):
    targets = np.random.default_rng(seeds[0]).normal(3, 4, (8, len(WIDTHS)))
    used = program_of(targets)
    for seed in seeds:
        multipliers = np.random.default_rng(seed).normal(0, size, (3, len(WIDTHS)))
        after, rows, pools = regressed(used, multipliers)
        fresh, own_rows, own_pools = regressed(program_of(targets), multipliers)
        assert np.allclose(rows, own_rows, atol=1e-9, rtol=1e-12)
        assert np.allclose(after, fresh, atol=1e-9, rtol=1e-12)
        assert pools == own_pools


@pytest.mark.parametrize("turns", [1, 2])
def test_rows_are_the_isotonic_regressions_between_their_bounds(turns):
    rng = np.random.default_rng(0)
    targets, multipliers = rng.normal(3, 4, (8, len(WIDTHS))), rng.normal(0, 2, (3, len(WIDTHS)))
    program = program_of(targets)
    for _ in range(turns):
        _, rows, pools = regressed(program, multipliers)
    above = multipliers[[1, 1, 2, 2, 2]] + multipliers[0]
    cells = np.repeat(targets[3:] - above, WIDTHS.astype(int), axis=1)  # a cell of each width 1
    expected = np.clip(isotonic_rows(cells), 0, HIGHEST[:, None])
    assert np.allclose(np.repeat(rows, WIDTHS.astype(int), axis=1), expected)
    for row, listed, highest in zip(rows, pools, HIGHEST, strict=True):
        free = [(begin, end) for begin, end in listed if begin < end]
        assert free == listed
        for begin, end in listed:
            assert np.ptp(row[begin:end]) == 0
            assert 0 < row[begin] < highest
    assert any(pools)
    assert not pools[2]  # its bound is 0
