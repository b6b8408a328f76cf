"""Flows with noise on the leaves alone, summed up: the baselines of InfTDA's paper.

Source: [C] Boninsegna and Silvestri 2024. Errors are lowest at the leaves, where the whole budget
is spent. Above, the errors of many pairs add up. One baseline releases every possible pair and is
unbiased. The other releases large flows only and has no false positives.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hierdp_core.exceptions import BudgetError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.mechanisms.flow_bounds import leaf_noise_bounds
from hierdp_core.mechanisms.flow_queries import Records
from hierdp_core.mechanisms.inftda import PAPER
from hierdp_core.mechanisms.neighbours import AMONG_MANY, Pair
from hierdp_core.noise import Cells, NoiseSource
from hierdp_core.privacy import (
    Allocation,
    Budget,
    Event,
    FactSource,
    Invariant,
    Spending,
    ThresholdEvent,
)
from hierdp_core.privacy.budget import GAUSSIAN_NOISE
from hierdp_core.tables import Domain, Pairs
from hierdp_core.util.memory import require_memory

_BYTES_A_PAIR = 80  # the peak use of memory, as measured


@dataclass(frozen=True, kw_only=True)
class LeafNoise(Records):
    """A baseline that spends the whole budget on pairs of leaves."""

    kinds = ("flows",)
    consistent = integral = True

    def invariants(self, domain: Domain) -> tuple[Invariant, ...]:
        public = super().invariants(domain)
        if not self.replaced:
            return public
        return (
            *public,
            Invariant(
                text="the total, which replacing one record leaves unchanged",
                source=FactSource.UNCHANGED,
            ),
        )

    def shared_levels(self, domain: Domain) -> tuple[str, ...]:
        return self.levels(domain)[-1:]

    def allocation(self, asked: Sequence[int] | None, domain: Domain) -> Allocation:
        levels = self.levels(domain)
        whole = asked is None or len(asked) == 1
        if asked is not None and len(asked) == len(levels):
            whole = not any(Allocation.of(asked, levels).weights[:-1])
        if not whole:
            raise BudgetError(
                f"{self.id} spends the whole budget on the last level, {levels[-1]}. Leave the "
                "allocation out, or give all other levels 0."
            )
        return Allocation.of([0] * (len(levels) - 1) + [1], levels)

    def error_bounds(
        self, plan: Plan, *, n_noisy: Sequence[int] | None, beta: float
    ) -> tuple[float, ...]:
        return leaf_noise_bounds(plan, beta)


@dataclass(frozen=True, kw_only=True)
class VanillaGauss(LeafNoise):
    """Noise on every possible pair of leaves, with or without a flow."""

    id = "vanilla-gauss"
    title = "Noise on every pair"
    about = (
        "Adds noise to the flow of every pair of an origin and a destination. Other levels are "
        "sums of these flows. The mechanism has no bias, but at ε = 0.1 or less, almost half of "
        "all empty pairs get a positive flow, and as many get a negative one. For comparison."
    )
    paper = f"{PAPER}, Proposition 1"
    valid = False
    largest_cells = 5_000_000
    instead = "inftda, which measures only pairs that may have a flow"

    def measure(self, values: Pairs, plan: Plan, noise: NoiseSource) -> Any:
        """Return noisy counts of every possible pair, shape (origins, destinations)."""
        destinations = plan.domain.destinations
        assert destinations is not None
        shape = plan.domain.tree.n_leaves, destinations.tree.n_leaves
        require_memory(
            math.prod(shape),
            bytes_a_cell=_BYTES_A_PAIR,
            what=f"{shape[0]:,} origins × {shape[1]:,} destinations",
        )
        exact = np.zeros(shape, dtype=np.int64)
        exact[values.origin, values.destination] = values.values
        return exact + noise.draw(plan.events[0], exact.shape)

    def estimate(self, noisy: Any, plan: Plan) -> Pairs:
        origin, destination = np.nonzero(noisy)
        return Pairs(origin=origin, destination=destination, values=noisy[origin, destination])


@dataclass(frozen=True, kw_only=True)
class StabilityHistogram(LeafNoise):
    """Noise on flows above 0, of which those at or above a threshold are released."""

    id = "stability-histogram"
    title = "Stability histogram"
    about = (
        "Adds noise to non-empty flows and releases those at or above a threshold. There are no "
        "false positives, but small flows are missed. It needs δ, which limits the probability "
        "that the flow of a single person is released."
    )
    paper = f"{PAPER}, Theorem 8; Bun, Nissim and Stemmer 2019"
    valid = True
    not_for_release = (
        "It is for comparison: how many flows get noise depends on the records, so the run time "
        "of a release would reveal it."
    )

    def spending(self, domain: Domain, budget: Budget, allocation: Allocation) -> Spending:
        # ε goes to the noise and δ to the threshold, as they are stated.
        return Spending(budget=budget)

    def events(self, domain: Domain, budget: Budget, allocation: Allocation) -> tuple[Event, ...]:
        if budget.epsilon is None or budget.delta is None:
            raise BudgetError(
                f"{self.id} needs (ε, δ): δ limits the probability that the flow of a single "
                "person is released. State both, such as ε = 1 and δ = 10⁻⁸."
            )
        if budget.noise == GAUSSIAN_NOISE:
            raise BudgetError(
                f"{self.id} uses geometric noise only. Choose noise = geometric, or state no noise."
            )
        levels = self.levels(domain)
        query = f"{self.query} by {levels[-1]}"
        return (self._event(budget.epsilon, budget.delta, len(levels) - 1, query),)

    def _event(
        self,
        epsilon: Fraction,
        delta: Fraction,
        level: int,
        query: str,
    ) -> ThresholdEvent:
        m, ways = self.trips, self.ways
        scale = ways * m / epsilon
        most = 1 if self.distinct else m
        return ThresholdEvent(
            level=level,
            query=query,
            l1_sensitivity=ways * m,
            scale=scale,
            threshold=threshold(float(scale), float(delta), trips=m, most=most),
            created=ways * m,
            most=most,
        )

    def worst_neighbours(self, budget: Budget) -> tuple[Pair, ...]:
        person, usual = self.person, super().worst_neighbours(budget)
        if budget.epsilon is None or budget.delta is None:
            return usual  # no plan takes such a budget
        event = self._event(budget.epsilon, budget.delta, 0, self.query)
        # A flow is below the threshold without the person and not with them. Without noise,
        # whether it is released would then depend on the person.
        below = math.ceil(event.threshold) - (person.in_each + 1) // 2
        far = math.ceil(event.threshold) + max(person.many_others, 50 * math.ceil(event.scale))
        among_many, alone = usual
        around = self.pair("threshold", below, "at flows around the threshold")
        large = self.pair(among_many.id, far, AMONG_MANY)
        return (around, large, alone)

    def measure(self, values: Pairs, plan: Plan, noise: NoiseSource) -> Pairs:
        """Return the noisy flows at or above the threshold."""
        (event,) = plan.events
        assert isinstance(event, ThresholdEvent)
        destinations = plan.domain.destinations
        assert destinations is not None
        pairs = Cells.of_rows(values.origin * destinations.tree.n_leaves + values.destination)
        noisy = values.values + noise.draw(event, values.values.shape, pairs)
        kept = noisy >= event.threshold
        return Pairs(
            origin=values.origin[kept], destination=values.destination[kept], values=noisy[kept]
        )

    def estimate(self, noisy: Pairs, plan: Plan) -> Pairs:
        return noisy


def threshold(scale: float, delta: float, *, trips: int = 1, most: int = 1) -> float:
    """Return the smallest noisy flow that is released, for noise of `scale` and probability δ.

    It is the larger of two thresholds in use. One follows from a tail bound over the 2m flows that
    one record of m trips, replaced by another, may leave or enter. The other follows from a bound
    over the L1 sensitivity. `account.threshold_delta` computes the δ that results.

    Args:
        scale: the scale of the two-sided geometric noise.
        delta: the probability, strictly between 0 and 1.
        trips: m, the maximum number of trips of one record.
        most: the maximum number of them between one pair of places.

    Source: Bun, Nissim and Stemmer 2019, Theorem 3.5; the second as in OpenDP.

    >>> [round(threshold(2 / e, 1e-8), 4) for e in (0.1, 1, 10)]
    [383.2766, 39.2277, 5.6841]
    """
    tail = most + scale * math.log(2 * trips / delta)
    union = 2 * trips + scale * -math.log(delta)
    return max(tail, union)
