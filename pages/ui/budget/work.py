"""The search of the page Plan, behind the page's back; finished ones are kept."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import streamlit as st

from hierdp_core.planning import (
    BestAllocation,
    BudgetPlan,
    PlanningStopped,
    best_allocation,
    find_budget,
)
from hierdp_core.samples import Sample
from pages.ui.shell import session
from pages.ui.shell.cache import remembered
from pages.ui.shell.session import View

_PATIENCE = 10.0  # seconds without a look after which a search stops
_KEPT = 100

Answer = BudgetPlan | BestAllocation


@dataclass(eq=False, kw_only=True)
class Search:
    """One search on its way. It stops when nobody looks any more."""

    name: str
    done: int = 0
    expected: int = 1
    words: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    seen: float = field(default_factory=monotonic)
    future: Future[Answer] | None = None

    @property
    def running(self) -> bool:
        return self.future is not None and not self.future.done()

    @property
    def share(self) -> float:
        return min(1.0, self.done / max(1, self.expected))

    def cancel(self) -> None:
        self.stop.set()

    def look(self) -> None:
        """Say that somebody waits."""
        self.seen = monotonic()

    def told(self, done: int, expected: int, words: str) -> None:
        self.done, self.expected, self.words = done, expected, words

    def unwanted(self) -> bool:
        return self.stop.is_set() or monotonic() - self.seen > _PATIENCE


def name_of(view: View) -> str:
    """What names the answer that a view asks for."""
    if view.aim.ask == "shares":
        asked = replace(view.settings, allocation=None)
        levels = session.data(asked.sample).table.regions.levels
        weights = view.aim.weights_for(levels)
        aim = (weights, bool(view.aim.stand_in), view.aim.stand_in and view.aim.total)
        return f"{session.digest(asked)}\nshares {aim}"
    asked = replace(
        view.settings,
        epsilon=1.0,
        delta=None,
        rho=None,
        quantity=None,
        allocation=view.settings.allocation if view.aim.given else None,
    )
    return f"{session.digest(asked)}\n{view.aim}"


def begin(view: View, sample: Sample) -> None:
    """Start the search that a view asks for; one before it stops."""
    before = current()
    if before is not None:
        before.cancel()
    search = Search(name=name_of(view))
    search.future = _executor().submit(_question(view, sample, search))
    session.put(session.Key.PLAN_WORK, search)


def current() -> Search | None:
    """The search of this session, on its way or done."""
    found: Search | None = session.get(session.Key.PLAN_WORK)
    return found


def answer(view: View) -> Answer | None:
    """What was found for a view, if it was looked for.

    Raises:
        HierdpError: what went wrong on the way, once.
    """
    name = name_of(view)
    kept, search = _kept(name), current()
    if not kept and search and search.name == name and search.future and search.future.done():
        try:
            kept.append(search.future.result())
        except PlanningStopped:
            search.cancel()
            return None
        except Exception:
            session.forget(session.Key.PLAN_WORK)  # told once, then one may try again
            raise
    return kept[0] if kept else None


def _question(view: View, sample: Sample, search: Search) -> Callable[[], Answer]:
    settings, aim = view.settings, view.aim
    if aim.ask == "shares":
        return _shares_question(view, sample, search)
    asked: dict[str, Any] = {
        "shares": _shares(view, sample),
        "options": settings.options,
        "in_rho": aim.find == "rho",
        "delta": aim.delta if aim.find == "delta" else None,
        "reliability": aim.reliability,
        "most": aim.most,
        "draws": aim.fresh,
        "seed": settings.seed,
        "stand_in": bool(aim.stand_in),
        "total": aim.total if aim.stand_in else None,
        "progress": search.told,
        "cancel": search.unwanted,
    }
    targets = aim.targets_for(sample.table)
    return lambda: find_budget(sample.table, settings.mechanism, targets, **asked)


def _shares_question(view: View, sample: Sample, search: Search) -> Callable[[], BestAllocation]:
    settings, aim = view.settings, view.aim

    def found() -> BestAllocation:
        return best_allocation(
            sample.table,
            settings.mechanism,
            epsilon=settings.epsilon,
            delta=settings.delta,
            rho=settings.rho,
            weights=aim.weights_for(sample.table.regions.levels),
            quantity=settings.quantity,
            options=settings.options,
            seed=settings.seed,
            stand_in=bool(aim.stand_in),
            total=aim.total if aim.stand_in else None,
            progress=search.told,
            cancel=search.unwanted,
        )

    return found


def _shares(view: View, sample: Sample) -> tuple[int, ...] | None:
    if not view.aim.given:
        return None
    return view.settings.allocation or view.settings.plan(sample.table).allocation.weights


@st.cache_resource(show_spinner=False)
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=4, thread_name_prefix="plan")


@remembered(max_entries=_KEPT)
def _kept(digest: str) -> list[Answer]:
    """A place for the answer of a view: empty, or one."""
    return []
