"""Figures 3 to 6 of [C] Boninsegna and Silvestri 2024: flows on synthetic tables.

The authors' code spends only half of its ρ. Both splits of the budget are simulated. The paper's
values are in the rows of the split that the code uses, except for one value with the whole budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from hierdp_core.evaluation.errors import errors
from hierdp_core.mechanisms import parse
from hierdp_core.mechanisms.base import Plan
from hierdp_core.privacy import Budget, Number
from hierdp_core.privacy.budget import SIMPLE_ACCOUNT
from hierdp_core.privacy.rounding import stated, upper
from hierdp_core.reproduce.common import Footnotes, Load, Repetitions, or_dash
from hierdp_core.simulation import Simulation, plan
from hierdp_core.tables import Table
from hierdp_core.util.parallel import Cancel, Progress

DELTA = 1e-8
EPSILONS: tuple[float, ...] = (0.1, 1, 10)
SAMPLES = tuple(
    f"od-{shape}-{filled}"
    for shape in ("binary", "random")
    for filled in ("complete", "dense", "sparse")
)
SPLITS = ("reference", "paper")
_HALF_SPENT = (
    "The authors' public code spends only half of its ρ. These rows spend the same half, so that "
    "they can be compared with its figures. Their noise gives the smaller ε in the column "
    "“actual ε”."
)
# The generic solver takes up to several minutes per simulation of a sparse table, and longer on
# others.
_SOLVER_SAMPLES = ("od-binary-sparse", "od-random-sparse")
_SOLVER_SIMULATIONS = 2


@dataclass(frozen=True, kw_only=True)
class Case:
    """A mechanism with its split of the budget; "" if it has none."""

    mechanism: str
    split: str = ""

    @property
    def options(self) -> dict[str, str]:
        """The options of the mechanism, as words by name."""
        return {"split": self.split} if self.split else {}

    def runs_on(self, sample: str) -> bool:
        """Return whether the case is simulated on a sample."""
        return self.mechanism != "tda-linf" or sample in _SOLVER_SAMPLES

    def n_of(self, n_simulations: int) -> int:
        """Return the number of simulations of the case, if `n_simulations` are requested."""
        return (
            min(n_simulations, _SOLVER_SIMULATIONS)
            if self.mechanism == "tda-linf"
            else n_simulations
        )


CASES = (
    *(Case(mechanism=id, split=s) for id in ("inftda", "tda-l2", "tda-linf") for s in SPLITS),
    Case(mechanism="vanilla-gauss"),
    Case(mechanism="stability-histogram"),
)


@dataclass(frozen=True, kw_only=True)
class Published:
    """The values of [C] at ε = 1 for the leaves: largest error and false discovery rate."""

    error: float
    fdr: float = field(default=np.nan)


# The values of the authors' code, with half of the budget, and one value with the whole budget.
_PAPER = {
    ("od-binary-sparse", "inftda", "reference"): Published(error=132, fdr=0.90),
    ("od-binary-sparse", "tda-l2", "reference"): Published(error=131, fdr=0.90),
    ("od-binary-sparse", "tda-linf", "reference"): Published(error=132, fdr=0.90),
    ("od-binary-sparse", "vanilla-gauss", ""): Published(error=38, fdr=0.98),
    ("od-random-sparse", "inftda", "reference"): Published(error=115, fdr=0.84),
    ("od-random-sparse", "tda-l2", "reference"): Published(error=110, fdr=0.89),
    ("od-random-sparse", "tda-linf", "reference"): Published(error=149, fdr=0.90),
    ("od-random-sparse", "vanilla-gauss", ""): Published(error=40, fdr=0.98),
    ("od-binary-complete", "inftda", "reference"): Published(error=127),
    ("od-binary-complete", "inftda", "paper"): Published(error=94),
}


def reproduce_flows(
    load: Load,
    *,
    epsilons: Sequence[Number] = EPSILONS,
    n_simulations: int = 10,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> pd.DataFrame:
    """Return [C] Figures 3 to 6 on the six synthetic samples.

    There is one row per sample, budget, case and level. The columns are:

    - `sample`, `epsilon` (with δ = 10⁻⁸), `mechanism`, `split` ("" if there is none).
    - `true_epsilon`: the ε that the noise guarantees.
    - `tree_level` and `level`: the number and the name of the level.
    - `max_abs`, `fdr` and `fnr`: means over simulations, as in `errors`.
    - `max_abs_least` and `max_abs_most`: the smallest and the largest `max_abs` of a simulation.
    - `bound`: the proved bound on errors; NaN if there is none.
    - `seconds`: the median time of a simulation.
    - `paper_max_abs` and `paper_fdr`: the published values; NaN if there are none.
    - `simulations`, and `note`: a remark on the row, or empty.

    The generic solver (`tda-linf`) runs on the two sparse samples only, in at most two simulations.

    Args:
        load: returns the table of a sample, given its id.
        epsilons: the budgets; the paper's values are for ε = 1.
        n_simulations: the number of simulations of each case, at least 1.
        seed: the seed of all noise.
        progress: called with the number of completed simulations and the total.
        cancel: called between simulations; if it returns True, rows finished so far are returned.

    Raises:
        ChoiceError: `n_simulations` is below 1.
        BudgetError: one of `epsilons` is outside its range.
    """
    cases = [
        (sample, epsilon, case)
        for sample in SAMPLES
        for epsilon in epsilons
        for case in CASES
        if case.runs_on(sample)
    ]
    repetitions = Repetitions(
        seed=seed,
        total=sum(case.n_of(n_simulations) for _, _, case in cases),
        progress=progress,
        cancel=cancel,
    )
    rows: list[dict[str, object]] = []
    for sample, epsilon, case in cases:
        table = load(sample)
        budget = Budget.approximate(epsilon, DELTA, accounting=SIMPLE_ACCOUNT)
        case_plan = plan(table, parse(case.mechanism, case.options), budget=budget)
        n = case.n_of(n_simulations)
        frames = repetitions.of(table, case_plan, n, partial(_errors, table))
        if frames is None:
            break
        rows += _rows(sample, float(epsilon), case, case_plan, pd.concat(frames))
    return pd.DataFrame(rows)


def as_markdown(frame: pd.DataFrame) -> str:
    """Return the errors one level below the root and of the leaves as tables, one per budget."""
    lines, notes = [_ABOUT, ""], Footnotes()
    for _, block in frame.groupby("epsilon", sort=False):
        lines += [
            f"ε = {stated(block['epsilon'].iloc[0])}, δ = {stated(DELTA)}",
            "",
            _HEADING,
            "|---|---|" + "--:|" * 10,
        ]
        for (sample, mechanism, split), case in block.groupby(
            ["sample", "mechanism", "split"], sort=False
        ):
            leaves, top = case.iloc[-1], case.iloc[2]
            name = f"{mechanism}, split={split}" if split != "" else str(mechanism)
            name += notes.mark(str(leaves["note"]))
            lines.append(
                f"| {sample} | {name} | {upper(leaves['true_epsilon'])} | {top['max_abs']:,.0f} "
                f"| {leaves['max_abs']:,.0f} | {or_dash(leaves['paper_max_abs'], '{:,.0f}')} "
                f"| {leaves['max_abs_least']:,.0f} to {leaves['max_abs_most']:,.0f} "
                f"| {or_dash(np.ceil(leaves['bound']), '{:,.0f}')} | {leaves['fdr']:.0%} "
                f"| {or_dash(leaves['paper_fdr'], '{:.0%}')} | {leaves['fnr']:.0%} "
                f"| {leaves['seconds']:.3f} |"
            )
        lines.append("")
    return "\n".join([*lines, *notes.lines()])


_ABOUT = (
    "“Largest error” is the largest error over pairs of areas one level below the root and over "
    "pairs of leaves, as a mean over simulations. The other columns concern pairs of leaves. "
    "“Range” states the smallest and the largest of these errors over simulations. The bound, "
    "where one is proved, holds with a probability of 95%. False positives are the proportion of "
    "released flows that do not exist. False negatives are the proportion of true flows that are "
    "not released. “Paper” is the published figure for the column to its left. All other columns "
    "are HierDP's, even in the rows with split=paper, which spend the whole budget as the paper "
    "describes."
)
_HEADING = (
    "| sample | mechanism | actual ε | largest error: areas | leaves | paper | range | bound "
    "| false positives | paper | false negatives | seconds |"
)


def _errors(table: Table, simulation: Simulation) -> pd.DataFrame:
    frame = errors(table, simulation).assign(seconds=simulation.seconds["total"])
    return frame.rename_axis("tree_level").reset_index()


def _rows(
    sample: str, epsilon: float, case: Case, case_plan: Plan, errors: pd.DataFrame
) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for (tree_level, level), part in errors.groupby(["tree_level", "level"], sort=False):
        figures = None
        if epsilon == 1 and level == case_plan.levels[-1]:
            figures = _PAPER.get((sample, case.mechanism, case.split))
        rows.append(
            {
                "sample": sample,
                "epsilon": epsilon,
                "mechanism": case.mechanism,
                "split": case.split,
                "true_epsilon": case_plan.privacy.epsilon,
                "tree_level": tree_level,
                "level": level,
                **{name: float(part[name].mean()) for name in ("max_abs", "fdr", "fnr")},
                "max_abs_least": part["max_abs"].min(),
                "max_abs_most": part["max_abs"].max(),
                "bound": part["bound"].max() if "bound" in part else np.nan,
                "seconds": part["seconds"].median(),
                "paper_max_abs": np.nan if figures is None else figures.error,
                "paper_fdr": np.nan if figures is None else figures.fdr,
                "simulations": len(part),
                "note": _HALF_SPENT if case.split == "reference" else "",
            }
        )
    return rows
