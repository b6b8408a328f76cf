"""Errors for the same (ε, δ) under each accounting method.

This is not an experiment of a paper. `tree-dp` on counts, and `inftda` and `vanilla-gauss` on
flows, are simulated with the noise that each accounting method requires for the same budget. See
docs/accounting.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import errors
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import Budget, GaussianEvent, Number
from hierdp_core.privacy.budget import (
    BEST_NOISE,
    GAUSSIAN_NOISE,
    SIMPLE_ACCOUNT,
    TIGHT_ACCOUNT,
    ZCDP_ACCOUNT,
)
from hierdp_core.privacy.rounding import stated
from hierdp_core.reproduce.common import Load, Repetitions
from hierdp_core.simulation import Simulation, plan
from hierdp_core.tables import Table
from hierdp_core.util.parallel import Cancel, Progress

DELTA = 1e-8
EPSILONS: tuple[float, ...] = (0.1, 1, 10)
CASES = (
    ("us-population", "tree-dp"),
    ("od-binary-sparse", "inftda"),
    ("od-binary-sparse", "vanilla-gauss"),
    ("od-random-sparse", "inftda"),
    ("od-random-sparse", "vanilla-gauss"),
)
# The first, the papers' accounting method, is the one that the others are compared with.
ACCOUNTS = (
    (SIMPLE_ACCOUNT, GAUSSIAN_NOISE),
    (ZCDP_ACCOUNT, GAUSSIAN_NOISE),
    (TIGHT_ACCOUNT, GAUSSIAN_NOISE),
    (TIGHT_ACCOUNT, BEST_NOISE),
)


@dataclass(frozen=True, kw_only=True)
class _Case:
    sample: str
    mechanism: str
    epsilon: Number
    account: str
    noise: str

    @property
    def budget(self) -> Budget:
        return Budget.approximate(self.epsilon, DELTA, accounting=self.account, noise=self.noise)


def reproduce_accounting(
    load: Load,
    *,
    epsilons: Sequence[Number] = EPSILONS,
    n_simulations: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> pd.DataFrame:
    """Return errors under each accounting method for equal (ε, δ), by case, method and level.

    The columns are:

    - `sample`, `mechanism`, `epsilon` (with δ = 10⁻⁸).
    - `accounting` and `noise_option`: the accounting method and the option for the kind of noise.
    - `noise`: the kind of noise used.
    - `variance`: the noise variances of the levels, added up.
    - `level`, `mean_abs` and `max_abs`: the level, and its errors as means over simulations.
    - `variance_ratio`, `mean_ratio` and `max_ratio`: `variance`, `mean_abs` and `max_abs` divided
      by their values under the papers' accounting method; NaN where these are 0.

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
    cases = [
        _Case(sample=sample, mechanism=id, epsilon=epsilon, account=account, noise=noise)
        for sample, id in CASES
        for epsilon in epsilons
        for account, noise in ACCOUNTS
    ]
    repetitions = Repetitions(
        seed=seed, total=n_simulations * len(cases), progress=progress, cancel=cancel
    )
    rows: list[dict[str, object]] = []
    for case in cases:
        table = load(case.sample)
        case_plan = plan(table, case.mechanism, budget=case.budget)
        frames = repetitions.of(table, case_plan, n_simulations, partial(_errors, table))
        if frames is None:
            break
        rows += _rows(case, case_plan, pd.concat(frames))
    return _with_ratios(pd.DataFrame(rows))


def as_markdown(frame: pd.DataFrame) -> str:
    """Return the errors of the first level below the root and of the leaves, as Markdown."""
    lines = [
        f"δ = {stated(DELTA)}. {_RATIOS}",
        "",
        _HEADING,
        "|---|---|--:|---|---|--:|--:|--:|--:|",
    ]
    keys = ["sample", "mechanism", "epsilon", "accounting", "noise_option"]
    for _, rows in frame.groupby(keys, sort=False):
        top, leaves = rows.iloc[1], rows.iloc[-1]
        name = str(leaves["accounting"])
        if name == TIGHT_ACCOUNT:
            name += f", {leaves['noise_option']}"
        lines.append(
            f"| {leaves['sample']} | {leaves['mechanism']} | {stated(leaves['epsilon'])} | {name} "
            f"| {leaves['noise']} "
            f"| {leaves['variance_ratio']:.2f} | {_digits(top['mean_abs'])} "
            f"| {_digits(leaves['mean_abs'])} | {leaves['mean_ratio']:.2f} |"
        )
    return "\n".join([*lines, ""])


def _digits(error: float) -> str:
    """Return an error with three significant digits, as few simulations support no more."""
    return f"{float(f'{error:.3g}'):,.0f}" if error >= 100 else f"{error:.3g}"


_RATIOS = "Ratios are relative to the papers' accounting method (simple)."
_HEADING = (
    "| table | mechanism | ε | accounting | noise | variance ratio "
    "| mean absolute error one level below the root | mean absolute error of the leaves "
    "| ratio at the leaves |"
)


def _errors(table: Table, simulation: Simulation) -> pd.DataFrame:
    return errors(table, simulation).rename_axis("place").reset_index()


def _rows(case: _Case, case_plan: Plan, errors: pd.DataFrame) -> list[dict[str, object]]:
    gaussian = any(isinstance(event, GaussianEvent) for event in case_plan.events)
    variance = sum(v for v in case_plan.variances if v is not None)
    return [
        {
            "sample": case.sample,
            "mechanism": case.mechanism,
            "epsilon": float(case.epsilon),
            "accounting": case.account,
            "noise_option": case.noise,
            "noise": "Gaussian" if gaussian else "geometric",
            "variance": variance,
            "level": level,
            "mean_abs": float(part["mean_abs"].mean()),
            "max_abs": float(part["max_abs"].mean()),
        }
        for (_, level), part in errors.groupby(["place", "level"], sort=False)
    ]


def _with_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their ratios to the papers' accounting method."""
    if frame.empty:
        return frame
    keys = ["sample", "mechanism", "epsilon", "level"]
    columns = {"variance": "variance_ratio", "mean_abs": "mean_ratio", "max_abs": "max_ratio"}
    papers = frame[frame["accounting"] == SIMPLE_ACCOUNT].set_index(keys)
    beside = papers.loc[list(frame[keys].itertuples(index=False, name=None))]
    for name, ratio in columns.items():
        papers_own = beside[name].to_numpy()
        # The root of a mechanism that treats the total as public has no error.
        frame[ratio] = frame[name].to_numpy() / np.where(papers_own > 0, papers_own, np.nan)
    return frame
