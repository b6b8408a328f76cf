"""Draws for the pages: the first at once, the many behind the page's back.

Everything cached here is shared by all visitors, so it may come from samples only.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core import samples
from hierdp_core.exceptions import HierdpError
from hierdp_core.figures import regions
from hierdp_core.figures.scale import ErrorScale
from hierdp_core.release import Plan, Release
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.tables import Quantity, quantity
from pages.ui import state
from pages.ui.state import View

FIRST_DRAWS = 3  # few enough to wait for
_BUNDLE = 5  # draws between looks at "cancel"
_KEPT = 200  # finished tables of draws, a few kilobytes each


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn:
    """One draw and what the maps need of it."""

    sample: Sample
    quantity: Quantity
    plan: Plan
    release: Release
    regions: pd.DataFrame
    scale: ErrorScale

    @property
    def levels(self) -> tuple[str, ...]:
        return self.sample.table.regions.levels


@dataclass(kw_only=True)
class Job:
    """Many draws on their way."""

    settings: Settings
    total: int
    done: int = 0
    stop: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    frame: pd.DataFrame | None = None
    error: str | None = None

    @property
    def running(self) -> bool:
        return not self.finished.is_set()

    def cancel(self) -> None:
        self.stop.set()

    def run(self, plan: Plan) -> None:
        """Draw in bundles, so that the page can show what is there."""
        try:
            while self.done < self.total and not self.stop.is_set():
                bundle = min(_BUNDLE, self.total - self.done)
                frame = _trials(self.settings, plan, first=self.done, n=bundle)
                self.frame = pd.concat([self.frame, frame])
                self.done += bundle
        except HierdpError as error:
            self.error = str(error)
        finally:
            self.finished.set()


def one_draw(settings: Settings) -> Drawn:
    """The draw of the seed."""
    return _one_draw(settings.to_toml(), settings)


def draws(view: View, plan: Plan) -> tuple[pd.DataFrame, Job | None]:
    """The draws that are there, and the job that makes the rest while there is one.

    Asking again with another view stops the job of the one before.
    """
    settings = view.settings
    name = (settings.to_toml(), view.draws)
    job: Job | None = state.get(state.Key.WORK)
    if job and (job.settings, job.total) != (settings, view.draws):
        job.cancel()
        job = None
    if job is None and (kept := _kept().get(name)) is not None:
        return kept, None
    if job is None:
        job = Job(settings=settings, total=view.draws)
        state.put(state.Key.WORK, job)
        _executor().submit(job.run, plan)
    if job.error:
        raise HierdpError(job.error)
    if job.frame is None:
        return _first_draws(settings.to_toml(), settings, plan), job
    if job.done == job.total:
        _keep(name, job.frame)
    return job.frame, job


@st.cache_resource(max_entries=12, show_spinner=False)
def _one_draw(digest: str, _settings: Settings) -> Drawn:
    sample = samples.load(_settings.sample)
    table = sample.table
    plan = _settings.plan(table)
    release = hdp.run(table, plan, seed=_settings.seed)
    wanted = quantity(table, _settings.quantity or table.quantities[0].id)
    frame = hdp.by_region_errors(table, release, wanted.id)
    leaves = regions.of_level(frame, table.regions.levels[-1])["true"]
    return Drawn(
        sample=sample,
        quantity=wanted,
        plan=plan,
        release=release,
        regions=frame,
        scale=ErrorScale.for_truth(frame["true"].to_numpy(float), leaves.to_numpy(float)),
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _first_draws(digest: str, _settings: Settings, _plan: Plan) -> pd.DataFrame:
    return _trials(_settings, _plan, first=0, n=FIRST_DRAWS)


def _trials(settings: Settings, plan: Plan, *, first: int, n: int) -> pd.DataFrame:
    table = samples.load(settings.sample).table
    wanted = settings.quantity or table.quantities[0].id

    return hdp.trials(
        table, [plan], n=n, first=first, seed=settings.seed, workers=1, quantities=(wanted,)
    )


@st.cache_resource(show_spinner=False)
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=2, thread_name_prefix="draws")


@st.cache_resource(show_spinner=False)
def _kept() -> dict[tuple[str, int], pd.DataFrame]:
    return {}


def _keep(name: tuple[str, int], frame: pd.DataFrame) -> None:
    kept = _kept()
    kept[name] = frame
    while len(kept) > _KEPT:
        kept.pop(next(iter(kept)), None)
