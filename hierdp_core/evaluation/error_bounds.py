"""Error bounds that are known before a mechanism runs: `bounds` asks the mechanism of a plan.

They are worst cases: what is measured is usually far below.
"""

from collections.abc import Sequence

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan

BETA = 0.05


def bounds(
    plan: Plan, *, draws: Sequence[int] | None = None, beta: float = BETA
) -> tuple[float, ...] | None:
    """For each level of the plan, what no error exceeds except with probability β.

    Args:
        plan: of any mechanism.
        draws: how many numbers got noise on each level, where earlier noise settles that; every
            possible one where not given.
        beta: strictly between 0 and 1.

    Returns:
        one number a level of the plan; None where no bound is proved.

    Raises:
        ChoiceError: beta is no probability.
    """
    if not 0 < beta < 1:
        raise ChoiceError(f"beta must lie strictly between 0 and 1, got {beta}.")
    return plan.mechanism.error_bounds(plan, draws=draws, beta=beta)
