"""Navigation of How it works: to another step, area, size, data set or seed."""

from dataclasses import replace

from hierdp_core.settings import Settings
from pages.ui.how_it_works.address import EXAMPLE, TABS, HowItWorksAddress, stepping
from pages.ui.how_it_works.scene import column_of, problem_of
from pages.ui.shell import address, datasets, session
from pages.ui.shell.address import View
from pages.ui.shell.session import Key

PAPER = "paper"  # beside the ids of samples
TAB_TITLES = {
    "tree": "The tree",
    "chain": "The chain",
    "stages": "Noise and post-processing separately",
}
_NONE_BELOW_ZERO = (
    "No noisy count of this simulated release is below zero. Try new noise, or a smaller budget."
)


def is_flows(id: str) -> bool:
    """Return whether data are flows, which this page does not show."""
    return datasets.info(id).between_regions


def fitting(view: View) -> View:
    """Return a view that this page can show: for flows, the papers' example."""
    if view.of(HowItWorksAddress).paper or not is_flows(view.settings.sample):
        return view
    view = stepping(view, paper=True, size=None, place=None, tab=TABS[0])
    address.keep(view)
    return view


def choose_data() -> None:
    """Open the data chosen in the box."""
    id, view = session.get(Key.INSIDE_DATA), address.view()
    if id == PAPER:
        address.go(stepping(view, paper=True, size=None))
        return
    if id != view.settings.sample:
        view = view.with_sample(id)
    address.go(stepping(view, paper=False, size=None))


def choose_size() -> None:
    """Open the group size chosen in the box."""
    address.go(stepping(address.view(), size=session.get(Key.INSIDE_SIZE)))


def choose_area() -> None:
    """Open the area chosen in the box, at the same step."""
    go_to_node(session.get(Key.INSIDE_PLACE), address.view().of(HowItWorksAddress).step)


def choose_step() -> None:
    """Go to the step chosen in the row of steps."""
    go_to_step(session.get(Key.INSIDE_STEP))


def choose_tab() -> None:
    """Write the open tab to the address."""
    title = session.get(Key.INSIDE_TAB)
    tab = next((t for t in TABS if TAB_TITLES[t] == title), TABS[0])
    address.keep(stepping(address.view(), tab=tab))


def go_to_step(step: str) -> None:
    """Show a step of the same area."""
    address.go(stepping(address.view(), step=step))


def go_to_node(node: int, step: str) -> None:
    """Open a node of the data, at a step."""
    view = address.view()
    if view.of(HowItWorksAddress).paper:
        place = datasets.get(EXAMPLE).table.regions.ids[node] if node else None
        address.go(stepping(view, place=place, step=step))
        return
    address.go(stepping(_at_node(view, node), step=step))


def simulate_again() -> None:
    """Take the next seed, or replace the papers' noise by a simulation of the same data."""
    view = address.view()
    if view.of(HowItWorksAddress).paper:
        if view.settings.sample != EXAMPLE:
            view = view.with_sample(EXAMPLE)
        address.go(stepping(view, paper=False))
        return
    settings = replace(view.settings, seed=view.settings.seed + 1)
    address.go(replace(view, settings=settings))


def show_below_zero() -> None:
    """Go to an area with a noisy count below zero; in other data if the papers' example is open."""
    view = address.view()
    column = view.of(HowItWorksAddress).size
    if view.of(HowItWorksAddress).paper:
        if view.settings.sample == EXAMPLE or is_flows(view.settings.sample):
            view = view.with_sample(Settings().sample)
        view, column = stepping(view, paper=False), None
    sample = datasets.get(view.settings.sample)
    below_zero = problem_of(view).below_zero(column_of(stepping(view, size=column), sample))
    if below_zero is None:
        session.tell(_NONE_BELOW_ZERO)
        return
    node, size = below_zero
    size_shown = size if sample.table.has_groups else None
    address.go(stepping(_at_node(view, node), size=size_shown, step="choice", tab="tree"))


def _at_node(view: View, node: int) -> View:
    regions = datasets.get(view.settings.sample).table.regions
    level = regions.levels[int(regions.tree.level_of[node])]
    return view.at(level, regions.ids[node])
