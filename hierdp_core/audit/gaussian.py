"""The exact (ε, δ(ε)) curve of discrete Gaussian noise, and how far counts push it up.

The formulas of the continuous Gaussian accuse correct discrete noise of small σ. Here the
loss is summed over the whole numbers that the noise lives on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hierdp_core.arrays import FloatArray
from hierdp_core.privacy import GaussianEvent

_TAIL = 13.0  # standard deviations kept on each side; what is beyond weighs below 1e-37
_GRID = 1 << 16  # steps of the loss when levels are put together; each is rounded up
_STEP = 1.02  # between the amounts of noise that are tried
_LEAST, _MOST = -300, 300  # powers of it: from 1/380 to 380 times the claimed ρ


@dataclass(frozen=True, kw_only=True)
class GaussianClaim:
    """Noise as a plan claims it: for each level σ² and the squared distance it must cover."""

    levels: tuple[tuple[float, int], ...]

    @property
    def rho(self) -> float:
        return sum(distance / (2 * sigma2) for sigma2, distance in self.levels)

    def with_rho_times(self, factor: float) -> "GaussianClaim":
        """The same with so much less noise that ρ is `factor` times as large."""
        return GaussianClaim(levels=tuple((s / factor, d) for s, d in self.levels))


def claim_of(events: Sequence[GaussianEvent], distances: Sequence[int]) -> GaussianClaim:
    """What `events` claim when one record moves each level by at most these, squared."""
    return GaussianClaim(
        levels=tuple(
            (float(event.sigma2), distance)
            for event, distance in zip(events, distances, strict=True)
        )
    )


@lru_cache(maxsize=512)
def curve(claim: GaussianClaim) -> tuple[FloatArray, FloatArray]:
    """(ε, δ(ε)): the least δ for each of a row of ε, from 0 up.

    The record may move one cell far, two cells, or many cells by one, as the distance
    allows; the largest δ of these holds. δ is rounded up, by less than the grid's step.
    """
    rho = claim.rho
    top = rho + 6 * math.sqrt(2 * rho)
    epsilons = np.linspace(0.0, top, 400)
    worst = np.zeros_like(epsilons)
    for cells in (None, 1, 2):
        moves = [_moves(distance, cells) for _, distance in claim.levels]
        if all(move is not None for move in moves):
            losses = _losses([(s, *m) for (s, _), m in zip(claim.levels, moves, strict=True) if m])
            worst = np.maximum(worst, _deltas(*losses, epsilons))
    return epsilons, worst


def rho_at_least(claim: GaussianClaim, low: float, high: float) -> float:
    """The ρ of the least noise of the claim's shape that the two probabilities contradict.

    Args:
        claim: says the shape: how levels and cells share the noise.
        low: at most an event's probability on one table.
        high: at least its probability on the neighbour.
    """
    if not contradicts(claim.with_rho_times(_STEP**_LEAST), low, high):
        return 0.0
    below, above = _LEAST, _MOST
    while above - below > 1:
        middle = (below + above) // 2
        if contradicts(claim.with_rho_times(_STEP**middle), low, high):
            below = middle
        else:
            above = middle
    return float(claim.rho * _STEP**below)


def contradicts(claim: GaussianClaim, low: float, high: float) -> bool:
    """Is low − e^ε high above the claimed δ(ε) for some ε?"""
    epsilons, deltas = curve(claim)
    return bool((low - np.exp(epsilons) * high > deltas).any())


def _moves(distance: int, cells: int | None) -> tuple[int, int] | None:
    """(cells, by how much each): all by one where `cells` is None; None where it cannot be."""
    if cells is None:
        return distance, 1
    each = math.isqrt(distance // cells)
    return (cells, each) if cells * each**2 == distance else None


def _losses(levels: Sequence[tuple[float, int, int]]) -> tuple[FloatArray, FloatArray]:
    """The law of the privacy loss of all levels: (losses, their probabilities)."""
    rho = sum(cells * move**2 / (2 * sigma2) for sigma2, cells, move in levels)
    half = rho + _TAIL * math.sqrt(2 * rho) + max(m**2 / s for s, _, m in levels)
    step = 2 * half / _GRID
    transform = np.ones(_GRID // 2 + 1, dtype=np.complex128)
    for sigma2, cells, move in levels:
        noise, chance = _sum_of_noise(sigma2, cells)
        loss = (cells * move**2 - 2 * move * noise) / (2 * sigma2)
        place = np.ceil(loss / step - 1e-9).astype(np.int64)
        inside = np.abs(place) <= _GRID // 2
        one = np.bincount(place[inside] % _GRID, weights=chance[inside], minlength=_GRID)
        transform *= np.fft.rfft(one)
    law = np.maximum(np.fft.irfft(transform, _GRID), 0.0).astype(np.float64)
    places = np.arange(_GRID)
    losses: FloatArray = np.where(places > _GRID // 2, places - _GRID, places) * step
    return losses, law


def _sum_of_noise(sigma2: float, cells: int) -> tuple[FloatArray, FloatArray]:
    """The law of the sum of so many independent discrete Gaussians."""
    reach = math.ceil(_TAIL * math.sqrt(sigma2)) + 1
    one = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * sigma2))
    law = one / one.sum()
    size = cells * 2 * reach + 1
    total = np.maximum(np.fft.irfft(np.fft.rfft(law, size) ** cells, size), 0.0)
    noise = np.arange(size, dtype=np.float64) - cells * reach
    return np.asarray(noise, dtype=np.float64), np.asarray(total, dtype=np.float64)


def _deltas(losses: FloatArray, law: FloatArray, epsilons: FloatArray) -> FloatArray:
    order = np.argsort(losses)
    loss, chance = losses[order], law[order]
    above = np.concatenate([np.cumsum(chance[::-1])[::-1], [0.0]])
    # e^−loss of the far negative side is never asked for: ε is at least 0.
    weighted = np.where(loss > 0, chance * np.exp(-np.maximum(loss, 0)), 0.0)
    below = np.concatenate([np.cumsum(weighted[::-1])[::-1], [0.0]])
    first = np.searchsorted(loss, epsilons, side="right")
    deltas: FloatArray = np.maximum(above[first] - np.exp(epsilons) * below[first], 0.0)
    return deltas
