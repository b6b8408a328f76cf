"""The address of What ε means: which part of the page is open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.writers import notebook
from hierdp_core.writers.notebook import Cells
from pages.ui.shell import datasets
from pages.ui.shell.address import PageAddress, View

PARTS = ("meaning", "laboratory")


@dataclass(frozen=True, kw_only=True)
class PrivacyAddress(PageAddress):
    """The part that is open, one of `PARTS`."""

    WORDS: ClassVar[tuple[str, ...]] = ("part",)

    part: str = PARTS[0]

    @classmethod
    def from_query(cls, query: Mapping[str, str], view: View) -> Self:
        """Return the state that an address describes.

        Raises:
            ChoiceError: there is no such part.
        """
        part = query.get("part", PARTS[0])
        if part not in PARTS:
            raise ChoiceError(f'"part" must be one of {", ".join(PARTS)}; got "{part[:20]}".')
        return cls(part=part)

    def to_query(self) -> dict[str, str]:
        return {} if self.part == PARTS[0] else {"part": self.part}

    def notebook(self, view: View) -> Cells:
        return notebook.meaning(view.settings, source=datasets.source_of(view.settings.sample))

    def full_query(self, view: View) -> dict[str, str]:
        """Return all parameters; for the laboratory, without those of the view."""
        return self.to_query() or view.to_query()
