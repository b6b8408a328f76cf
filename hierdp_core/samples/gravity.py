"""Commuting by a gravity model, which depends on the people of municipalities and on distances.

The number of commuters of a municipality is in proportion to its people. The proportion of them
that stays within the municipality is

    LEAST + (1 − LEAST) √people / (√people + √HALFWAY),

a quarter in a village and nine in ten in the largest city. The others go to municipality j with a
probability proportional to

    people_j^(3/2) × odds² / (1 + distance / REACH)⁶,

where the odds are random between 1/9 and 9 for each pair. REACH and HALFWAY were chosen so that, in
Italy, about 500,000 pairs have a commuter and nearly three in five commuters stay.

The computation uses only operations that every machine rounds in the same way: + − × ÷, roots, and
sums of integers.
"""

from collections.abc import Iterator

import numpy as np

from hierdp_core.samples.chance import Uniforms
from hierdp_core.util.arrays import FloatArray, IntArray

REACH = 12.5  # kilometres
LEAST = 0.15
HALFWAY = 25_600  # people
_BLOCK = 128  # origins that are processed at a time
_UNIT = 2.0**39  # the largest weight of a row as an integer; sums of 8,092 stay below 2^53
_KM_A_DEGREE = 111.2


def plane(lat: FloatArray, lon: FloatArray) -> FloatArray:
    """Return kilometres east and north of the middle of Italy, accurate to 1% over a commute.

    The width of a degree of longitude is that at each place's own latitude. The cosine is computed
    by its series.

    Args:
        lat: degrees, shape (n,).
        lon: degrees, shape (n,).

    Returns:
        shape (n, 2).
    """
    square = (lat * (3.141592653589793 / 180)) ** 2
    cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
    return np.column_stack([(lon - 12.5) * cosine, lat - 42.0]) * _KM_A_DEGREE


def leaving_home(total: int, people: IntArray) -> IntArray:
    """Return integers that add up to `total`, in proportion to `people`, shape (n,)."""
    ends = np.cumsum(people)
    return np.diff(np.concatenate([[0], ends * total // ends[-1]]))


def staying(commuters: IntArray, people: IntArray) -> IntArray:
    """Return the numbers of `commuters` who stay within their municipality, shape (n,)."""
    root = np.sqrt(people.astype(np.float64))
    share = LEAST + (1 - LEAST) * root / (root + np.sqrt(np.float64(HALFWAY)))
    return np.asarray(np.floor(commuters * share).astype(np.int64))


def flows(total: int, people: IntArray, points: FloatArray, *, seed: int) -> Iterator[IntArray]:
    """Yield the flows above 0 as rows (origin, destination, commuters), some origins at a time.

    Each flow is the model's flow rounded up or down at random. The total of an origin stays exact,
    and small flows are unbiased.

    Args:
        total: the total number of commuters.
        people: shape (n,), at least 1 each.
        points: kilometres on a plane, shape (n, 2).
        seed: the seed of its random numbers.
    """
    uniforms, n = Uniforms(seed), len(people)
    commuters = leaving_home(total, people)
    home = staying(commuters, people) if n > 1 else commuters
    attraction = people * np.sqrt(people.astype(np.float64))
    for start in range(0, n, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, n))
        weights = _pull(points[rows], points, uniforms) * attraction
        weights[np.arange(len(rows)), rows] = 0
        parts = _shared(commuters[rows] - home[rows], weights, uniforms)
        parts[np.arange(len(rows)), rows] = home[rows]
        at, destination = np.nonzero(parts)
        yield np.column_stack([rows[at], destination, parts[at, destination]])


def _pull(origins: FloatArray, points: FloatArray, uniforms: Uniforms) -> FloatArray:
    """Return the squared odds divided by the decay with distance, shape (origins, n)."""
    east = origins[:, :1] - points[:, 0]
    north = origins[:, 1:] - points[:, 1]
    far = 1 + np.sqrt(east * east + north * north) / REACH
    chance = 0.1 + 0.8 * uniforms(far.size).reshape(far.shape)
    odds = chance / (1 - chance)
    return np.asarray(odds * odds / (far * far * far * far * far * far))


def _shared(totals: IntArray, weights: FloatArray, uniforms: Uniforms) -> IntArray:
    """Return each row's total divided into integers in proportion to its weights."""
    largest = np.maximum(weights.max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    ends = np.cumsum(np.floor(weights / largest * _UNIT).astype(np.int64), axis=1)
    marks = ends * (totals / np.maximum(ends[:, -1], 1))[:, None] + uniforms(len(totals))[:, None]
    marks = np.minimum(np.floor(marks), totals[:, None])  # rounding may go above
    return np.asarray(np.diff(marks.astype(np.int64), axis=1, prepend=0))
