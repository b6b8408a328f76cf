"""The simulations of Compare mechanisms, made in the background and kept by case.

A case is a configuration on the page: a mechanism with its options, a budget and an allocation. It
is simulated once for all visitors and comparisons. Its name is a digest of everything that
determines it. Simulations of a visitor's own data stay in their session.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic, sleep
from typing import Any, Self

import pandas as pd
import streamlit as st

from hierdp_core import mechanisms, samples
from hierdp_core.evaluation.comparison import (
    Comparison,
    SimulatedCase,
    case_digest,
    measured_quantities,
    rivals,
    simulate_cases,
    table_digest,
)
from hierdp_core.mechanisms.base import Plan
from hierdp_core.samples import Sample
from hierdp_core.util.parallel import Workers
from pages.ui.compare.address import CompareView
from pages.ui.shell import datasets, jobs, turns
from pages.ui.shell.cache import PRIVATE, remembered
from pages.ui.shell.jobs import Job

PAGE = "compare"
_FIRST_LOOK = 1.0  # seconds that a page waits for first simulations before it is shown
_KEPT = 600  # cases of some tens of kilobytes each


@dataclass(eq=False)
class CaseSimulations:
    """The simulations of one case so far.

    Those up to the first gap are merged into one table. Later ones wait in `later`.
    """

    errors: pd.DataFrame = field(default_factory=pd.DataFrame)
    by_size: pd.DataFrame = field(default_factory=pd.DataFrame)
    merged: int = 0
    later: dict[int, SimulatedCase] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def done(self) -> int:
        """The number of simulations without a gap."""
        with self.lock:
            return self._end()

    def add(self, simulation: SimulatedCase) -> None:
        with self.lock:
            if simulation.index >= self.merged:
                self.later[simulation.index] = simulation

    def upto(self, n: int, *, case: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the errors of the first `n` simulations, and those by size, as rows of `case`."""
        with self.lock:
            fresh = [self.later.pop(index) for index in range(self.merged, self._end())]
            if fresh:
                self.errors = _together([self.errors, *(one.errors for one in fresh)])
                self.by_size = _together([self.by_size, *(one.by_size for one in fresh)])
                self.merged += len(fresh)
            frames = self.errors, self.by_size
        first, second = (
            frame[frame["simulation"] < n].assign(case=case) if len(frame) else frame
            for frame in frames
        )
        return first, second

    def _end(self) -> int:
        end = self.merged
        while end in self.later:
            end += 1
        return end


