"""Table 7 of [A] Fioretto et al. 2021: the errors of the group-size mechanisms on census data."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from hierdp_core.mechanisms import parse
from hierdp_core.privacy import Number
from hierdp_core.privacy.rounding import GUARANTEE_DIGITS, stated, upper
from hierdp_core.reproduce.common import Footnotes, Load, Repetitions, or_dash
from hierdp_core.simulation import Simulation, plan, simulate
from hierdp_core.tables import Table
from hierdp_core.util.parallel import Cancel, Progress

SAMPLE = "us-households-national"
EPSILONS: tuple[float, ...] = (0.1, 0.5, 1)
_TOO_LITTLE_NOISE = (
    "Published calibration: the claimed ε does not hold. The calibration overlooks that one person "
    "can change as many cumulative counts as a level has areas. Its noise gives the larger ε in "
    "the column “actual ε”."
)


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """A row of [A] Table 7: mean L1 errors by level in thousands of groups, and violations."""

    l1: tuple[float, float, float]
    violations: int


# [A] Table 7, census data, for each budget of EPSILONS. The keys are the mechanism and its
# calibration; the paper's chain has the published one.
_TABLE_7 = {
    ("pgsr-h-relaxed", ""): (
        PublishedRow(l1=(40.3, 54.3, 802.1), violations=1966),
        PublishedRow(l1=(39.4, 37.9, 216.3), violations=1990),
        PublishedRow(l1=(40.7, 39.2, 130.0), violations=1989),
    ),
    ("pgsr-h-dp", ""): (
        PublishedRow(l1=(10.3, 38.4, 825.4), violations=0),
        PublishedRow(l1=(2.4, 9.4, 230.8), violations=0),
        PublishedRow(l1=(1.2, 5.1, 128.8), violations=0),
    ),
    ("pgsr-c-relaxed", ""): (
        PublishedRow(l1=(23.1, 64.5, 632.2), violations=1715),
        PublishedRow(l1=(23.1, 61.0, 494.2), violations=1718),
        PublishedRow(l1=(24.1, 63.0, 494.5), violations=1728),
    ),
    ("pgsr-c-dp", ""): (
        PublishedRow(l1=(0.9, 23.2, 550.6), violations=0),
        PublishedRow(l1=(0.2, 5.8, 159.1), violations=0),
        PublishedRow(l1=(0.1, 3.2, 91.0), violations=0),
    ),
    ("pgsr-c-opt", ""): (None, None, None),
    ("pgsr-c-chain", "published"): (
        PublishedRow(l1=(0.2, 13.9, 603.0), violations=0),
        PublishedRow(l1=(0.0, 3.4, 165.3), violations=0),
        PublishedRow(l1=(0.0, 1.7, 86.9), violations=0),
    ),
    ("pgsr-c-chain", "true"): (None, None, None),
    ("topdown-2018", ""): (
        PublishedRow(l1=(3.7, 35.0, 820.5), violations=0),
        PublishedRow(l1=(0.9, 8.6, 228.4), violations=0),
        PublishedRow(l1=(0.5, 4.6, 127.2), violations=0),
    ),
}


def reproduce_pgsr(
    load: Load,
    *,
    epsilons: Sequence[Number] = EPSILONS,
    n_simulations: int = 30,
    seed: int = 0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> pd.DataFrame:
    """Return [A] Table 7 on HierDP's sample of households.

    There is one row per budget, mechanism and calibration.

    The columns are:

    - `epsilon` (as claimed), `mechanism`, `calibration`.
    - `true_epsilon`: the ε that the noise guarantees.
    - `l1_1` …: for each level from the root down, the mean L1 error in thousands of groups.
    - `sd_1` …: its standard deviation over simulations; NaN with one simulation.
    - `violations`: the mean number of values that differ from the sum over their sub-areas.
    - `seconds` and `noise_seconds`: the median times of a simulation, and of its noise alone.
    - `paper_l1_1` … and `paper_violations`: the published values; NaN if there are none.
    - `simulations`, and `note`: a remark on the row, or empty.

    Args:
        load: returns the table of a sample, given its id.
        epsilons: the budgets; the paper's values are for `EPSILONS`.
        n_simulations: the number of simulations of each case, at least 1.
        seed: the seed of all noise.
        progress: called with the number of completed simulations and the total.
        cancel: called between simulations; if it returns True, rows finished so far are returned.

    Raises:
        ChoiceError: `n_simulations` is below 1.
        BudgetError: one of `epsilons` is outside its range.
    """
    table = load(SAMPLE)
    repetitions = Repetitions(
        seed=seed,
        total=len(epsilons) * len(_TABLE_7) * n_simulations,
        progress=progress,
        cancel=cancel,
    )
    rows: list[dict[str, object]] = []
    for epsilon in epsilons:
        for mechanism, calibration in _TABLE_7:
            options = {"calibration": calibration} if calibration else {}
            case_plan = plan(table, parse(mechanism, options), epsilon=epsilon)
            simulate(table, case_plan, seed=seed)  # a first simulation, which is not timed
            errors = repetitions.of(table, case_plan, n_simulations, partial(_measured, table))
            if errors is None:
                return pd.DataFrame(rows)
            rows.append(
                {
                    "epsilon": float(epsilon),
                    "mechanism": mechanism,
                    "calibration": calibration,
                    "true_epsilon": case_plan.privacy.epsilon,
                    **_columns(np.array(errors), table.tree.n_levels),
                    **_published(float(epsilon), (mechanism, calibration)),
                    "simulations": n_simulations,
                    "note": _TOO_LITTLE_NOISE if calibration == "published" else "",
                }
            )
    return pd.DataFrame(rows)


_ABOUT = (
    "The columns “L1, thousands (SD)” state the mean total (L1) error of each level in thousands "
    "of groups, with its standard deviation over simulations in brackets. “Actual ε” is the ε that "
    "the noise gives. “Violations” is the mean number of values that differ from the sum over "
    "their sub-areas. The four columns from “paper” on contain the published values. “Seconds” is "
    "the median time of a simulation, and “× noise” is this time divided by the time to sample its "
    "noise."
)
_HEADING = (
    "| mechanism | actual ε | L1, thousands (SD): nation | state | county | violations "
    "| paper: nation | state | county | violations | seconds | × noise |"
)


def as_markdown(frame: pd.DataFrame) -> str:
    """Return the table of `reproduce_pgsr` in Markdown, one block per budget."""
    lines, notes = [_ABOUT, ""], Footnotes()
    for _, block in frame.groupby("epsilon", sort=False):
        lines += [f"ε = {stated(block['epsilon'].iloc[0])}", "", _HEADING, "|---|" + "--:|" * 11]
        for row in block.to_dict("records"):
            name = str(row["mechanism"])
            if row["calibration"] == "published":
                name = f"{name}, calibration=published{notes.mark(str(row['note']))}"
            ours = [
                f"{row[f'l1_{k}']:,.2f} ({or_dash(row[f'sd_{k}'], '{:,.2f}')})" for k in (1, 2, 3)
            ]
            theirs = [or_dash(row[f"paper_l1_{k}"], "{:.1f}") for k in (1, 2, 3)]
            lines.append(
                f"| {name} | {upper(row['true_epsilon'], GUARANTEE_DIGITS)} | {' | '.join(ours)} "
                f"| {row['violations']:,.0f} | {' | '.join(theirs)} "
                f"| {or_dash(row['paper_violations'], '{:,.0f}')} | {row['seconds']:.2f} "
                f"| {row['seconds'] / row['noise_seconds']:.1f} |"
            )
        lines.append("")
    return "\n".join([*lines, *notes.lines()])


def _measured(table: Table, simulation: Simulation) -> tuple[float, ...]:
    """Return the L1 error of each level, violations, and the seconds in all and for the noise."""
    gap = np.abs(simulation.table.values - table.values)
    l1 = [float(gap[table.tree.level(k)].sum()) for k in range(table.tree.n_levels)]
    seconds = simulation.seconds
    return (*l1, sum(simulation.checks.violations), seconds["total"], seconds["noise"])


def _columns(
    errors: np.ndarray[tuple[int, ...], np.dtype[np.float64]], levels: int
) -> dict[str, float]:
    mean, deviation = errors.mean(axis=0), errors.std(axis=0, ddof=1) if len(errors) > 1 else None
    columns = {f"l1_{k + 1}": mean[k] / 1000 for k in range(levels)}
    columns |= {
        f"sd_{k + 1}": np.nan if deviation is None else deviation[k] / 1000 for k in range(levels)
    }
    columns |= {
        "violations": mean[levels],
        "seconds": float(np.median(errors[:, levels + 1])),
        "noise_seconds": float(np.median(errors[:, levels + 2])),
    }
    return columns


def _published(epsilon: float, key: tuple[str, str]) -> dict[str, float]:
    row = None
    if epsilon in EPSILONS:
        row = _TABLE_7[key][EPSILONS.index(epsilon)]
    l1 = (np.nan,) * 3 if row is None else row.l1
    figures = {f"paper_l1_{k + 1}": value for k, value in enumerate(l1)}
    return figures | {"paper_violations": np.nan if row is None else row.violations}
