"""What a sample is, and where its files lie."""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

from hierdp_core.geography import Boundaries
from hierdp_core.tables import Table

Progress = Callable[[int, int, str], None]  # (done, total, what is being done)

OWN = "own-data"  # in place of a sample's id: a table that somebody brought


@dataclass(frozen=True, kw_only=True)
class SampleInfo:
    """What people should know of a sample before they use it.

    Attributes:
        id: its name in files and addresses.
        title: the same for people.
        kind: "counts", "group-sizes" or "flows".
        about: what it holds, in a few sentences.
        real: which of its figures are real and which are made.
        source: where they come from.
        licence: on which terms they may be used.
        person: what one record is, singular: the unit that privacy protects.
    """

    id: str
    title: str
    kind: str
    about: str
    real: str
    source: str
    licence: str
    person: str = "person"

    def as_dict(self) -> dict[str, str]:
        return {f.name: getattr(self, f.name) for f in fields(SampleInfo)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample(SampleInfo):
    """A sample with its table; its boundaries are read when they are first asked for."""

    table: Table = field(repr=False)
    read_boundaries: Callable[[], Boundaries] = field(repr=False)

    @cached_property
    def boundaries(self) -> Boundaries:
        return self.read_boundaries()


@dataclass(frozen=True, eq=False, kw_only=True)
class Recipe:
    """How a sample is made: its table, and its boundaries given that table."""

    info: SampleInfo
    table: Callable[[Progress | None], Table]
    boundaries: Callable[[Table], Boundaries]

    def sample(self, progress: Progress | None) -> Sample:
        table = self.table(progress)
        return Sample(
            **self.info.as_dict(),
            table=table,
            read_boundaries=lambda: self.boundaries(table),
        )


def data_file(name: str) -> Path:
    """A file of sample_data/: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    folders = (package / "_app" / "sample_data", package.parent / "sample_data")
    return next((f / name for f in folders if (f / name).is_file()), folders[-1] / name)


def data_rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file of sample_data/, every value as text."""
    with data_file(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
