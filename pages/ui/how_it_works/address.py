"""The address of the page How it works: the data, the area and the step that are open."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.explain.tree_steps import STEPS
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells, DataSource
from pages.ui.shell import datasets
from pages.ui.shell.address import PageAddress, View

EXAMPLE = "running-example"
_PAPER_MECHANISM = "pgsr-h-dp"  # of the papers' tables
TABS = ("tree", "chain", "stages")


@dataclass(frozen=True, kw_only=True)
class HowItWorksAddress(PageAddress):
    """The data, area and step that are open on the page.

    Attributes:
        paper: the papers' example with the papers' noise, instead of a simulation of the settings.
        place: a region of that example; None for its root. Other data use the area of the view.
        size: a column of the table; None for the usual one.
        step: one of `STEPS`.
        tab: one of `TABS`.
    """

    WORDS: ClassVar[tuple[str, ...]] = ("place", "size", "step", "tab")

    paper: bool = True
    place: str | None = None
    size: int | None = None
    step: str = STEPS[0]
    tab: str = TABS[0]

    @classmethod
    def start(cls, view: View) -> Self:
        """Return the address of the papers' example, unless a link named other data."""
        return cls(paper=not view.by_link)

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """Return the address of a query, checked against the sizes and regions of the table.

        Raises:
            ChoiceError: a parameter of the address has an invalid value.
        """
        paper = not set(query) - set(cls.WORDS)
        example = datasets.get(EXAMPLE).table
        table = example if paper else datasets.get(view.settings.sample).table
        columns, places = table.domain.n_columns, example.regions.ids
        size, step, tab = query.get("size"), query.get("step", STEPS[0]), query.get("tab", TABS[0])
        place = query.get("place")
        least = 0 if table.domain.empty_groups else 1
        if size is not None and not table.has_groups:
            raise ChoiceError('These data have no group sizes. Leave out "size".')
        if size is not None and not (size.isdecimal() and least <= int(size) < columns):
            raise ChoiceError(
                f'"size" must lie between {least} and {columns - 1}; got "{size[:20]}".'
            )
        if step not in STEPS:
            raise ChoiceError(f'"step" must be one of {", ".join(STEPS)}; got "{step[:20]}".')
        if tab not in TABS:
            raise ChoiceError(f'"tab" must be one of {", ".join(TABS)}; got "{tab[:20]}".')
        if place is not None and place not in places:
            raise ChoiceError(
                '"place" must be an area of the worked example, one of '
                f'{", ".join(places)}; got "{place[:20]}".'
            )
        return cls(
            paper=paper, place=place, size=None if size is None else int(size), step=step, tab=tab
        )

    def notebook(self, view: View) -> Cells:
        settings, level, id = view.settings, view.level, view.region
        if self.paper:
            example = view.with_sample(EXAMPLE).with_mechanism(_PAPER_MECHANISM)
            return notebook.inside(
                example.settings, source=DataSource.SAMPLE, level=None, id=self.place, paper=True
            )
        return notebook.inside(
            settings, source=datasets.source_of(settings.sample), level=level, id=id
        )

    def to_query(self) -> dict[str, str]:
        words = {"place": self.place} if self.paper and self.place is not None else {}
        if self.size is not None:
            words["size"] = str(self.size)
        return words | {"step": self.step} | ({"tab": self.tab} if self.tab != TABS[0] else {})

    def full_query(self, view: View) -> dict[str, str]:
        """Return all parameters; for the papers' example, without those of the settings."""
        return ({} if self.paper else view.to_query()) | self.to_query()

    def elsewhere(self) -> Self:
        return replace(self, size=None)


def stepping(view: View, **changes: Any) -> View:
    """Return the view with these changes of the page's address."""
    return view.having(replace(view.of(HowItWorksAddress), **changes))
