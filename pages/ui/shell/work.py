"""Simulations for the pages: the first few at once, the others in the background.

Simulations of samples are shared by all visitors. Those of a visitor's own data stay in their
session.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core.evaluation.exploring import Exploration, explore
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.simulation import Plan, Simulation
from hierdp_core.tables import Quantity, quantity
from pages.ui.shell import datasets, jobs
from pages.ui.shell.address import View
from pages.ui.shell.cache import PRIVATE, remembered
from pages.ui.shell.jobs import Job
from pages.ui.shell.turns import urgent

PAGE = "overview"
FIRST_SIMULATIONS = 3  # the page waits for these, unless one is slow
_SLOW = 0.3  # seconds; a longer simulation is slow
_QUIET_LOOKS = 2  # looks before the job starts, while the browser draws its first maps
_BUNDLE = 10  # simulations between two checks whether they are still wanted
_APART = 1.0  # seconds between two such checks, for slow simulations
_KEPT = 24  # largest number of finished explorations that are kept, a few megabytes each


Value = TypeVar("Value")


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn:
    """One simulation and the numbers for its maps; `digest` is its key in caches."""

    digest: str
    sample: Sample
    quantity: Quantity
    plan: Plan
    simulation: Simulation
    regions: pd.DataFrame

    @property
    def slow(self) -> bool:
        return self.simulation.seconds["total"] > _SLOW

    @property
    def levels(self) -> tuple[str, ...]:
        return self.sample.table.regions.levels


def one_simulation(settings: Settings) -> Drawn:
    """Return the simulation of the settings and their seed."""
    with st.spinner("Simulating…"):
        return _one_simulation(datasets.digest(settings), settings)


def simulations(view: View, drawn: Drawn) -> tuple[Exploration, Job[Exploration | None] | None]:
    """Return the simulations so far, and the job that makes the rest; None if all are done.

    The first job of a session starts after a few updates of the page, so that it does not slow down
    the first chart.
    A call with another view stops the job of the previous view.

    Raises:
        HierdpError: a simulation failed.
    """
    kept = _kept(f"{drawn.digest}\n{view.n_simulations}")
    name = drawn.digest, view.n_simulations
    job = jobs.current(PAGE)
    if kept and (job is None or job.name != name):
        jobs.forget(PAGE)
        return kept[0], None
    shared = not drawn.digest.startswith(PRIVATE)
    quiet = _QUIET_LOOKS if job is None else 0  # later, existing maps only change
    job = jobs.of(PAGE, name, lambda: _job(view, drawn, quiet), shared=shared)
    job.check()
    if job.value is None:
        return _first_ones(drawn.digest, drawn), job
    if job.finished and not kept:
        kept.append(job.value)
    return job.value, job


def known(view: View, drawn: Drawn) -> Exploration | None:
    """Return the simulations so far without starting more; None if there are none."""
    kept = _kept(f"{drawn.digest}\n{view.n_simulations}")
    if kept:
        return kept[0]
    job = jobs.current(PAGE)
    value: Exploration | None = None
    if job is not None and job.name == (drawn.digest, view.n_simulations):
        value = job.value
    return value


def in_bundles(job: Job[Value], size: int, more: Callable[[Value, int, int], Value]) -> bool:
    """Extend the value of a job by `size` simulations at a time; return whether all are done.

    Args:
        job: a job whose `total` is a number of simulations.
        size: the number of simulations between two checks whether they are still wanted.
        more: called with the value, the index of the next simulation and the number to add.
    """
    while job.done < job.total and not job.unwanted:
        n = min(size, job.total - job.done)
        job.value = more(job.value, job.done, n)
        job.done += n
    return job.done >= job.total


def _job(view: View, drawn: Drawn, quiet_looks: int) -> Job[Exploration | None]:
    def more(known: Exploration | None, first: int, n: int) -> Exploration:
        fresh = _explored(drawn, first=first, n=n, workers=jobs.threads())
        return fresh if known is None else known.joined(fresh)

    seconds = drawn.simulation.seconds["total"]
    size = jobs.threads() * max(1, int(_APART / seconds)) if drawn.slow else _BUNDLE
    return Job(
        name=(drawn.digest, view.n_simulations),
        compute=lambda job: in_bundles(job, size, more),
        value=None,
        total=view.n_simulations,
        quiet_looks=quiet_looks,
        seconds=view.n_simulations * seconds,
    )


@remembered(max_entries=4)
def _one_simulation(digest: str, _settings: Settings) -> Drawn:
    sample = datasets.get(_settings.sample)
    table = sample.table
    plan = _settings.plan(table)
    with urgent():
        simulation = hdp.simulate(table, plan, seed=_settings.seed)
        selected = quantity(table, _settings.quantity or table.quantities[0].id)
        frame = hdp.by_region_errors(table, simulation, selected.id)
    return Drawn(
        digest=digest,
        sample=sample,
        quantity=selected,
        plan=plan,
        simulation=simulation,
        regions=frame,
    )


@remembered(max_entries=32)
def _first_ones(digest: str, _drawn: Drawn) -> Exploration:
    with urgent():
        return _explored(_drawn, first=0, n=1 if _drawn.slow else FIRST_SIMULATIONS)


def _explored(drawn: Drawn, *, first: int, n: int, workers: int = 1) -> Exploration:
    # For flows, the errors of all pairs are computed as well, for each level of the tree.
    also = ("",) if drawn.sample.table.between_regions else ()
    return explore(
        drawn.sample.table,
        drawn.plan,
        drawn.quantity.id,
        n_simulations=n,
        first=first,
        seed=drawn.simulation.seed,
        quantities=also,
        workers=workers,
    )


@remembered(max_entries=_KEPT)
def _kept(digest: str) -> list[Exploration]:
    """Return the list in which the finished simulations of a view are kept."""
    return []
