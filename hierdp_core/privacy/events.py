"""What was released, fully enough that somebody else could account for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from hierdp_core.privacy.budget import Allocation, Budget
from hierdp_core.privacy.shapes import MOST_SHAPES, Shape, largest_shapes


class Neighbours(Enum):
    """Which two tables must be hard to tell apart."""

    ADD_OR_REMOVE_ONE = "add or remove one"
    REPLACE_ONE = "replace one"


@dataclass(frozen=True, kw_only=True)
class GeometricEvent:
    """A whole-number vector plus two-sided geometric noise, P(k) ∝ exp(−|k| / scale).

    Attributes:
        level: the level whose regions were measured; None beside the levels.
        query: what was measured, in words.
        l1_sensitivity: most that one record moves the vector, in L1.
        scale: of the noise, exact.
        shapes: the moves that no other exceeds, as `Sensitivity` has them; empty for every move
            within the sensitivity.
    """

    level: int | None
    query: str
    l1_sensitivity: int
    scale: Fraction
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GaussianEvent:
    """A whole-number vector plus discrete Gaussian noise, P(k) ∝ exp(−k² / 2σ²).

    Attributes:
        level: the level whose regions were measured; None beside the levels.
        query: what was measured, in words.
        l2_sensitivity_squared: most that one record moves the vector, in L2, squared.
        sigma2: the parameter σ² of the noise, exact.
        shapes: the moves that no other exceeds, as `Sensitivity` has them; empty for every move
            within the sensitivity.
    """

    level: int | None
    query: str
    l2_sensitivity_squared: int
    sigma2: Fraction
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ThresholdEvent:
    """Numbers above 0 plus two-sided geometric noise, of which those from a threshold on stay.

    Numbers that are 0 get no noise and are never released. So a cell that is 0 in one table
    and not in its neighbour tells them apart, if it is released: that is what δ is for
    (`account.threshold_delta`).

    Attributes:
        level: the level whose cells were measured.
        query: what was measured, in words.
        l1_sensitivity: most that one record moves the vector, in L1.
        scale: of the noise, exact.
        threshold: the least noisy number that is released.
        created: the most cells that one record alone can lift above 0, those it leaves
            and those it enters together.
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
    """Most that one record moves all answers of one level together.

    Attributes:
        l1: in L1.
        l2_squared: in L2, squared.
        shapes: the ways to move single numbers that no other way exceeds; empty for all within
            the two sensitivities. See `hierdp_core.privacy.shapes`.

    Raises:
        ValueError: a shape moves more than the sensitivities say.
    """

    l1: int
    l2_squared: int
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        for shape in self.shapes:
            if sum(shape) > self.l1 or sum(move * move for move in shape) > self.l2_squared:
                raise ValueError(f"{shape} moves more than {self.l1}, {self.l2_squared} squared.")

    @property
    def worst_shapes(self) -> tuple[Shape, ...]:
        """The shapes, listed where they are not; empty where they are too many."""
        if self.shapes or not self.l2_squared:
            return self.shapes
        # Whole numbers are never longer than their squares.
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
    """One event for each level with a weight, together spending exactly the budget.

    Of (ε, δ) that is the ρ which the budget's conversion gives. A plan with the tight account
    spends more: see `spending`.

    A person is counted once on every level, so levels compose sequentially; the regions
    of one level are disjoint and compose in parallel.

    Args:
        budget: ε gives two-sided geometric noise, ρ or (ε, δ) discrete Gaussian noise.
        allocation: a weight for each level.
        query: what is measured in a region.
        levels: level names, from the root down.
        sensitivities: one for each level: what the events cost is worked out from these.
        calibrate_to: only to repeat a published calibration that is not right: the noise
            follows these, and the events then have their true cost.
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
