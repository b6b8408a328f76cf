"""Limits of an audit: the number of runs and the size of the table."""

import numpy as np

from hierdp_core.audits.intervals import most_showable
from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan

LEAST_RUNS = 20
MOST_RUNS = 10_000_000
MOST_NUMBERS = 2_000


def require_fit(made: Plan, runs: int, confidence: float) -> None:
    """Hold that an audit of the plan can be made.

    Raises:
        ChoiceError: the tables are too large to watch, the runs are no number of runs or too few,
            or the confidence is none.
    """
    if not 0 < confidence < 1:
        raise ChoiceError(f"A confidence lies between 0 and 1, as 0.95 does; got {confidence}.")
    if isinstance(runs, bool) or not isinstance(runs, int | np.integer) or runs > MOST_RUNS:
        raise ChoiceError(f"Runs are a whole number up to {MOST_RUNS:,}; got {runs}.")
    if runs < LEAST_RUNS:
        raise ChoiceError(
            f"An audit takes at least {LEAST_RUNS} runs of each table; got {runs}. Half of them "
            f"choose what is counted on the other half: {least_runs_words(confidence)}."
        )
    numbers = _numbers(made)
    if numbers > MOST_NUMBERS:
        raise ChoiceError(
            f"An audit takes tables of up to {MOST_NUMBERS:,} numbers; this one has {numbers:,}. "
            "Use a smaller pair of tables, which shows the effect of one person as well."
        )


def _numbers(made: Plan) -> int:
    """How many numbers a released table has, about."""
    domain, room = made.domain, made.mechanism.room_above
    if domain.destinations is not None:
        return domain.tree.n_leaves * domain.destinations.tree.n_leaves
    if domain.tree.n_nodes * room > MOST_NUMBERS:
        raise ChoiceError(
            f"An audit takes tables of up to {MOST_NUMBERS:,} numbers; a noisy maximum size "
            f"adds about {room:,} sizes to each region. Give a larger cap-epsilon, such as 0.5."
        )
    return domain.tree.n_nodes * domain.n_columns


def least_runs_words(confidence: float = 0.95) -> str:
    """What few and many runs can show at best."""
    alpha = (1 - confidence) / 4
    shown = [f"{n:,} show {most_showable(n // 2, alpha=alpha):.2g}" for n in (20, 200, 20_000)]
    return f"at best {', '.join(shown)} as ε"
