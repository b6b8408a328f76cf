"""Events: released vectors, in enough detail that anyone could compute their privacy loss."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from hierdp_core.privacy.budget import Allocation, Budget
from hierdp_core.privacy.shapes import MOST_SHAPES, Shape, largest_shapes


class Neighbours(Enum):
    """How two neighbouring tables differ. A release must make such tables hard to tell apart.

    Attributes:
        ADD_OR_REMOVE_ONE: one of them has one privacy unit more, such as one person.
        REPLACE_ONE: one privacy unit of the first is replaced by another in the second.
    """

    ADD_OR_REMOVE_ONE = "add or remove one"
    REPLACE_ONE = "replace one"


@dataclass(frozen=True, kw_only=True)
class GeometricEvent:
    """An integer vector plus two-sided geometric noise, P(k) ∝ exp(−|k| / scale).

    Attributes:
        level: the level whose regions were measured; None for a quantity that belongs to no level.
        query: what was measured, in words.
        l1_sensitivity: the largest L1 distance by which one record can change the vector.
        scale: the scale of the noise, exact.
        shapes: the largest changes by one record, as in `Sensitivity`; empty if every change
            within the sensitivity is possible.
    """

    level: int | None
    query: str
    l1_sensitivity: int
    scale: Fraction
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GaussianEvent:
    """An integer vector plus discrete Gaussian noise, P(k) ∝ exp(−k² / 2σ²).

    Attributes:
        level: the level whose regions were measured; None for a quantity that belongs to no level.
        query: what was measured, in words.
        l2_sensitivity_squared: the square of the largest L2 distance by which one record can
            change the vector.
        sigma2: the parameter σ² of the noise, exact.
        shapes: the largest changes by one record, as in `Sensitivity`; empty if every change
            within the sensitivity is possible.
    """

    level: int | None
    query: str
    l2_sensitivity_squared: int
    sigma2: Fraction
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ThresholdEvent:
    """Positive integers plus two-sided geometric noise, released if they reach a threshold.

    Zeros get no noise and are never released. A cell that is 0 in only one of two neighbouring
    tables therefore reveals which table it is, if it is released. δ bounds the probability of this
    (`account.threshold_delta`).

    Attributes:
        level: the level whose cells were measured; None for cells that belong to no level.
        query: what was measured, in words.
        l1_sensitivity: the largest L1 distance by which one record can change the vector.
        scale: the scale of the noise, exact.
        threshold: noisy numbers are released if they are at least this large.
        created: the largest number of cells that can be above 0 in one of two neighbouring tables
            and 0 in the other. It counts the cells that a record leaves and those it enters.
        most: the most that one record adds to one cell.
    """

    level: int | None
    query: str
    l1_sensitivity: int
    scale: Fraction
    threshold: float
    created: int
    most: int


Event = GeometricEvent | GaussianEvent | ThresholdEvent


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """The most by which one record can change all numbers of one level together.

    Attributes:
        l1: the largest L1 distance.
        l2_squared: the square of the largest L2 distance.
        shapes: the possible changes that no other one exceeds, as described in
            `hierdp_core.privacy.shapes`. Empty if every change within the two sensitivities is
            possible.

    Raises:
        ValueError: a shape exceeds one of the sensitivities.
    """

    l1: int
    l2_squared: int
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        for shape in self.shapes:
            if sum(shape) > self.l1 or sum(move * move for move in shape) > self.l2_squared:
                raise ValueError(
                    f"The shape {shape} exceeds the L1 sensitivity {self.l1} or the squared L2 "
                    f"sensitivity {self.l2_squared}."
                )

    @property
    def worst_shapes(self) -> tuple[Shape, ...]:
        """The shapes; if none were given, all largest ones; empty if these are too many to list."""
        if self.shapes or not self.l2_squared:
            return self.shapes
        # An integer is never larger than its square, so neither is the sum of several.
        l1 = min(self.l1, self.l2_squared)
        return largest_shapes(l1, self.l2_squared, at_most=MOST_SHAPES) or ()


def level_events(
    budget: Budget,
    allocation: Allocation,
    *,
    query: str,
    levels: Sequence[str],
    sensitivities: Sequence[Sensitivity],
    calibrate_to: Sequence[Sensitivity] | None = None,
) -> tuple[Event, ...]:
    """Return one event for each level with a weight above 0; together they spend the whole budget.

    For (ε, δ), they spend the ρ of `Budget.spendable_rho`. A plan with tight accounting may spend
    more: see `spending`.

    One record changes every level, so the costs of levels add up. The regions of one level are
    disjoint, so one sensitivity covers them together.

    Args:
        budget: ε gives two-sided geometric noise; ρ or (ε, δ) gives discrete Gaussian noise.
        allocation: a weight for each level.
        query: what is measured in a region.
        levels: level names, from the root down.
        sensitivities: one for each level. The privacy loss of the events follows from these.
        calibrate_to: sensitivities that the noise is calibrated to in place of the correct ones,
            only to repeat a published calibration that is wrong. The events still have their
            actual privacy loss, which may exceed the budget.
    """
    rho = budget.spendable_rho
    events: list[Event] = []
    for level, share in enumerate(allocation.fractions):
        if not share:
            continue
        true, words = sensitivities[level], f"{query} by {levels[level]}"
        used = true if calibrate_to is None else calibrate_to[level]
        if rho is None:
            assert budget.epsilon is not None
            events.append(
                GeometricEvent(
                    level=level,
                    query=words,
                    l1_sensitivity=true.l1,
                    scale=used.l1 / (share * budget.epsilon),
                    shapes=true.worst_shapes,
                )
            )
        else:
            events.append(
                GaussianEvent(
                    level=level,
                    query=words,
                    l2_sensitivity_squared=true.l2_squared,
                    sigma2=used.l2_squared / (2 * share * rho),
                    shapes=true.worst_shapes,
                )
            )
    return tuple(events)
