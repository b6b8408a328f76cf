"""Two kinds of integer noise, computed for each cell from random words of its own."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numba import njit

from hierdp_core.noise.philox import philox
from hierdp_core.util.arrays import IntArray

_ONE, _TO_BLOCK, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)
# A counter has room for 2^56 cells of a region, and for 2^8 blocks of two tries for each cell.
# More than half of all tries succeed.
_TRIES_SHIFT = np.uint64(56)
_BLOCKS_OF_TRIES = 256
_UNIT, _HALF_UNIT = 2.0**-64, 2.0**-63


class Stream(NamedTuple):
    """The source of all random numbers for one query at one level in one simulation.

    From it, Philox computes 64-bit random numbers ("words"), and each cell uses words of its own.

    Attributes:
        key_0, key_1: the two halves of a 128-bit key, which follows from the seed.
        name: a number that stands for the level and the query.
        run: the index of the simulation.
    """

    key_0: np.uint64
    key_1: np.uint64
    name: np.uint64
    run: np.uint64


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """The places of the numbers that receive noise, region by region.

    Attributes:
        regions: the index of each region, at least 0; shape (n,).
        starts: where the cells of each region start in the sequence of all these cells, and the
            number of them all; shape (n + 1,).
        first: the place within its region of the first of these cells; the same for all regions.
    """

    regions: IntArray
    starts: IntArray
    first: int = 0

    @staticmethod
    def of_rows(regions: IntArray) -> "Cells":
        """Return the first cell of each region."""
        return Cells(regions=regions, starts=np.arange(len(regions) + 1))

    @staticmethod
    def of_region(region: int, n: int, *, first: int = 0) -> "Cells":
        """Return `n` cells of one region, from the place `first` on."""
        return Cells(regions=np.array([region]), starts=np.array([0, n]), first=first)


def double_geometric(stream: Stream, scale: Fraction | float, cells: Cells) -> IntArray:
    """Return noise with P(k) = (1−q)/(1+q) q^|k|, q = exp(−1/scale): two-sided geometric noise.

    The noise K is computed by inversion. One word of 64 bits gives its sign and V, uniform in
    (0, 1). |K| ≥ k if and only if V < 2 q^k / (1 + q), so |K| = ⌊scale · ln(2 / ((1 + q) V))⌋.
    The distribution is exact up to the rounding of float64. It is cut off about 44 scales from 0,
    beyond which its probability is about 2⁻⁶⁴.

    Returns:
        shape (cells.starts[-1],), int64.
    """
    rate = 1 / float(scale)
    lift = -math.log1p(math.expm1(-rate) / 2)
    noise = np.empty(int(cells.starts[-1]), dtype=np.int64)
    places = (cells.regions, cells.starts, cells.first)
    _geometric(*stream, float(scale), lift, *places, noise)
    return noise


def discrete_gaussian(stream: Stream, sigma2: Fraction | float, cells: Cells) -> IntArray:
    """Return discrete Gaussian noise, P(k) ∝ exp(−k² / 2σ²), by rejection sampling.

    The proposals are two-sided geometric, in floating point.

    Source: Canonne, Kamath and Steinke 2020, Algorithm 3.

    Returns:
        shape (cells.starts[-1],), int64.
    """
    variance = float(sigma2)
    scale = float(math.floor(math.sqrt(variance)) + 1)
    lift = -math.log1p(math.expm1(-1 / scale) / 2)
    noise = np.empty(int(cells.starts[-1]), dtype=np.int64)
    places = (cells.regions, cells.starts, cells.first)
    _gaussian(*stream, scale, lift, variance, *places, noise)
    return noise


@njit(cache=True, nogil=True)
def _geometric(  # type: ignore[no-untyped-def]
    key_0, key_1, name, index, scale, lift, regions, starts, first, noise
):
    for r in range(len(regions)):
        region = np.uint64(regions[r])
        cell = np.uint64(first)
        block = cell >> _TO_BLOCK
        words = philox(key_0, key_1, (block, region, name, index))
        for i in range(starts[r], starts[r + 1]):
            if cell >> _TO_BLOCK != block:
                block = cell >> _TO_BLOCK
                words = philox(key_0, key_1, (block, region, name, index))
            noise[i] = _one_geometric(words[cell & _THREE], scale, lift)
            cell += _ONE


@njit(cache=True, nogil=True)
def _gaussian(  # type: ignore[no-untyped-def]
    key_0, key_1, name, index, scale, lift, variance, regions, starts, first, noise
):
    for r in range(len(regions)):
        region, cell = np.uint64(regions[r]), np.uint64(first)
        for i in range(starts[r], starts[r + 1]):
            noise[i] = _one_gaussian(key_0, key_1, cell, region, name, index, scale, lift, variance)
            cell += _ONE


@njit(cache=True, nogil=True)
def _one_gaussian(  # type: ignore[no-untyped-def]
    key_0, key_1, cell, region, name, index, scale, lift, variance
):
    for block in range(_BLOCKS_OF_TRIES):
        counter = cell | np.uint64(block) << _TRIES_SHIFT
        words = philox(key_0, key_1, (counter, region, name, index))
        for k in (0, 2):
            proposed = _one_geometric(words[k], scale, lift)
            away = abs(proposed) - variance / scale
            uniform = (np.float64(words[k + 1]) + 0.5) * _UNIT
            if uniform < math.exp(-away * away / (2 * variance)):
                return proposed
    return 0


@njit(cache=True, nogil=True)
def _one_geometric(word, scale, lift):  # type: ignore[no-untyped-def]
    uniform = (np.float64(word >> _ONE) + 0.5) * _HALF_UNIT
    size = np.int64((lift - math.log(uniform)) * scale)
    return -size if word & _ONE else size
