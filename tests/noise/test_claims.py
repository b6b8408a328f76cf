"""No cell receives noise twice, and cells in ascending order receive it."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierdp_core.exceptions import BudgetError, ReleaseError
from hierdp_core.noise import exact
from hierdp_core.noise.claims import Claims
from hierdp_core.noise.exact import ExactNoise
from hierdp_core.noise.laws import Cells
from hierdp_core.privacy import GeometricEvent

EVENT = GeometricEvent(level=1, query="counts", l1_sensitivity=1, scale=Fraction(1))
OTHERS = (
    GeometricEvent(level=2, query="counts", l1_sensitivity=1, scale=Fraction(1)),
    GeometricEvent(level=1, query="sizes", l1_sensitivity=1, scale=Fraction(1)),
)


def cells_of(first: int, counts: dict[int, int]) -> Cells:
    """Return cells of several regions, from the place `first` on in each."""
    starts = np.concatenate([[0], np.cumsum(list(counts.values()))])
    return Cells(regions=np.array(list(counts)), starts=starts, first=first)


def places(cells: Cells) -> list[tuple[int, int]]:
    """Return the region and place of every cell."""
    return [
        (int(region), cells.first + k)
        for region, n in zip(cells.regions, np.diff(cells.starts), strict=True)
        for k in range(int(n))
    ]


CLAIMS = st.builds(
    lambda first, counts: cells_of(first, dict(counts)),
    st.integers(0, 3),
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=3),
)


@given(st.lists(CLAIMS, max_size=6))
def test_accepted_cells_never_overlap(asked: list[Cells]) -> None:
    claims, given_noise = Claims(), set()
    for cells in asked:
        try:
            claims.claim(EVENT, (int(cells.starts[-1]),), cells)
        except RuntimeError:
            continue
        assert given_noise.isdisjoint(places(cells))
        given_noise.update(places(cells))


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=3),
        max_size=4,
    )
)
def test_regions_in_ascending_order_are_accepted(steps: list[list[tuple[int, int]]]) -> None:
    claims, region = Claims(), -1
    for step in steps:
        counts = {}
        for apart, n in step:
            region += apart
            counts[region] = n
        cells = cells_of(0, counts)
        assert claims.claim(EVENT, (int(cells.starts[-1]),), cells) is cells


def test_further_cells_of_the_last_region_follow() -> None:
    claims = Claims()
    claims.claim(EVENT, (7,), cells_of(2, {0: 4, 5: 3}))
    for first in (0, 2, 4):
        with pytest.raises(RuntimeError, match="received noise before"):
            claims.claim(EVENT, (1,), cells_of(first, {5: 1}))
    claims.claim(EVENT, (2,), cells_of(5, {5: 2}))
    with pytest.raises(RuntimeError, match="received noise before"):
        claims.claim(EVENT, (1,), cells_of(6, {5: 1}))
    claims.claim(EVENT, (1,), cells_of(7, {5: 1}))


def test_regions_are_refused_if_one_pair_is_out_of_order() -> None:
    cells = Cells(regions=np.array([1, 4, 3]), starts=np.arange(4))
    with pytest.raises(RuntimeError, match="received noise before"):
        Claims().claim(EVENT, (3,), cells)


def test_without_cells_the_following_ones_are_used() -> None:
    claims = Claims()
    assert places(claims.claim(EVENT, (2, 3), None)) == [(0, k) for k in range(6)]
    assert places(claims.claim(EVENT, (2,), None)) == [(0, 6), (0, 7)]
    for other in OTHERS:
        assert places(claims.claim(other, (1,), None)) == [(0, 0)]


def test_no_cells_at_all_may_be_requested() -> None:
    claims, none = Claims(), Cells(regions=np.zeros(0, dtype=int), starts=np.zeros(1, dtype=int))
    assert claims.claim(EVENT, (0,), none) is none
    assert places(claims.claim(EVENT, (1,), None)) == [(0, 0)]


def test_a_shape_that_is_not_that_of_the_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="3 numbers, but there are 7 cells"):
        Claims().claim(EVENT, (3,), cells_of(0, {0: 3, 1: 1, 2: 3}))


def test_exact_noise_is_refused_where_the_library_or_the_law_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(2**70))
    with pytest.raises(BudgetError, match="largest that can be sampled"):
        ExactNoise([wide])
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(ReleaseError, match=r"OpenDP, the library that samples .* Install it"):
        exact.noise_source()


@pytest.mark.parametrize(
    "sigma2", [Fraction(1), Fraction(4), Fraction(1, 4), Fraction(2), Fraction(10, 3)]
)
def test_a_deviation_is_the_least_float_whose_square_is_enough(sigma2: Fraction) -> None:
    deviation = exact._sigma(sigma2)
    assert Fraction(deviation) ** 2 >= sigma2
    assert Fraction(float(np.nextafter(deviation, 0))) ** 2 < sigma2
