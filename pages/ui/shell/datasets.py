"""The data that pages can show: the samples, and a visitor's own table in their session."""

from dataclasses import dataclass, field
from functools import cached_property
from secrets import token_hex

from hierdp_core import mechanisms, samples
from hierdp_core.exceptions import ChoiceError
from hierdp_core.samples.sample import OWN, Sample, SampleInfo
from hierdp_core.settings import Settings
from hierdp_core.util.escaping import FileText
from hierdp_core.writers.notebook import DataSource
from pages.ui.shell import cache, loading, session
from pages.ui.shell.session import Key


@dataclass(frozen=True, eq=False, kw_only=True)
class Own:
    """A visitor's own table, which is in their session only.

    Attributes:
        sample: the table as a sample with the id `OWN`.
        confidential: whether the table is confidential, which marks every file and picture made
            from it.
        ticket: identifies the table in the caches of this session.
    """

    sample: Sample
    confidential: bool
    ticket: str = field(default_factory=lambda: token_hex(16))

    @cached_property
    def text(self) -> FileText:
        """The strings of the table, which no page may read as markup."""
        table = self.sample.table
        regions = table.regions
        nouns = (table.person, *(quantity.title for quantity in table.quantities))
        names = (*regions.levels, *regions.names, *regions.ids)
        return FileText(strings=(self.sample.title, *nouns, *names))


def own() -> Own | None:
    """Return the visitor's own data, or None."""
    brought: Own | None = session.get(Key.OWN)
    return brought


def is_confidential(sample: Sample) -> bool:
    """Return whether `sample` is the visitor's own data and was stated as confidential."""
    brought = own()
    return brought is not None and brought.sample is sample and brought.confidential


def source_of(id: str) -> DataSource:
    """Return the source of the data with an id."""
    if id != OWN:
        return DataSource.SAMPLE
    brought = own()
    confidential = brought is not None and brought.confidential
    return DataSource.CONFIDENTIAL if confidential else DataSource.OWN


def ids() -> tuple[str, ...]:
    """Return the ids of data: own data first, then samples that a mechanism supports."""
    fitting = tuple(id for id in samples.names() if mechanisms.names(samples.describe(id).kind))
    return (OWN, *fitting) if own() else fitting


def info(id: str) -> SampleInfo:
    """Return the description of a sample or of the visitor's own data.

    Raises:
        ChoiceError: there is no such sample, or the session has no own data.
    """
    return get(id) if id == OWN else samples.describe(id)


def get(id: str) -> Sample:
    """Return the sample with this id, or the visitor's own data.

    Raises:
        ChoiceError: there is no such sample, or the session has no own data.
    """
    if id != OWN:
        return loading.sample(id)
    brought = own()
    if brought is None:
        raise ChoiceError("Your own data are not in this session. Load them on the page Your data.")
    return brought.sample


def digest(settings: Settings) -> str:
    """Return the cache key of a view. Own data are identified by a ticket, never by content."""
    brought = own()
    if settings.sample != OWN or brought is None:
        return settings.to_toml()
    return f"{cache.PRIVATE}{brought.ticket}\n{settings.to_toml()}"


def digest_of_data(sample: Sample) -> str:
    """Return the cache key of the data, independent of all other settings."""
    brought = own()
    if sample.id != OWN or brought is None:
        return sample.id
    return f"{cache.PRIVATE}{brought.ticket}"
