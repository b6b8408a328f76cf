"""Seeded noise never changes: the numbers of two areas, across blocks of random words.

Their distribution is tested in `test_noise.py`, and that they depend on seed, area and cell alone.
"""

from fractions import Fraction

import numpy as np
import pytest

from hierdp_core.noise import Cells, SeededNoise
from hierdp_core.privacy import Event, GaussianEvent, GeometricEvent

CELLS = Cells(regions=np.array([2, 5]), starts=np.array([0, 6, 11]), first=3)
GEOMETRIC = GeometricEvent(level=1, query="q", l1_sensitivity=1, scale=Fraction(1000))
GAUSSIAN = GaussianEvent(level=1, query="q", l2_sensitivity_squared=1, sigma2=Fraction(10**6))


@pytest.mark.parametrize(
    ("event", "numbers"),
    [
        (GEOMETRIC, [998, -688, 95, -969, -174, -541, -779, 1469, -24, -3906, -761]),
        (GAUSSIAN, [1917, -258, -1348, -233, -183, -1108, -1613, -130, -1228, 421, -160]),
    ],
)
def test_the_numbers_of_a_seed_stay_the_same(event: Event, numbers: list[int]) -> None:
    assert SeededNoise(7, index=2).draw(event, (11,), CELLS).tolist() == numbers


@pytest.mark.parametrize("event", [GEOMETRIC, GAUSSIAN])
def test_each_area_has_its_own_numbers_from_the_first_cell_on(event: Event) -> None:
    together = SeededNoise(7, index=2).draw(event, (11,), CELLS).tolist()
    alone = [
        SeededNoise(7, index=2).draw(event, (9,), Cells.of_region(region, 9)).tolist()
        for region in (2, 5)
    ]
    assert together == [*alone[0][3:9], *alone[1][3:8]]


def test_wide_gaussian_noise_uses_every_pair_of_words() -> None:
    cells = Cells.of_region(0, 4000)
    drawn = SeededNoise(1).draw(GAUSSIAN, (4000,), cells)
    assert abs(drawn.mean()) < 5 * 1000 / np.sqrt(4000)
    assert drawn.std() == pytest.approx(1000, rel=0.06)
    assert (drawn == 0).sum() < 20
