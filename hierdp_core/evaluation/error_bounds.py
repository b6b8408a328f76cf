"""How far a release of [C] can be from the truth, but for a chance of β: said before the run.

The bounds of Theorem 4 and Proposition 1 of [C] for the tree at hand. They are worst cases: what
is measured is usually far below. `Mechanism.error_bounds` works them out.
"""

from collections.abc import Sequence

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan

BETA = 0.05


def bounds(
    plan: Plan, *, draws: Sequence[int] | None = None, beta: float = BETA
) -> tuple[float, ...] | None:
    """For each level of the plan, what no error exceeds, but for a chance of β on each level.

    Args:
        plan: of any mechanism.
        draws: how many numbers got noise on each level (`Heard.draws` of a release: they are
            settled by noise alone, so they may be told); every possible node where not given.
        beta: strictly between 0 and 1.

    Returns:
        one number a level of the plan; None where no bound is proved.

    Raises:
        ChoiceError: beta is no probability.
    """
    if not 0 < beta < 1:
        raise ChoiceError(f"beta must lie strictly between 0 and 1, got {beta}.")
    return plan.mechanism.error_bounds(plan, draws=draws, beta=beta)
