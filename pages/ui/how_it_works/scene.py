"""The state of How it works: data, area, group size and step, with the program behind them."""

from dataclasses import dataclass, replace

import hierdp_core as hdp
from hierdp_core.explain import stages
from hierdp_core.explain.tree_steps import PAPER_SIZE, Family, Problem
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.samples.sample import Sample
from hierdp_core.settings import Settings
from pages.ui.how_it_works.address import EXAMPLE, HowItWorksAddress
from pages.ui.shell import datasets, words, work
from pages.ui.shell.address import View
from pages.ui.shell.cache import remembered

PROGRAM = {one.kinds[0]: id for id, one in MECHANISMS.items() if one.is_tree_program}


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """The data, area and step that are open.

    Attributes:
        view: the settings and the address of the page.
        sample: the data.
        problem: the program of all areas.
        family: the area that is open, with its children.
        column: the group size; 0 where there are no groups.
    """

    view: View
    sample: Sample
    problem: Problem
    family: Family
    column: int

    @property
    def subject(self) -> str:
        """The quantity that is counted."""
        return self.sample.table.column_title(self.column)

    @property
    def here(self) -> HowItWorksAddress:
        """This page's part of the address."""
        return self.view.of(HowItWorksAddress)

    @property
    def step(self) -> str:
        """The step, one of `STEPS`."""
        return self.here.step

    @property
    def names(self) -> list[str]:
        """The names of the children."""
        return [self.problem.names[int(p)] for p in self.family.parts]

    @property
    def head(self) -> str:
        """The name of the open area, as it reads within a sentence."""
        return words.place(self.problem.names[self.family.head])


def sample_of(view: View) -> Sample:
    """Return the data of a view; the running example where the papers' noise is shown."""
    paper = view.of(HowItWorksAddress).paper
    return datasets.get(EXAMPLE if paper else view.settings.sample)


def scene_of(view: View, sample: Sample) -> Scene:
    """Return the data, area, size and step that a view opens."""
    problem, column = problem_of(view), column_of(view, sample)
    return Scene(
        view=view,
        sample=sample,
        problem=problem,
        family=Family.at(problem, node_of(view, sample), column),
        column=column,
    )


def problem_of(view: View) -> Problem:
    """Return the program of the papers' example, or of one simulation of the settings."""
    if view.of(HowItWorksAddress).paper:
        return Problem.of_the_paper(datasets.get(EXAMPLE).table)
    drawn = work.one_simulation(tree_program(view.settings))
    return Problem.of(drawn.sample.table, drawn.simulation)


def tree_program(settings: Settings) -> Settings:
    """Return the same settings with the tree program, whose steps this page shows."""
    if settings.mechanism in PROGRAM.values():
        return settings
    kind = datasets.info(settings.sample).kind
    return replace(settings, mechanism=PROGRAM[kind], options={})


def column_of(view: View, sample: Sample) -> int:
    """Return the group size of a view, or the usual one of its data."""
    size = view.of(HowItWorksAddress).size
    if size is not None:
        return size
    return PAPER_SIZE if sample.table.has_groups else 0


def node_of(view: View, sample: Sample) -> int:
    """Return the node of a view's area; the root where it names none."""
    regions, address = sample.table.regions, view.of(HowItWorksAddress)
    if address.paper:
        return 0 if address.place is None else regions.ids.index(address.place)
    if view.level is None or view.region is None:
        return 0
    return regions.node(view.region, regions.level_index(view.level))


@remembered(max_entries=16)
def stages_of(digest: str, n_simulations: int, _settings: Settings) -> stages.Walk:
    """Return the stages of some simulations of the settings."""
    table = datasets.get(_settings.sample).table
    plan = _settings.plan(table)
    simulations = [
        hdp.simulate(table, plan, seed=_settings.seed, index=k) for k in range(n_simulations)
    ]
    return stages.walk(table, simulations)