@dataclass(eq=False, kw_only=True)
class Running:
    """The results of a comparison so far, with the page sections that were made from them."""

    view: CompareView
    plans: tuple[Plan, ...]
    cases: tuple[CaseSimulations, ...]
    failures: dict[int, str] = field(default_factory=dict)
    _shown: tuple[int, Comparison] | None = None
    _begun: tuple[float, int] | None = None
    _made: tuple[object, Comparison, float, Any] | None = None

    @property
    def total(self) -> int:
        return self.view.n_simulations * (len(self.plans) - len(self.failures))

    @cached_property
    def shown_first(self) -> tuple[int, ...]:
        """The cases with the guarantee at which the page compares errors."""
        groups = dict(rivals(self.plans))
        return groups[self.view.guarantee_among(list(groups))] if groups else ()

    @property
    def can_be_shown(self) -> bool:
        """Whether each of those cases has a simulation, or has failed."""
        return all(self.cases[k].done or k in self.failures for k in self.shown_first)

    @property
    def done(self) -> int:
        return sum(
            min(case.done, self.view.n_simulations)
            for place, case in enumerate(self.cases)
            if place not in self.failures
        )

    @property
    def seconds_left(self) -> float | None:
        """The time left at the rate so far; None if it is not known yet."""
        if self._begun is None or self.done - self._begun[1] < len(self.plans):
            return None
        rate = (self.done - self._begun[1]) / (monotonic() - self._begun[0])
        return (self.total - self.done) / rate

    def comparison(self) -> Comparison:
        """Return the results so far."""
        n_done = self.done
        if self._shown is None or self._shown[0] != n_done:
            frames = [
                case.upto(self.view.n_simulations, case=place)
                for place, case in enumerate(self.cases)
            ]
            self._shown = (
                n_done,
                Comparison(
                    plans=self.plans,
                    n_simulations=self.view.n_simulations,
                    errors=_together([errors for errors, _ in frames]),
                    by_size=_together([by_size for _, by_size in frames]),
                    failures=tuple(sorted(self.failures.items())),
                ),
            )
        return self._shown[1]

    def kept(
        self,
        name: object,
        make: Callable[[], Any],
        *,
        comparison: Comparison,
        running: bool,
        every: float,
    ) -> Any:
        """Return the sections that `make` gives for these results.

        While simulations run, they are made again at most once in `every` seconds.
        """
        now = monotonic()
        if self._made is not None:
            known, of, when, sections = self._made
            if known == name and (of is comparison or (running and now - when < every)):
                return sections
        sections = make()
        self._made = name, comparison, now, sections
        return sections

    def simulate(self, job: Job[Self], sample: Sample) -> bool:
        """Run the missing simulations and return whether all are complete."""
        for id in dict.fromkeys(plan.id for plan in self.plans):
            mechanisms.warm_up(id)
        self._begun = monotonic(), self.done
        first = set(self.shown_first)
        order = sorted(range(len(self.plans)), key=lambda case: case not in first)
        simulate_cases(
            sample.table,
            [self.plans[case] for case in order],
            n_simulations=self.view.n_simulations,
            have=[self.cases[case].done for case in order],
            seed=self.view.seed,
            workers=Workers(threads=jobs.threads(), cancel=lambda: job.unwanted),
            quantities=measured_quantities(sample.table),
            arrived=lambda simulation: self._arrived(simulation, order[simulation.case]),
        )
        return self.done >= self.total

    def _arrived(self, simulation: SimulatedCase, case: int) -> None:
        if simulation.failure:
            self.failures[case] = simulation.failure
        else:
            self.cases[case].add(simulation)


def job(view: CompareView, sample: Sample, plans: tuple[Plan, ...]) -> Job[Running]:
    """Return the job of this comparison, and stop that of another one."""
    cases = _names(view, sample, plans)

    def made() -> Job[Running]:
        running = Running(view=view, plans=plans, cases=tuple(map(_case, cases)))
        return Job(
            name=(view.n_simulations, cases),
            compute=lambda job: running.simulate(job, sample),
            value=running,
            finished=running.done >= running.total,
        )

    return jobs.of(PAGE, (view.n_simulations, cases), made)


def wait(job: Job[Running]) -> None:
    """Wait until the cases shown first have a simulation each, for at most about a second."""
    until = monotonic() + _FIRST_LOOK
    with turns.waiting_for_work():
        while job.running and not job.value.can_be_shown and monotonic() < until:
            sleep(0.02)


def _names(view: CompareView, sample: Sample, plans: tuple[Plan, ...]) -> tuple[str, ...]:
    """Return a digest for each case, of everything that determines its simulations."""
    own, quantities = datasets.own(), measured_quantities(sample.table)
    private = own is not None and own.sample is sample
    table = own.ticket if private and own else _table_digest(sample.id)
    return tuple(
        (PRIVATE if private else "")
        + case_digest(table, plan, seed=view.seed, quantities=quantities)
        for plan in plans
    )


@remembered(max_entries=_KEPT)
def _case(digest: str) -> CaseSimulations:
    return CaseSimulations()


def _together(frames: list[pd.DataFrame]) -> pd.DataFrame:
    non_empty = [frame for frame in frames if len(frame)]
    return pd.concat(non_empty, ignore_index=True) if non_empty else pd.DataFrame()


@st.cache_data(show_spinner=False)
def _table_digest(sample: str) -> str:
    return table_digest(samples.load(sample).table)
