"""Limits of an audit: the number of runs and the size of the tables."""

import numpy as np

from hierdp_core.audits.intervals import most_showable
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy.rounding import upper
from hierdp_core.util.text import join_and

LEAST_RUNS = 20
MOST_RUNS = 10_000_000
MOST_NUMBERS = 2_000


def require_fit(case_plan: Plan, runs: int, confidence: float) -> None:
    """Require that an audit of the plan is possible.

    Raises:
        ChoiceError: the tables are too large, or the number of runs or the confidence is not
            valid.
    """
    if not 0 < confidence < 1:
        raise ChoiceError(
            f"The confidence must lie strictly between 0 and 1; got {confidence}. Give one such as "
            "0.95."
        )
    if isinstance(runs, bool) or not isinstance(runs, int | np.integer) or runs > MOST_RUNS:
        raise ChoiceError(
            f"The number of runs is a whole number up to {MOST_RUNS:,}; got {runs}. Correct it."
        )
    if runs < LEAST_RUNS:
        raise ChoiceError(
            f"Use at least {LEAST_RUNS} runs on each table for an audit; got {runs}. Half of them "
            "are used to select a set of results, which is counted in the other half. "
            f"{least_runs_words(confidence)}."
        )
    numbers = _numbers(case_plan)
    if numbers > MOST_NUMBERS:
        raise ChoiceError(
            f"An audit takes tables of up to {MOST_NUMBERS:,} numbers; this one has {numbers:,}. "
            "Use a smaller pair of tables. They show the effect of one person equally well."
        )


def _numbers(case_plan: Plan) -> int:
    """Return the approximate number of numbers in a released table.

    Raises:
        ChoiceError: there are too many because of a noisy maximum group size.
    """
    domain, room = case_plan.domain, case_plan.mechanism.room_above
    if domain.destinations is not None:
        return domain.tree.n_leaves * domain.destinations.tree.n_leaves
    if domain.tree.n_nodes * room > MOST_NUMBERS:
        raise ChoiceError(
            f"An audit takes tables of up to {MOST_NUMBERS:,} numbers. The noisy maximum group "
            f"size adds about {room:,} sizes per area. Give a larger cap-epsilon, such as 0.5."
        )
    return domain.tree.n_nodes * domain.n_columns


def least_runs_words(confidence: float = 0.95) -> str:
    """Return a sentence, without its full stop, on the largest ε that runs on one pair can show."""
    alpha = (1 - confidence) / 4
    sizes = (20, 200, 20_000)
    runs = join_and([f"{n:,}" for n in sizes])
    losses = join_and([upper(most_showable(n // 2, alpha=alpha), 2) for n in sizes])
    return f"The largest ε that {runs} runs can show is {losses}, respectively"
