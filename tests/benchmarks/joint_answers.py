"""How much nearer joint post-processing comes to the truth: paired differences, level by level.

    python tests/benchmarks/joint_answers.py coc taxi --epsilon 0.1,1,10 --simulations 100
    python tests/benchmarks/joint_answers.py nation us-households-national --epsilon 0.33
    python tests/benchmarks/joint_answers.py sizes us-households --epsilon 0.33
    python tests/benchmarks/joint_answers.py counts us-population --epsilon 0.2

ε is that of each level. Every method starts from the same noise where it measures the same
answers, so differences are paired. "alone" makes every region's row rise by itself and rounds it:
no release, since regions do not add up, but what consistency has to be held against. A row of
the output is a sample, an ε, a level and a method: its mean distance (earth mover's for group
sizes, absolute error for counts), its mean L1 error over all cells of a region, and for each
the difference from the first method named in `COMPARISONS` with its 95% interval.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from hierdp_core import samples
from hierdp_core.mechanisms import Mechanism, parse
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import Plan, plan
from hierdp_core.solvers.isotonic import isotonic_rows
from hierdp_core.solvers.median import median_isotonic_rows
from hierdp_core.tables import Table
from hierdp_core.util.arrays import IntArray


@dataclass(frozen=True, kw_only=True)
class Method:
    """A mechanism with its options, or a fit of each region alone to what it measured."""

    name: str
    id: str
    options: tuple[tuple[str, str], ...] = ()
    alone: str = ""

    @property
    def mechanism(self) -> Mechanism:
        return parse(self.id, dict(self.options))


ONE_BY_ONE = (("root", "joint"), ("fit", "noisy"), ("whole", "sizes"))
COMPARISONS = {
    "coc": (
        Method(name="coc-opt", id="coc-opt"),
        Method(name="coc", id="coc"),
        Method(name="alone, medians", id="coc", alone="l1"),
        Method(name="alone, means", id="coc", alone="l2"),
        Method(name="coc-opt root=joint", id="coc-opt", options=(("root", "joint"),)),
    ),
    "nation": (
        Method(name="pgsr-c-opt", id="pgsr-c-opt"),
        Method(name="pgsr-c-opt as before", id="pgsr-c-opt", options=ONE_BY_ONE),
        Method(name="pgsr-c-chain", id="pgsr-c-chain"),
        Method(name="alone, means", id="pgsr-c-opt", alone="l2"),
        Method(name="alone, medians", id="pgsr-c-opt", alone="l1"),
    ),
    "sizes": (
        Method(name="blue-topdown-sizes", id="blue-topdown-sizes"),
        Method(name="pgsr-h-dp", id="pgsr-h-dp"),
        Method(name="topdown-2018", id="topdown-2018"),
        Method(name="pgsr-c-opt", id="pgsr-c-opt"),
    ),
    "counts": (
        Method(name="blue-topdown", id="blue-topdown"),
        Method(name="tree-dp", id="tree-dp"),
        Method(name="topdown", id="topdown"),
        Method(name="hay", id="hay"),
    ),
}


def estimated(method: Method, made: Plan, table: Table, seed: int) -> IntArray:
    """The values of one simulation, shape (n_nodes, n_columns)."""
    noisy = made.mechanism.measure(table.content, made, SeededNoise(seed))
    if not method.alone:
        values = np.asarray(made.mechanism.estimate(noisy, made))
        return values if values.ndim == 2 else values[:, None]
    if isinstance(noisy, np.ndarray):
        rows, ends = noisy, np.full(len(noisy), made.domain.groups)
    else:
        ends = made.domain.region_groups
        rows = np.append(np.concatenate(noisy.levels), ends[:, None], axis=1)
    if method.alone == "l1":
        rising = median_isotonic_rows(rows, ends)
    else:
        fitted = isotonic_rows(rows.astype(np.float64))
        rising = np.rint(np.clip(fitted, 0, ends[:, None])).astype(np.int64)
    return np.diff(rising, axis=1, prepend=0)


def errors_by_level(table: Table, values: IntArray) -> IntArray:
    """Mean distance of a region and its mean L1 error, shape (n_levels, 2)."""
    true = table.values if table.values.ndim == 2 else table.values[:, None]
    off = values - true
    moved = np.abs(np.cumsum(off, axis=1)).sum(axis=1)
    each = np.stack([moved, np.abs(off).sum(axis=1)], axis=1)
    real = ~table.regions.padded
    levels = (np.flatnonzero(table.tree.level_of == k) for k in range(table.tree.n_levels))
    return np.stack([each[nodes[real[nodes]]].mean(axis=0) for nodes in levels])


def interval(difference: IntArray) -> tuple[float, float]:
    """The mean of paired differences and half of its 95% interval (Student's)."""
    n = len(difference)
    half = student.ppf(0.975, n - 1) * difference.std(ddof=1) / np.sqrt(n) if n > 1 else np.nan
    return float(difference.mean()), float(half)


def compare(
    comparison: str,
    sample: str,
    epsilon: float,
    *,
    n_simulations: int,
    show: Callable[[str], None] = lambda line: print(line, flush=True),
) -> dict[str, IntArray]:
    """Simulate all methods and show a table; return errors, shape (simulations, levels, 2)."""
    table, methods = samples.load(sample).table, COMPARISONS[comparison]
    levels = table.regions.levels
    plans = [plan(table, one.mechanism, epsilon=epsilon * len(levels)) for one in methods]
    seeds = range(n_simulations)
    pairs = list(zip(methods, plans, strict=True))
    found: dict[str, list[IntArray]] = {one.name: [] for one in methods}
    for seed in seeds:
        for one, made in pairs:
            found[one.name].append(errors_by_level(table, estimated(one, made, table, seed)))
    errors = {name: np.array(each) for name, each in found.items()}
    first = errors[methods[0].name]
    show(f"\n{sample}, ε = {epsilon:g} a level, {n_simulations} simulations")
    show(f"{'level':<10} {'method':<22} {'distance':>12} {'less':>22} {'L1':>12} {'less':>22}")
    for k, level in enumerate(levels):
        for name, each in errors.items():
            line = f"{level:<10} {name:<22}"
            for measure in range(2):
                mean, half = interval(first[:, k, measure] - each[:, k, measure])
                line += f" {each[:, k, measure].mean():>12,.4g} {mean:>12,.3g} ± {half:<7,.2g}"
            show(line)
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("comparison", choices=COMPARISONS)
    parser.add_argument("samples", nargs="+")
    parser.add_argument("--epsilon", default="0.1,1,10")
    parser.add_argument("--simulations", type=int, default=100)
    asked = parser.parse_args()
    for sample in asked.samples:
        for epsilon in map(float, asked.epsilon.split(",")):
            compare(asked.comparison, sample, epsilon, n_simulations=asked.simulations)


if __name__ == "__main__":
    main()
