"""The search of Set a budget, in the background; complete searches are cached."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hierdp_core.planning import (
    BestAllocation,
    BudgetPlan,
    PlanningStopped,
    best_allocation,
    expected_simulations,
    find_budget,
)
from hierdp_core.samples import Sample
from hierdp_core.settings import Settings
from hierdp_core.simulation import simulate
from hierdp_core.util.parallel import Workers, cores
from pages.ui.budget.address import FLOOR, BudgetAddress
from pages.ui.shell import datasets, jobs
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered
from pages.ui.shell.jobs import Job
from pages.ui.shell.turns import urgent
from pages.ui.shell.work import Drawn, one_simulation

PAGE = "budget"
_KEPT = 100
_TIMED = 3  # simulations to time; the shortest counts, since other work delays the others

Answer = BudgetPlan | BestAllocation
Question = Callable[["Job[Result]"], Answer]


@dataclass
class Result:
    """The result of the computation: the answer, or None until it is complete."""

    answer: Answer | None = None


def name_of(view: View) -> str:
    """Return the cache key of the search that a view describes."""
    aim = view.of(BudgetAddress)
    if aim.ask == "allocation":
        settings = replace(view.settings, allocation=None)
        levels = datasets.get(settings.sample).table.regions.levels
        weights = aim.weights_for(levels)
        facts = (
            weights,
            bool(aim.synthetic),
            aim.synthetic and aim.total,
        )
        return f"{datasets.digest(settings)}\nallocation {facts}"
    return f"{datasets.digest(without_budget(view))}\n{aim}"


def without_budget(view: View) -> Settings:
    """Return the settings of a view with fixed values for those that a search chooses."""
    return replace(
        view.settings,
        epsilon=1.0,
        delta=None,
        rho=None,
        quantity=None,
        allocation=view.settings.allocation if view.of(BudgetAddress).given else None,
    )


def seconds(view: View) -> float:
    """Estimate how long the search takes on this computer, from one simulation."""
    aim = view.of(BudgetAddress)
    simulations = expected_simulations(chosen=not aim.given, n_simulations=aim.fresh)
    return simulations * seconds_of_one(view) / cores()


def seconds_of_one(view: View) -> float:
    """Return the shortest time of a few simulations, since the first also prepares the table."""
    return float(_seconds_of_one(datasets.digest(view.settings), one_simulation(view.settings)))


def begin(view: View, sample: Sample) -> None:
    """Start the search that a view asks for, and stop an earlier one."""
    jobs.forget(PAGE)
    name, question = name_of(view), _question(view, sample)
    jobs.of(PAGE, name, lambda: Job(name=name, compute=_searching(question), value=Result())).look()


def current() -> Job[Result] | None:
    """Return the search of this session, running or complete."""
    return jobs.current(PAGE)


def asked_for(view: View) -> bool:
    """Return whether the answer of a view is complete or being computed."""
    search = current()
    on_its_way = search is not None and search.running and search.name == name_of(view)
    return on_its_way or answer(view) is not None


def answer(view: View) -> Answer | None:
    """Return the answer of a view, or None if it was not searched for.

    Raises:
        HierdpError: the search failed. The error is raised once.
    """
    name = name_of(view)
    answers, search = _answers(name), current()
    if not answers and search and search.name == name:
        if search.failed:
            jobs.forget(PAGE)  # reported once; then the search can be started again
            search.check()
        if search.finished and search.value.answer is not None:
            answers.append(search.value.answer)
    return answers[0] if answers else None


def _searching(question: Question) -> Callable[[Job[Result]], bool]:
    def compute(job: Job[Result]) -> bool:
        try:
            job.value.answer = question(job)
        except PlanningStopped:
            return False
        return True

    return compute


def _question(view: View, sample: Sample) -> Question:
    settings, aim = view.settings, view.of(BudgetAddress)
    if aim.ask == "allocation":
        return _allocation_question(view, sample)

    def search(job: Job[Result]) -> BudgetPlan:
        return find_budget(
            aim.simulated(sample.table),
            settings.configured,
            aim.targets_for(sample.table),
            allocation=_allocation(view, sample),
            most=aim.largest,
            reliability=aim.reliability,
            floor=FLOOR if aim.guard else 0.0,
            n_simulations=aim.fresh,
            seed=settings.seed,
            workers=Workers(cancel=lambda: job.unwanted),
            progress=job.report,
        )

    return search


def _allocation_question(view: View, sample: Sample) -> Question:
    settings, aim = view.settings, view.of(BudgetAddress)

    def search(job: Job[Result]) -> BestAllocation:
        return best_allocation(
            aim.simulated(sample.table),
            settings.configured,
            budget=settings.budget,
            weights=aim.weights_for(sample.table.regions.levels),
            quantity=settings.quantity,
            seed=settings.seed,
            workers=Workers(cancel=lambda: job.unwanted),
            progress=job.report,
        )

    return search


def _allocation(view: View, sample: Sample) -> tuple[int, ...] | None:
    if not view.of(BudgetAddress).given:
        return None
    return view.settings.allocation or view.settings.plan(sample.table).allocation.weights


@remembered(max_entries=_KEPT)
def _seconds_of_one(digest: str, _drawn: Drawn) -> float:
    table, plan, first = _drawn.sample.table, _drawn.plan, _drawn.simulation
    with urgent():
        again = [simulate(table, plan, seed=first.seed, index=i) for i in range(1, _TIMED)]
    return min(run.seconds["total"] for run in (first, *again))


@remembered(max_entries=_KEPT)
def _answers(digest: str) -> list[Answer]:
    """Return the list that contains the answer of a view as soon as it is computed."""
    return []
