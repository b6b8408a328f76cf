"""The measurements behind the default mechanism for each kind of table.

Candidates release consistent, non-negative integers, take tables of any size, do not treat the
number of groups of each region as public, and accept a budget of ε without δ. They are compared by
the mean absolute error of each level, divided by the lowest of any candidate. The score is the
geometric mean of these ratios over the levels at which every candidate has an error.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from hierdp_core import mechanisms
from hierdp_core.evaluation.errors import errors
from hierdp_core.exceptions import BudgetError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import Budget, Number
from hierdp_core.privacy.rounding import stated
from hierdp_core.reproduce.common import Load, Repetitions
from hierdp_core.simulation import plan
from hierdp_core.tables import Table
from hierdp_core.util.parallel import Cancel, Progress

EPSILONS: tuple[float, ...] = (0.1, 1, 10)
SAMPLES = ("us-households", "us-population", "ri-commuting", "od-random-sparse")
_KEYS = ["sample", "epsilon"]
_ABOUT = (
    "At each level, the mean absolute error is divided by the smallest one of all candidates. The "
    "score is the geometric mean of these ratios over the levels at which every candidate has an "
    "error. A score of 1 means the smallest error at every such level. Scores are rounded to two "
    "decimals. The defaults for each kind of table are marked with *."
)


def reproduce_recommendations(
    load: Load,
    *,
    epsilons: Sequence[Number] = EPSILONS,
    n_simulations: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> pd.DataFrame:
    """Return the error of each candidate: one row per sample, budget, mechanism and level.

    The columns are:

    - `kind`, `sample`, `epsilon` (pure), `mechanism`.
    - `recommended`: whether the mechanism is the default for this kind of table.
    - `level`, and `mean_abs`: the mean absolute error over simulations, with its `standard_error`
      (NaN with one simulation).
    - `ratio`: `mean_abs` divided by the lowest of the level; NaN if the lowest is 0.
    - `score`: the geometric mean of the ratios that are not NaN; it is equal in all rows of a
      mechanism for the same sample and budget.

    Args:
        load: returns the table of a sample, given its id.
        epsilons: the budgets.
        n_simulations: the number of simulations of each case, at least 1.
        seed: the seed of all noise.
        progress: called with the number of completed simulations and the total.
        cancel: called between simulations; if it returns True, cases finished so far are returned.

    Raises:
        ChoiceError: `n_simulations` is below 1.
        BudgetError: one of `epsilons` is outside its range.
    """
    tables = {sample: load(sample) for sample in SAMPLES}
    cases = [
        (sample, epsilon, case_plan)
        for sample, table in tables.items()
        for epsilon in epsilons
        for case_plan in _candidates(table, epsilon)
    ]
    repetitions = Repetitions(
        seed=seed, total=n_simulations * len(cases), progress=progress, cancel=cancel
    )
    rows: list[dict[str, object]] = []
    for sample, epsilon, case_plan in cases:
        table = tables[sample]
        frames = repetitions.of(table, case_plan, n_simulations, partial(errors, table))
        if frames is None:
            break
        rows += _rows(table, sample, float(epsilon), case_plan, frames)
    return _with_scores(pd.DataFrame(rows))


def as_markdown(frame: pd.DataFrame) -> str:
    """Return the scores of each sample and budget in Markdown, the best first."""
    lines = [
        _ABOUT,
        "",
        "| table | kind | ε | best first (score) |",
        "|---|---|--:|---|",
    ]
    for _, rows in frame.groupby(_KEYS, sort=False):
        ranked = rows.drop_duplicates("mechanism").sort_values("score", kind="stable")
        scores = [
            f"{row.mechanism}{'*' if row.recommended else ''} ({row.score:.2f})"
            for row in ranked.itertuples()
        ]
        sample, kind = rows["sample"].iloc[0], rows["kind"].iloc[0]
        budget = stated(float(rows["epsilon"].iloc[0]))
        lines.append(f"| {sample} | {kind} | {budget} | {', '.join(scores)} |")
    return "\n".join([*lines, ""])


def _candidates(table: Table, epsilon: Number) -> list[Plan]:
    """Return the plans of all candidates that accept a budget of ε alone."""
    plans = []
    for id in mechanisms.names(table.kind):
        mechanism = mechanisms.parse(id)
        keeps = mechanism.consistent and mechanism.valid and mechanism.integral
        if not keeps or mechanism.largest_cells is not None or mechanism.needs_region_groups:
            continue
        try:
            case_plan = plan(table, mechanism, budget=Budget.pure(epsilon))
        except BudgetError:
            continue
        plans.append(case_plan)
    return plans


def _rows(
    table: Table, sample: str, epsilon: float, case_plan: Plan, frames: Sequence[pd.DataFrame]
) -> list[dict[str, object]]:
    errors = np.array([frame["mean_abs"].to_numpy() for frame in frames])
    spread = errors.std(axis=0, ddof=1) if len(errors) > 1 else np.full(errors.shape[1], np.nan)
    return [
        {
            "kind": table.kind,
            "sample": sample,
            "epsilon": epsilon,
            "mechanism": case_plan.id,
            "recommended": case_plan.id == mechanisms.recommended(table.kind),
            "level": level,
            "mean_abs": mean,
            "standard_error": deviation / np.sqrt(len(errors)),
        }
        for level, mean, deviation in zip(
            frames[0]["level"], errors.mean(axis=0), spread, strict=True
        )
    ]


def _with_scores(frame: pd.DataFrame) -> pd.DataFrame:
    if frame.empty:
        return frame
    least = frame.groupby([*_KEYS, "level"], sort=False)["mean_abs"].transform("min")
    # A level where the best candidate has no error is left out, since the ratio is undefined.
    frame["ratio"] = frame["mean_abs"] / least.where(least > 0)
    logarithms = np.log(frame["ratio"]).groupby([frame[key] for key in (*_KEYS, "mechanism")])
    frame["score"] = np.exp(logarithms.transform("mean"))
    return frame
