"""Samples: tables that come with HierDP, and their facts."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property

from hierdp_core.maps.boundaries import Boundaries
from hierdp_core.tables import KINDS, Table
from hierdp_core.util.parallel import NamedProgress
from hierdp_core.util.shown import Shown

OWN = "own-data"  # replaces the id of a sample for a visitor's own table


@dataclass(frozen=True, kw_only=True)
class SampleInfo:
    """The facts to know about a sample before it is used.

    Attributes:
        id: its name in files and addresses.
        title: its name on screen.
        kind: "counts", "group-sizes" or "flows".
        about: its content, in a few sentences.
        real: which of its figures are real, and which are fitted, synthetic or noisy.
        badge: a few words, to show beside the numbers, on what is not real or not exact; empty if
            all is real.
        source: the source of the figures.
        licence: the terms on which they may be used; empty for data that a user supplied.
        person: the noun for one record, singular.
    """

    id: str
    title: str
    kind: str
    about: str
    real: str
    source: str
    licence: str
    person: str = "person"
    badge: str = ""

    @property
    def credit(self) -> str:
        """The source and the licence, in one or two sentences; own data have no licence here."""
        return f"{self.source}. Licence: {self.licence}." if self.licence else f"{self.source}."

    @property
    def between_regions(self) -> bool:
        """Whether its counts are flows between two regions."""
        return KINDS[self.kind].between_regions

    def as_dict(self) -> dict[str, str]:
        """Return the facts by name, in the order of the attributes."""
        return {f.name: getattr(self, f.name) for f in fields(SampleInfo)}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Sample(Shown, SampleInfo):
    """A sample with its table; its boundaries are read when they are first used."""

    table: Table = field(repr=False)
    read_boundaries: Callable[[], Boundaries] = field(repr=False)

    @cached_property
    def boundaries(self) -> Boundaries:
        """The boundaries of the regions of the table."""
        return self.read_boundaries()


@dataclass(frozen=True, eq=False, kw_only=True)
class Recipe:
    """A sample that is not loaded: the functions that make its table and its boundaries."""

    info: SampleInfo
    table: Callable[[NamedProgress | None], Table]
    boundaries: Callable[[Table], Boundaries]

    def sample(self, progress: NamedProgress | None) -> Sample:
        """Make the table and return the sample; `progress` is called during long steps."""
        table = self.table(progress)
        return Sample(
            **self.info.as_dict(),
            table=table,
            read_boundaries=lambda: self.boundaries(table),
        )
