"""Error bounds that are known before a mechanism runs.

They are worst cases; observed errors are usually far smaller.
"""

from collections.abc import Sequence

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan

BETA = 0.05


def bounds(
    plan: Plan, *, n_noisy: Sequence[int] | None = None, beta: float = BETA
) -> tuple[float, ...] | None:
    """Return a bound on the errors of each level, exceeded with probability at most β.

    Args:
        plan: a plan of any mechanism.
        n_noisy: the number of noisy values at each level, if it depends on earlier noise; by
            default the largest possible number.
        beta: strictly between 0 and 1.

    Returns:
        for each level of the plan, one bound on the absolute errors of all its areas, in records;
        None if no bound is proved.

    Raises:
        ChoiceError: beta lies outside (0, 1).
    """
    if not 0 < beta < 1:
        raise ChoiceError(
            f"beta must lie strictly between 0 and 1; got {beta}. Give a probability such as 0.05."
        )
    return plan.mechanism.error_bounds(plan, n_noisy=n_noisy, beta=beta)
