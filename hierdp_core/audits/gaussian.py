"""The exact curve (ε, δ(ε)) of Gaussian noise, and whether counts of an event contradict it.

The formulas of continuous Gaussian noise would find leaks in correct discrete noise with a small σ.
The curve is therefore that of discrete noise (`hierdp_core.privacy.losses`). It is the largest over
all shapes, the lists of changes that a record may make to the numbers of a level. If a level has
too many shapes to list, the weaker bound that ρ-zCDP implies is used. It is valid for any noise
with this ρ.

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

_ROUND_OFF = 1e-9  # added to every bound from ρ; rounding errors of floats are far smaller
_MOST_RHO = 100.0  # above it e^loss leaves the range of floats, and no count could show a leak
_POINTS = 400  # values of ε on a curve
_STEP = 1.02  # factor between the values of ρ that are tried
_LEAST, _MOST = -300, 300  # powers of this factor: from 1/380 to 380 times the claimed ρ


@dataclass(frozen=True, kw_only=True)
class GaussianClaim:
    """The noise of a plan and the sensitivities that the plan claims.

    Attributes:
        levels: σ² and the squared L2 sensitivity of each Gaussian event.
        l1: the L1 sensitivity of each of them. If left out, the squared L2 sensitivity is used,
            which the L1 distance of integers never exceeds.
        shapes: the shapes of each of them. If left out or empty, all within both sensitivities.
        geometric: the scale of the noise and the L1 sensitivity of each geometric event.
    """

    levels: tuple[tuple[float, int], ...]
    l1: tuple[int, ...] = ()
    shapes: tuple[tuple[Shape, ...], ...] = ()
    geometric: tuple[tuple[float, int], ...] = ()

    @property
    def rho(self) -> float:
        """The ρ of all events; for geometric noise ε²/2 (Bun and Steinke 2016, Proposition 1.4)."""
        return sum(distance / (2 * sigma2) for sigma2, distance in self.levels) + sum(
            (moved / scale) ** 2 / 2 for scale, moved in self.geometric
        )

    def with_rho_times(self, factor: float) -> "GaussianClaim":
        """Return the claim with the noise scaled so that ρ is `factor` times as large."""
        return GaussianClaim(
            levels=tuple((sigma2 / factor, distance) for sigma2, distance in self.levels),
            l1=self.l1,
            shapes=self.shapes,
            geometric=tuple((scale / math.sqrt(factor), moved) for scale, moved in self.geometric),
        )

    @property
    def parts(self) -> tuple[Part, ...] | None:
        """Noise and shapes of every event; None if there are too many shapes, or ρ is above 100."""
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
    """Return values of ε from 0 up, and for each a bound on δ(ε) for the claimed noise.

    The bound is proved for every record that changes each event by one of its shapes, or by at
    most its L1 and L2 sensitivities if it has none. With one shape per level it is the smallest
    possible δ, up to the step of the grid.

    Returns:
        ε in ascending order, and δ; shape (400,) each.
    """
    parts, rho = claim.parts, claim.rho
    epsilons = np.linspace(0.0, min(rho + 6 * math.sqrt(2 * rho), 600.0), _POINTS)
    losses = None if parts is None else composed(parts)
    if losses is None:
        return epsilons, np.minimum(deltas_of_rho(rho, epsilons) + _ROUND_OFF, 1.0)
    return epsilons, losses.deltas(epsilons)


def rho_at_least(claim: GaussianClaim, low: float, high: float) -> float:
    """Return the largest ρ at which the two probabilities contradict the claim.

    The noise of all events is scaled together, in steps of 2% of ρ. The result is 0 if nothing is
    contradicted. It is at least the ρ of the claim if and only if `contradicts` is true for it.

    Args:
        claim: the noise to scale.
        low: a lower bound on the probability of an event on one table.
        high: an upper bound on its probability on the neighbouring table.
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
    """Return whether `low` is too high for the claim.

    It is if low − e^ε high exceeds the claimed δ(ε) for some ε, or if `low` exceeds the limit
    that ρ sets (`most_likely`).
    """
    epsilons, deltas = curve(claim)
    above_curve = bool((low - np.exp(epsilons) * high > deltas).any())
    return above_curve or low > most_likely(claim.rho, high)


def most_likely(rho: float, chance: float) -> float:
    """Return the highest probability that ρ-zCDP allows for an event.

    Its probability x on the neighbouring table is `chance`. The Rényi divergence of every order α
    is at most α ρ, for the event and for its complement. Minimised over the order, this gives two
    bounds, of which the smaller one is returned: exp(−(√ln(1/x) − √ρ)²), or 1 if ln(1/x) ≤ ρ, and
    1 − exp(−(√ln(1/(1 − x)) + √ρ)²).

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
