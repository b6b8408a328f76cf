"""Draws for the pages: the first at once, the many behind the page's back.

What comes from samples is shared by all visitors; what comes from a visitor's own data stays
in their session.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core.figures.maps import region_table
from hierdp_core.figures.maps.scale import ErrorScale
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.simulation import Plan, Simulation
from hierdp_core.tables import Quantity, quantity
from pages.ui.shell import datasets, jobs
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.jobs import Job

PAGE = "overview"
FIRST_DRAWS = 3  # few enough to wait for, unless one is slow
_SLOW = 0.3  # seconds a draw
_BUNDLE = 5  # draws between looks at "cancel"
_KEPT = 200  # finished tables of draws, a few kilobytes each


Value = TypeVar("Value")


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn:
    """One draw and what the maps need of it; `digest` names it in caches."""

    digest: str
    sample: Sample
    quantity: Quantity
    plan: Plan
    simulation: Simulation
    regions: pd.DataFrame
    scale: ErrorScale

    @property
    def slow(self) -> bool:
        return self.simulation.seconds["total"] > _SLOW

    @property
    def levels(self) -> tuple[str, ...]:
        return self.sample.table.regions.levels


def one_draw(settings: Settings) -> Drawn:
    """The draw of the seed."""
    with st.spinner("Drawing"):
        return _one_draw(datasets.digest(settings), settings)


def draws(view: View, drawn: Drawn) -> tuple[pd.DataFrame, Job[pd.DataFrame] | None]:
    """The draws that are there, and the job that makes the rest while there is one.

    The job waits for a look, so that it does not slow down the first chart. Asking with another
    view stops the job of the one before.

    Raises:
        HierdpError: what went wrong on the way.
    """
    kept = _kept(f"{drawn.digest}\n{view.draws}")
    name = drawn.digest, view.draws
    job = jobs.current(PAGE)
    if kept and (job is None or job.name != name):
        jobs.forget(PAGE)
        return kept[0], None
    job = jobs.of(PAGE, name, lambda: _job(view, drawn))
    job.check()
    if not len(job.value):
        return _first_draws(drawn.digest, drawn), job
    if job.finished and not kept:
        kept.append(job.value)
    return job.value, job


def in_bundles(job: Job[Value], size: int, more: Callable[[Value, int, int], Value]) -> bool:
    """Extend the value of a job by `size` draws at a time; whether all are there.

    Args:
        job: its `total` is in draws.
        size: draws between two looks at whether it is wanted.
        more: called with the value, the index of the next draw and how many to add.
    """
    while job.done < job.total and not job.unwanted:
        n = min(size, job.total - job.done)
        job.value = more(job.value, job.done, n)
        job.done += n
    return job.done >= job.total


def _job(view: View, drawn: Drawn) -> Job[pd.DataFrame]:
    def more(frame: pd.DataFrame, first: int, n: int) -> pd.DataFrame:
        fresh = _trials(drawn, first=first, n=n)
        return pd.concat([frame, fresh]) if len(frame) else fresh

    size = 1 if drawn.slow else _BUNDLE
    return Job(
        name=(drawn.digest, view.draws),
        compute=lambda job: in_bundles(job, size, more),
        value=pd.DataFrame(),
        total=view.draws,
        quiet_looks=1,  # the browser draws its first maps then
    )


@remembered(max_entries=4)
def _one_draw(digest: str, _settings: Settings) -> Drawn:
    sample = datasets.get(_settings.sample)
    table = sample.table
    plan = _settings.plan(table)
    simulation = hdp.simulate(table, plan, seed=_settings.seed)
    wanted = quantity(table, _settings.quantity or table.quantities[0].id)
    frame = hdp.by_region_errors(table, simulation, wanted.id)
    leaves = region_table.of_level(frame, table.regions.levels[-1])["true"]
    return Drawn(
        digest=digest,
        sample=sample,
        quantity=wanted,
        plan=plan,
        simulation=simulation,
        regions=frame,
        scale=ErrorScale.for_truth(frame["true"].to_numpy(float), leaves.to_numpy(float)),
    )


@remembered(max_entries=32)
def _first_draws(digest: str, _drawn: Drawn) -> pd.DataFrame:
    return _trials(_drawn, first=0, n=1 if _drawn.slow else FIRST_DRAWS)


def _trials(drawn: Drawn, *, first: int, n: int) -> pd.DataFrame:
    return hdp.simulate_many(
        drawn.sample.table,
        [drawn.plan],
        n_simulations=n,
        first=first,
        seed=drawn.simulation.seed,
        workers=1,
        quantities=_measured(drawn),
        distance=True,
    )


def _measured(drawn: Drawn) -> tuple[str, ...]:
    """The quantity on the maps; for flows every pair as well, level by level of the tree."""
    flows = drawn.sample.table.between_regions
    return (drawn.quantity.id, "") if flows else (drawn.quantity.id,)


@remembered(max_entries=_KEPT)
def _kept(digest: str) -> list[pd.DataFrame]:
    """A place for the finished draws of a view: empty, or one table."""
    return []
