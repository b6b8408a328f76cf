"""Coverage of margins of error, measured on tables whose true counts are known.

A demonstration of the reliability of margins, only for public and synthetic tables.
"""

import numpy as np
import pandas as pd

from hierdp_core.exceptions import ChoiceError
from hierdp_core.mechanisms.base import Plan
from hierdp_core.releases.margins import LEVEL, Margins, margins, numbers_of
from hierdp_core.simulation import simulate
from hierdp_core.tables import Table
from hierdp_core.util.arrays import BoolArray, NumberArray
from hierdp_core.util.parallel import Progress

# Classes of released numbers: from, to. The last one has no end.
CLASSES: tuple[tuple[int, int | None], ...] = ((0, 0), (1, 5), (6, 50), (51, 500), (501, None))


def in_class(values: NumberArray, low: int, high: int | None) -> BoolArray:
    """Return whether each number lies in a class."""
    inside: BoolArray = (values >= low) & (values <= (np.inf if high is None else high))
    return inside


def coverage(
    table: Table,
    plan: Plan,
    *,
    n_releases: int = 10,
    level: float = LEVEL,
    n_simulations: int = 50,
    near_zero: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return the proportion of true counts that the intervals of simulated releases contain.

    One row per level and class of released counts (`level`, `from`, `to`). `numbers` is the number
    of counts in a release. `covered` is the proportion, of those with a margin, whose interval
    contains the true count. `without_margin` is the proportion without a margin. `median_margin`
    is the mean of the median margins of those releases that have one.

    Args:
        table: a public or synthetic table.
        plan: a plan for this table.
        n_releases: the number of simulated releases, each of which gets its own margins.
        level, n_simulations, near_zero: as in `margins`.
        seed: the seed of the releases; the seeds of margins follow from it.
        progress: called with the number of completed releases and the total.

    Raises:
        ChoiceError: `n_releases` is below 1, or as in `margins`.
        HierdpError: a simulation failed, as in `simulate`.
    """
    if n_releases < 1:
        raise ChoiceError(
            f"Coverage needs at least one simulated release; got {n_releases}. Give a number from "
            "1."
        )
    rows = []
    for k in range(n_releases):
        released = simulate(table, plan, seed=seed, index=k).table
        estimates = margins(
            released,
            plan,
            seed=seed + 1 + k,
            level=level,
            n_simulations=n_simulations,
            near_zero=near_zero,
        )
        rows.append(_counts(table, released, estimates))
        if progress is not None:
            progress(k + 1, n_releases)
    counts = pd.concat(rows).groupby(["place", "level", "from", "to"], dropna=False).sum()
    counts = counts.reset_index().sort_values(["place", "from"])
    known = counts["n"] - counts["without"]
    return pd.DataFrame(
        {
            "level": counts["level"],
            "from": counts["from"],
            "to": counts["to"].astype("Int64"),
            "numbers": counts["n"] / n_releases,
            "covered": (counts["held"] / known).where(known > 0),
            "without_margin": counts["without"] / counts["n"],
            "median_margin": (counts["median"] / counts["with_margin"]).where(known > 0),
        }
    ).reset_index(drop=True)


def _counts(table: Table, released: Table, estimates: Margins) -> pd.DataFrame:
    true, values = numbers_of(table, released), numbers_of(released, released)
    rows, start = [], 0
    for place, name in enumerate(released.regions.levels):
        half, _ = estimates.at(place)
        positions = slice(start, start + len(half))
        start += len(half)
        error, known = np.abs(values[positions] - true[positions]), ~np.isnan(half)
        for low, high in CLASSES:
            inside = in_class(values[positions], low, high)
            if inside.any():
                rows.append(
                    {
                        "place": place,
                        "level": name,
                        "from": low,
                        "to": high,
                        "n": int(inside.sum()),
                        "with_margin": int((inside & known).any()),
                        "median": float(np.median(half[inside & known]))
                        if (inside & known).any()
                        else 0.0,
                        "without": int((inside & ~known).sum()),
                        "held": int((inside & known & (error <= np.nan_to_num(half))).sum()),
                    }
                )
    return pd.DataFrame(rows)
