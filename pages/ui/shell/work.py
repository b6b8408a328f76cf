"""Draws for the pages: the first at once, the many behind the page's back.

What comes from samples is shared by all visitors; what comes from a visitor's own data stays
in their session.
"""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic

import pandas as pd
import streamlit as st

import hierdp_core as hdp
from hierdp_core.figures.maps import region_table
from hierdp_core.figures.maps.scale import ErrorScale
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.simulation import Plan, Simulation
from hierdp_core.tables import Flows, Quantity, quantity
from pages.ui.shell import session
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import View

FIRST_DRAWS = 3  # few enough to wait for, unless one is slow
_SLOW = 0.3  # seconds a draw
_BUNDLE = 5  # draws between looks at "cancel"
_PATIENCE = 10.0  # seconds without a look after which a job stops
_KEPT = 200  # finished tables of draws, a few kilobytes each


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


@dataclass(eq=False, kw_only=True)
class Job:
    """Many draws on their way. They stop when nobody looks any more."""

    name: str
    drawn: Drawn
    total: int
    bundle: int
    done: int = 0
    frame: pd.DataFrame | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    seen: float = field(default_factory=monotonic)
    future: Future[None] | None = None
    announced: bool = False

    @property
    def running(self) -> bool:
        return self.done < self.total and not self.cancelled and not self.failed

    @property
    def failed(self) -> bool:
        return self.future is not None and self.future.done() and bool(self.future.exception())

    @property
    def cancelled(self) -> bool:
        return self.stop.is_set()

    def cancel(self) -> None:
        self.stop.set()

    def go_on(self) -> None:
        """Say that somebody waits; start, or start again, if need be.

        The first call leaves the machine to the browser, which draws its first maps then.
        """
        self.seen, first, self.announced = monotonic(), not self.announced, True
        if first:
            return
        if self.running and (self.future is None or self.future.done()):
            self.future = executor().submit(self._draw)

    def _draw(self) -> None:
        while self.done < self.total and not self.cancelled and monotonic() - self.seen < _PATIENCE:
            n = min(self.bundle, self.total - self.done)
            self._add(n)
            self.done += n

    def _add(self, n: int) -> None:
        frame = _trials(self.drawn, first=self.done, n=n)
        self.frame = pd.concat([self.frame, frame])


def one_draw(settings: Settings) -> Drawn:
    """The draw of the seed."""
    with st.spinner("Drawing"):
        return _one_draw(session.digest(settings), settings)


def draws(view: View, drawn: Drawn) -> tuple[pd.DataFrame, Job | None]:
    """The draws that are there, and the job that makes the rest while there is one.

    The job waits for its `go_on`, so that it does not slow down the first chart. Asking with
    another view stops the job of the one before.

    Raises:
        HierdpError: what went wrong on the way.
    """
    name = drawn.digest
    kept = _kept(f"{name}\n{view.draws}")
    job: Job | None = session.get(session.Key.WORK)
    if job and (job.name, job.total) != (name, view.draws):
        job.cancel()
        job = None
    if job is None and kept:
        return kept[0], None
    if job is None:
        job = Job(name=name, drawn=drawn, total=view.draws, bundle=1 if drawn.slow else _BUNDLE)
        session.put(session.Key.WORK, job)
    if job.future is not None and job.failed:
        job.future.result()
    if job.frame is None:
        return _first_draws(name, drawn), job
    if job.done == job.total and not kept:
        kept.append(job.frame)
    return job.frame, job


@remembered(max_entries=4)
def _one_draw(digest: str, _settings: Settings) -> Drawn:
    sample = session.data(_settings.sample)
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
    flows = isinstance(drawn.sample.table, Flows)
    return (drawn.quantity.id, "") if flows else (drawn.quantity.id,)


@st.cache_resource(show_spinner=False)
def executor() -> ThreadPoolExecutor:
    """The threads on which jobs run, shared by all visitors."""
    # More than cores, so that short jobs need not wait for long ones.
    return ThreadPoolExecutor(max_workers=8, thread_name_prefix="draws")


@remembered(max_entries=_KEPT)
def _kept(digest: str) -> list[pd.DataFrame]:
    """A place for the finished draws of a view: empty, or one table."""
    return []
