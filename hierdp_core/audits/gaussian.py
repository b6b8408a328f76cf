"""What noise priced in ρ allows: its exact (ε, δ(ε)) curve, and how far counts exceed it.

The formulas of the continuous Gaussian accuse correct discrete noise of small σ. The curve is that
of the account (`hierdp_core.privacy.losses`): of the whole numbers that the noise lives on, and the
largest over all shapes in which a record may move a level. Where a level has too many shapes to
list, the bound that ρ-zCDP implies takes its place: weaker, and right for any noise that keeps
that ρ.

Sources: Bun and Steinke 2016, Definition 1.1; Canonne, Kamath and Steinke 2020, Corollary 13.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hierdp_core.privacy import Sensitivity
from hierdp_core.privacy.losses import Part, composed, deltas_of_rho
from hierdp_core.privacy.shapes import Shape
from hierdp_core.util.arrays import FloatArray

_ROUND_OFF = 1e-9  # added to every bound from ρ: floats err by far less
_MOST_RHO = 100.0  # beyond it e^loss leaves the range of floats, and no count could tell
_POINTS = 400  # values of ε
_STEP = 1.02  # between the amounts of noise that are tried
_LEAST, _MOST = -300, 300  # powers of it: from 1/380 to 380 times the claimed ρ


@dataclass(frozen=True, kw_only=True)
class GaussianClaim:
    """Noise as a plan claims it, and how far one record moves what it is added to.

    Attributes:
        levels: for each Gaussian event σ² and its squared L2 sensitivity.
        l1: for each of them its L1 sensitivity; where left out, the square is the limit, which
            whole numbers never exceed.
        shapes: for each of them its shapes; where left out or empty, all within the two.
        geometric: for each other event the scale of its noise and its L1 sensitivity.
    """

    levels: tuple[tuple[float, int], ...]
    l1: tuple[int, ...] = ()
    shapes: tuple[tuple[Shape, ...], ...] = ()
    geometric: tuple[tuple[float, int], ...] = ()

    @property
    def rho(self) -> float:
        """The sum of both kinds; ε²/2 for geometric noise (Bun and Steinke 2016)."""
        return sum(distance / (2 * sigma2) for sigma2, distance in self.levels) + sum(
            (moved / scale) ** 2 / 2 for scale, moved in self.geometric
        )

    def with_rho_times(self, factor: float) -> "GaussianClaim":
        """Return the claim with so much less noise that ρ is `factor` times as large."""
        return GaussianClaim(
            levels=tuple((sigma2 / factor, distance) for sigma2, distance in self.levels),
            l1=self.l1,
            shapes=self.shapes,
            geometric=tuple((scale / math.sqrt(factor), moved) for scale, moved in self.geometric),
        )

    @property
    def parts(self) -> tuple[Part, ...] | None:
        """Every event's noise with its shapes; None where there are too many to list."""
        limits = self.l1 or tuple(distance for _, distance in self.levels)
        known = self.shapes or ((),) * len(self.levels)
        moves = [
            Sensitivity(l1=l1, l2_squared=squared, shapes=shapes).worst_shapes
            for (_, squared), l1, shapes in zip(self.levels, limits, known, strict=True)
        ]
        beside = [
            Sensitivity(l1=moved, l2_squared=moved**2).worst_shapes for _, moved in self.geometric
        ]
        if self.rho > _MOST_RHO or not all(moves + beside):
            return None
        gaussian = (
            Part(gaussian=True, noise=sigma2, shapes=shapes)
            for (sigma2, _), shapes in zip(self.levels, moves, strict=True)
        )
        geometric = (
            Part(gaussian=False, noise=scale, shapes=shapes)
            for (scale, _), shapes in zip(self.geometric, beside, strict=True)
        )
        return (*gaussian, *geometric)


@lru_cache(maxsize=512)
def curve(claim: GaussianClaim) -> tuple[FloatArray, FloatArray]:
    """(ε, δ(ε)): for a row of ε, from 0 up, a δ that noise as claimed never exceeds.

    Proved for every record that moves each event by at most its L1 and L2 sensitivity, whatever
    the shape on each level. With one shape per level δ is the least one, up to the grid's step.
    """
    parts, rho = claim.parts, claim.rho
    epsilons = np.linspace(0.0, min(rho + 6 * math.sqrt(2 * rho), 600.0), _POINTS)
    losses = None if parts is None else composed(parts)
    if losses is None:
        return epsilons, np.minimum(deltas_of_rho(rho, epsilons) + _ROUND_OFF, 1.0)
    return epsilons, losses.deltas(epsilons)


def rho_at_least(claim: GaussianClaim, low: float, high: float) -> float:
    """The ρ of the smallest noise of the claim's kind that the two probabilities contradict.

    It is above the claim's ρ only where `contradicts` says so of the claim itself.

    Args:
        claim: says the kind: how levels and cells share the noise.
        low: at most an event's probability on one table.
        high: at least its probability on the neighbour.
    """
    leaks = contradicts(claim, low, high)
    below, above = (0, _MOST) if leaks else (_LEAST, 0)
    if not leaks and not contradicts(claim.with_rho_times(_STEP**_LEAST), low, high):
        return 0.0
    while above - below > 1:
        middle = (below + above) // 2
        if contradicts(claim.with_rho_times(_STEP**middle), low, high):
            below = middle
        else:
            above = middle
    return float(claim.rho * _STEP**below)


def contradicts(claim: GaussianClaim, low: float, high: float) -> bool:
    """Is low − e^ε high above the claimed δ(ε) for some ε, or low above what ρ allows?"""
    epsilons, deltas = curve(claim)
    above_curve = bool((low - np.exp(epsilons) * high > deltas).any())
    return above_curve or low > most_likely(claim.rho, high)


def most_likely(rho: float, chance: float) -> float:
    """The highest probability that ρ-zCDP allows an event that has `chance` on the neighbour.

    The Rényi divergence of every order α, of the event and of its complement, is at most α ρ:
    exp(−(√ln(1/x) − √ρ)²) and 1 − exp(−(√ln(1/(1 − x)) + √ρ)²), minimised over the order.

    Source: Bun and Steinke 2016, Definition 1.1 and Lemma 2.2 (post-processing).

    >>> round(most_likely(0.5, 0.1), 3), most_likely(0.5, 0.0), most_likely(0.5, 1.0)
    (0.519, 0.0, 1.0)
    """
    if chance <= 0 or chance >= 1:
        return float(chance > 0)
    root, far = math.sqrt(rho), math.sqrt(-math.log(chance))
    grown = math.exp(-((far - root) ** 2)) if far > root else 1.0
    shrunk = -math.expm1(-((math.sqrt(-math.log1p(-chance)) + root) ** 2))
    return min(1.0, min(grown, shrunk) + _ROUND_OFF)
