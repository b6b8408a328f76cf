"""Mechanisms with a mistake in each, which audits and proofs must find.

Each is a mechanism like those that ship, wrong in one way; `PLANTED` says how it is audited.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from hierdp_core.exceptions import SolverError
from hierdp_core.hierarchy import Regions
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.mechanisms.base import Mechanism
from hierdp_core.noise import SeededNoise
from hierdp_core.privacy import GeometricEvent, Sensitivity
from hierdp_core.tables import Counts


class PlantedCounts(Mechanism):
    """Noise on every count, released as it is; the subclasses do something wrong."""

    id = "planted"
    title = "Planted"
    kinds = ("counts",)
    about = "Wrong on purpose."
    paper = "None"
    query = "counts"
    sensitivity = Sensitivity(l1=1, l2_squared=1)
    consistent = valid = integral = False

    def estimate(self, noisy, plan):
        return noisy


class Right(PlantedCounts):
    id = "right"


class RightThenClamped(PlantedCounts):
    id = "right-then-clamped"

    def estimate(self, noisy, plan):
        return np.maximum(noisy, 0)


class NotSplit(PlantedCounts):
    """Each level gets the whole budget."""

    id = "budget-not-split"

    def measure(self, values, plan, noise):
        noisy = values.copy()
        for level, event in plan.by_level.items():
            nodes = plan.domain.tree.level(level)
            whole = GeometricEvent(
                level=level,
                query=event.query,
                l1_sensitivity=1,
                scale=1 / plan.budget.epsilon,
            )
            noisy[nodes] += noise.draw(whole, values[nodes].shape)
        return noisy


class HalfTheNoise(PlantedCounts):
    id = "half-the-noise"

    def measure(self, values, plan, noise):
        noisy = values.copy()
        for level, event in plan.by_level.items():
            nodes = plan.domain.tree.level(level)
            half = GeometricEvent(
                level=level, query=event.query, l1_sensitivity=1, scale=event.scale / 2
            )
            noisy[nodes] += noise.draw(half, values[nodes].shape)
        return noisy


class Cumulated(PlantedCounts):
    """Cumulative sums over the regions of a level, with the noise of one count."""

    id = "cumulated-with-sensitivity-1"

    def answer(self, values, tree):
        return np.concatenate([np.cumsum(values[tree.level(k)]) for k in range(tree.n_levels)])


class ZerosExact(PlantedCounts):
    """Empty regions are taken for structural zeros and get no noise."""

    id = "zeros-left-exact"

    def measure(self, values, plan, noise):
        return np.where(values == 0, 0, super().measure(values, plan, noise))


class EmptyMissing(PlantedCounts):
    """Empty regions do not appear among the keys at all."""

    id = "empty-key-missing"

    def measure(self, values, plan, noise):
        noisy = super().measure(values, plan, noise)
        return {f"r{k}": int(noisy[k]) for k in np.flatnonzero(values)}


class ThresholdOnTruth(PlantedCounts):
    """Small counts are suppressed by the true count, not by the noisy one."""

    id = "threshold-on-the-true-count"

    def measure(self, values, plan, noise):
        return np.where(values < 3, 0, super().measure(values, plan, noise))


class Wraps(PlantedCounts):
    """Sums in 32 bits."""

    id = "wraps-at-32-bits"

    def answer(self, values, tree):
        return values.astype(np.uint32).view(np.int32).astype(np.int64)


class FixedSeed(PlantedCounts):
    id = "fixed-seed"

    def measure(self, values, plan, noise):
        noise = SeededNoise(42)
        noisy = values.copy()
        for level, event in plan.by_level.items():
            nodes = plan.domain.tree.level(level)
            noisy[nodes] += noise.draw(event, values[nodes].shape)
        return noisy


class NoiseReused(PlantedCounts):
    """One draw for all regions."""

    id = "noise-reused"

    def measure(self, values, plan, noise):
        return values + noise.draw(plan.events[0], (1,))


class ExactRoot(PlantedCounts):
    id = "exact-root"

    def measure(self, values, plan, noise):
        noisy = super().measure(values, plan, noise)
        noisy[0] = values[0]
        return noisy


class PeekingEstimate(PlantedCounts):
    """Post-processing scales to the true total, which `measure` left lying about."""

    id = "peeking-estimate"

    def measure(self, values, plan, noise):
        self.total = int(values[0])
        return super().measure(values, plan, noise)

    def estimate(self, noisy, plan):
        return np.concatenate([[self.total], noisy[1:]])


class GlobalPeek(PlantedCounts):
    """The same, by way of the class."""

    id = "global-peek"
    kept = None

    def measure(self, values, plan, noise):
        GlobalPeek.kept = int(values[-1])
        return super().measure(values, plan, noise)

    def estimate(self, noisy, plan):
        return np.concatenate([noisy[:-1], [max(int(noisy[-1]), self.kept)]])


class FailsOnEmpty(PlantedCounts):
    """An empty region makes the solver fail."""

    id = "error-on-an-empty-cell"

    def measure(self, values, plan, noise):
        if (values == 0).any():
            raise SolverError("division by zero")
        return super().measure(values, plan, noise)


class Redraws(PlantedCounts):
    """Draws again until nothing is negative: looks like post-processing, is not."""

    id = "redraws-until-not-negative"

    def measure(self, values, plan, noise):
        while True:
            noisy = super().measure(values, plan, noise)
            if (noisy >= 0).all():
                return noisy


class ScaleFollowsData(PlantedCounts):
    """Empty regions get less noise."""

    id = "scale-follows-the-data"

    def measure(self, values, plan, noise):
        drawn = super().measure(values, plan, noise) - values
        return values + np.where(values == 0, drawn // 4, drawn)


def continuous(noise):
    """A generator of continuous noise that follows the run's."""
    wide = GeometricEvent(level=0, query="", l1_sensitivity=1, scale=Fraction(10**9))
    return np.random.default_rng(abs(int(noise.draw(wide, (1,))[0])))


