"""The page of benchmarks in the documentation: what is measured, and how it is written.

Times depend on the machine and on what else it does. So each row has two times that were measured
alternately in one run, and their ratio.
"""

import ast
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import process_time

from hierdp_core import samples
from hierdp_core.exceptions import BudgetError
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import Plan, plan, simulate
from hierdp_core.tables import Table
from hierdp_core.util.constraints import USUAL_DELTA
from hierdp_core.util.text import counted, three_digits

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
COMMAND = "python tests/benchmarks"
PACKAGES = ("numpy", "scipy", "numba", "pandas", "streamlit")
_SAMPLES = {"counts": "us-population", "group-sizes": "us-households"}
_FLOWS, _BASELINE = "ri-commuting", "vanilla-gauss"
_FLOW_IDS = ("inftda", "tda-l2", "stability-histogram")
_SMALL = "running-example"
_NATIONAL = "us-households-national"
_NATIONAL_IDS = ("pgsr-h-dp", "pgsr-c-dp", "pgsr-c-opt", "topdown-2018")
_GENERIC = (("pgsr-h-dp", "pgsr-h-dp-generic"),)
_HOW = (
    "This page compares how long steps of the mechanisms take. Times depend on the machine and on "
    "its load. Each row therefore has two times that were measured alternately in one run. The "
    "ratio is the second time divided by the first. Compare ratios, not times.\n\n"
    "In a checkout with the extra `dev`, the first command below repeats the measurements and "
    "writes this page. The second command also makes the measurements that take minutes."
)
_MEASURING = (
    "Each mechanism has the budget ε = 1, with δ = 10⁻⁸ if it needs one. Measuring computes the "
    "exact answers and adds noise. Post-processing makes the released table from the noisy answers."
)
_TESTS = (
    "Further benchmarks are tests that print what they measure, mostly times. Some of them fail "
    "above a limit, which is stated in the file. `pytest -n0 -s tests/benchmarks/FILE` runs one of "
    "these files:"
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """Two times of one case, in seconds of processor time.

    Attributes:
        name: what was measured, in Markdown.
        table: the sample.
        first, second: the shortest of all turns.
    """

    name: str
    table: str
    first: float
    second: float

    @property
    def ratio(self) -> float:
        return self.second / self.first


@dataclass(frozen=True, kw_only=True)
class Section:
    """A table of the page.

    Attributes:
        title: its heading.
        about: what the two times are.
        first, second: headings of the times.
        cases: each measures one row in some number of turns.
        is_long: takes minutes, so that it runs only when asked for.
    """

    title: str
    about: str
    first: str
    second: str
    cases: tuple[Callable[[int], Row], ...]
    is_long: bool = False


def sections() -> tuple[Section, ...]:
    """Return all tables of the page."""
    usual = [
        (id, _SAMPLES[kind])
        for id, mechanism in MECHANISMS.items()
        for kind in mechanism.kinds
        # Mechanisms for flows add noise while they post-process.
        if mechanism.largest_cells is None and "flows" not in mechanism.kinds
    ]
    return (
        Section(
            title="Post-processing against measuring",
            about=_MEASURING,
            first="measuring",
            second="post-processing",
            cases=tuple(_noise_and_estimate(id, sample) for id, sample in usual),
        ),
        Section(
            title="Mechanisms for flows against noise on all pairs",
            about=f"The first time is that of one simulation with `{_BASELINE}`, which adds noise "
            "to all possible pairs. The second is that of another mechanism.",
            first=f"`{_BASELINE}`",
            second="the other",
            cases=tuple(_two_simulations(_BASELINE, id, _FLOWS) for id in _FLOW_IDS),
        ),
        Section(
            title="The tree solver against a generic solver",
            about="The first time is that of post-processing with HierDP's exact solver. The "
            "second is that of dynamic programming over tables of lowest costs, with one call of "
            "HiGHS, an open-source solver, for each entry. Both solve the same integer program.",
            first="tree solver",
            second="generic solver",
            cases=tuple(_two_mechanisms(own, generic, _SMALL) for own, generic in _GENERIC),
        ),
        Section(
            title="The national table",
            about="The two times are those of the first table on this page, for a table with "
            "117 million groups in 3,274 areas.",
            first="measuring",
            second="post-processing",
            cases=tuple(_noise_and_estimate(id, _NATIONAL) for id in _NATIONAL_IDS),
            is_long=True,
        ),
    )


def alternately(
    first: Callable[[], object], second: Callable[[], object], *, turns: int
) -> tuple[float, float]:
    """Return the shortest processor time of each, in seconds, after a turn that does not count."""
    best = [float("inf"), float("inf")]
    for turn in range(turns + 1):
        for k, work in enumerate((first, second)):
            started = process_time()
            work()
            seconds = process_time() - started
            if turn:
                best[k] = min(best[k], seconds)
    return best[0], best[1]


def markdown(
    results: Sequence[tuple[Section, Sequence[Row]]],
    *,
    left_out: Iterable[Section],
    today: date,
    machine: str,
    turns: int,
) -> str:
    """Return the page."""
    parts = [
        "# Benchmarks",
        _HOW,
        f"```console\n{COMMAND}\n{COMMAND} --all\n```",
        _when(today, machine, turns),
        *(_table(section, rows) for section, rows in results),
        _not_run(list(left_out)),
    ]
    return "\n\n".join(parts) + "\n"


def this_machine() -> str:
    """Return the processor, its cores, the system, and how busy it is; not its name."""
    facts = [f"{_processor()} with {counted(os.cpu_count() or 1, 'core')}", platform.system()]
    if hasattr(os, "getloadavg"):
        facts.append(f"under a load of {os.getloadavg()[0]:.1f}")
    return ", ".join(facts)


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return " ".join(model.split())
    return platform.machine()


def other_benchmarks() -> list[tuple[str, str]]:
    """Return the names of the benchmarks that are tests, with their first sentences."""
    found = []
    for path in sorted((ROOT / "tests" / "benchmarks").glob("test_*.py")):
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        found.append((path.name, " ".join(words.partition("\n\n")[0].split())))
    return found


def _noise_and_estimate(id: str, sample: str) -> Callable[[int], Row]:
    def measured(turns: int) -> Row:
        table = samples.load(sample).table
        made = _planned(table, id)
        mechanism = made.mechanism
        noisy = mechanism.measure(table.content, made, SeededNoise(0))
        first, second = alternately(
            lambda: mechanism.measure(table.content, made, SeededNoise(0)),
            lambda: mechanism.estimate(noisy, made),
            turns=turns,
        )
        return Row(name=f"`{id}`", table=sample, first=first, second=second)

    return measured


def _two_simulations(one: str, other: str, sample: str) -> Callable[[int], Row]:
    def measured(turns: int) -> Row:
        table = samples.load(sample).table
        plans = [_planned(table, id) for id in (one, other)]
        first, second = alternately(
            lambda: simulate(table, plans[0]), lambda: simulate(table, plans[1]), turns=turns
        )
        return Row(name=f"`{other}`", table=sample, first=first, second=second)

    return measured


def _planned(table: Table, id: str) -> Plan:
    try:
        return plan(table, id, epsilon=1)
    except BudgetError:  # its noise needs δ
        return plan(table, id, epsilon=1, delta=USUAL_DELTA)


def _two_mechanisms(one: str, other: str, sample: str) -> Callable[[int], Row]:
    def measured(turns: int) -> Row:
        table = samples.load(sample).table
        plans = [plan(table, id, epsilon=1) for id in (one, other)]
        noisy = [p.mechanism.measure(table.content, p, SeededNoise(0)) for p in plans]
        first, second = alternately(
            lambda: plans[0].mechanism.estimate(noisy[0], plans[0]),
            lambda: plans[1].mechanism.estimate(noisy[1], plans[1]),
            turns=turns,
        )
        return Row(name=f"`{one}`, `{other}`", table=sample, first=first, second=second)

    return measured


def _when(today: date, machine: str, turns: int) -> str:
    return (
        f"Measured on {today.day} {today:%B %Y} with {_versions()}, on {machine}. Each time is the "
        f"shortest processor time of {turns} repetitions, in milliseconds."
    )


def _versions() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"HierDP {version('hierdp')}, Python {platform.python_version()}, {packages}"


def _table(section: Section, rows: Sequence[Row]) -> str:
    lines = [
        f"## {section.title}",
        "",
        section.about,
        "",
        f"| mechanism | table | {section.first} | {section.second} | ratio |",
        "|---|---|--:|--:|--:|",
    ]
    for row in rows:
        times = (three_digits(1000 * row.first), three_digits(1000 * row.second))
        lines.append(
            f"| {row.name} | `{row.table}` | {times[0]} | {times[1]} | {three_digits(row.ratio)} |"
        )
    return "\n".join(lines)


def _not_run(left_out: Sequence[Section]) -> str:
    lines = ["## Not part of this run", ""]
    if left_out:
        lines += [
            f"The second command adds the section *{section.title}*. {section.about}"
            for section in left_out
        ]
        lines.append("")
    lines += [
        _TESTS,
        "",
        "| file | what it measures |",
        "|---|---|",
        *(f"| `{name}` | {about} |" for name, about in other_benchmarks()),
    ]
    return "\n".join(lines)
