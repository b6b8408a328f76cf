"""Noise from chosen random words, and from words computed separately."""

import math
from fractions import Fraction

import numpy as np
import pytest

from hierdp_core.noise import Cells
from hierdp_core.noise.claims import Claims
from hierdp_core.noise.laws import (
    Stream,
    _one_geometric,
    discrete_gaussian,
    double_geometric,
)
from hierdp_core.noise.philox import philox
from hierdp_core.privacy import GeometricEvent

STREAM = Stream(
    key_0=np.uint64(11), key_1=np.uint64(2**60), name=np.uint64(5**20), run=np.uint64(3)
)
EVENT = GeometricEvent(level=1, query="q", l1_sensitivity=1, scale=Fraction(1))


def words_of(counter: int, region: int) -> list[int]:
    place = (np.uint64(counter), np.uint64(region), STREAM.name, STREAM.run)
    return [int(word) for word in philox(STREAM.key_0, STREAM.key_1, place)]


def geometric(word: int, scale: float) -> int:
    uniform = ((word >> 1) + 0.5) * 2.0**-63
    size = int((math.log(2 / (1 + math.exp(-1 / scale))) - math.log(uniform)) * scale)
    return -size if word & 1 else size


@pytest.mark.parametrize(("word", "sign"), [(0, 1), (1, -1)])
def test_the_smallest_random_word_gives_the_largest_noise(word: int, sign: int) -> None:
    # A uniform number of 2⁻⁶⁴: not 0, whose logarithm is infinite.
    assert _one_geometric(np.uint64(word), 1000.0, 0.0) == sign * math.floor(64_000 * math.log(2))


def test_geometric_noise_takes_one_word_per_cell() -> None:
    cells = Cells.of_region(4, 23, first=6)
    expected = [geometric(words_of(cell >> 2, 4)[cell & 3], 70.5) for cell in range(6, 29)]
    assert double_geometric(STREAM, 70.5, cells).tolist() == expected


def test_gaussian_noise_takes_two_words_per_try_and_further_blocks() -> None:
    variance, n = 1700.0, 300
    scale, blocks = math.floor(math.sqrt(variance)) + 1, 0
    expected = []
    for cell in range(n):
        accepted: list[int] = []
        block = 0
        while not accepted:
            words = words_of(cell | block << 56, 9)
            for k in (0, 2):
                proposed = geometric(words[k], scale)
                away = abs(proposed) - variance / scale
                if words[k + 1] * 2.0**-64 < math.exp(-away * away / (2 * variance)):
                    accepted.append(proposed)
            block += 1
        blocks = max(blocks, block)
        expected.append(accepted[0])
    assert discrete_gaussian(STREAM, variance, Cells.of_region(9, n)).tolist() == expected
    assert blocks > 2


def test_a_region_before_the_last_one_is_refused_among_later_ones() -> None:
    claims = Claims()
    claims.claim(EVENT, (1,), Cells.of_region(5, 1))
    both = Cells(regions=np.array([2, 7]), starts=np.array([0, 1, 2]))
    with pytest.raises(RuntimeError, match="received noise before"):
        claims.claim(EVENT, (2,), both)