class RoundedGaussian(PlantedCounts):
    """Rounded Gaussian noise, its deviation the scale, sold as pure ε."""

    id = "rounded-gaussian-as-pure"

    def measure(self, values, plan, noise):
        rng = continuous(noise)
        scale = float(plan.events[0].scale)
        return values + np.rint(rng.normal(0, scale, values.shape)).astype(np.int64)


class FloatLaplace(PlantedCounts):
    """Laplace noise in floating point: its last binary places tell the count (Mironov 2012)."""

    id = "float-laplace"

    def measure(self, values, plan, noise):
        scale = float(plan.events[0].scale)
        return values + continuous(noise).laplace(0, scale, values.shape)


class TruncatedNoise(PlantedCounts):
    """Noise cut at ±3: what lies beyond is impossible on one table only."""

    id = "truncated-noise"

    def measure(self, values, plan, noise):
        return values + np.clip(super().measure(values, plan, noise) - values, -3, 3)


class SortedByTruth(PlantedCounts):
    """The leaves come in the order of their true counts."""

    id = "sorted-by-the-true-count"

    def measure(self, values, plan, noise):
        noisy = super().measure(values, plan, noise)
        leaves = plan.domain.tree.leaves
        return np.append(noisy, np.argsort(-values[leaves], kind="stable"))


class ShapeFollowsData(PlantedCounts):
    """As many numbers come out as the largest count says."""

    id = "shape-follows-the-data"

    def measure(self, values, plan, noise):
        noisy = super().measure(values, plan, noise)
        return np.append(noisy, np.zeros(int(values.max())))


class SigmaForVariance(PlantedCounts):
    """Gaussian noise with σ where σ² belongs."""

    id = "sigma-for-variance"

    def measure(self, values, plan, noise):
        noisy = values.copy()
        for level, event in plan.by_level.items():
            nodes = plan.domain.tree.level(level)
            less = replace(event, sigma2=Fraction(math.sqrt(event.sigma2)))
            noisy[nodes] += noise.draw(less, values[nodes].shape)
        return noisy


class SizesOfOne(MECHANISMS["pgsr-h-dp"]):
    """A person moves two cells of a histogram of sizes; this one covers one."""

    id = "sizes-with-sensitivity-1"
    sensitivity = Sensitivity(l1=1, l2_squared=1)


def one_person(*counts, more=0):
    """Two tables of a nation with these states; the second has one person more in one."""
    states = [f"s{k}" for k in range(len(counts))]
    regions = Regions.from_parents(
        {"n": None} | dict.fromkeys(states, "n"), levels=("nation", "state")
    )
    after = [n + (k == more) for k, n in enumerate(counts)]
    return tuple(Counts.from_leaves(regions, list(leaves)) for leaves in (counts, after))


@dataclass(frozen=True)
class Planted:
    """A mistake and how to audit it.

    Attributes:
        tables: two neighbouring ones; the usual pair where none are given.
        runs: of each table, enough for odds of one in a hundred million.
    """

    mechanism: type[Mechanism]
    tables: tuple = ()
    budget: dict = field(default_factory=lambda: {"epsilon": 1})
    runs: int = 4_000


PLANTED = {
    "budget not split": Planted(NotSplit),
    "half the noise": Planted(HalfTheNoise),
    "cumulated, sensitivity 1": Planted(Cumulated, one_person(2, 1, 3, 1), runs=16_000),
    "zeros left exact": Planted(ZerosExact, one_person(3, 0, more=1)),
    "empty key missing": Planted(EmptyMissing, one_person(3, 0, more=1)),
    "threshold on the true count": Planted(ThresholdOnTruth, one_person(2, 2)),
    "wraps at 32 bits": Planted(Wraps, one_person(2**31 - 1)),
    "fixed seed": Planted(FixedSeed),
    "noise reused": Planted(NoiseReused),
    "exact root": Planted(ExactRoot),
    "peeking estimate": Planted(PeekingEstimate),
    "peek by way of the class": Planted(GlobalPeek, one_person(3, 0, more=1)),
    "error on an empty cell": Planted(FailsOnEmpty, one_person(3, 0, more=1)),
    "redraws until not negative": Planted(Redraws, one_person(3, 0, more=1), runs=80_000),
    "scale follows the data": Planted(ScaleFollowsData, one_person(3, 0, more=1)),
    "rounded Gaussian as pure": Planted(RoundedGaussian, runs=64_000),
    "float Laplace": Planted(FloatLaplace, one_person(3, 0, more=1)),
    "truncated noise": Planted(TruncatedNoise),
    "sorted by the true count": Planted(SortedByTruth, one_person(2, 2, more=1)),
    "shape follows the data": Planted(ShapeFollowsData),
    "σ for σ², ρ": Planted(SigmaForVariance, budget={"rho": 0.1}, runs=16_000),
    "σ for σ², ε and δ": Planted(
        SigmaForVariance, budget={"epsilon": 1, "delta": 1e-8, "noise": "gaussian"}, runs=16_000
    ),
    "histogram of sizes, sensitivity 1": Planted(SizesOfOne, runs=16_000),
}
