"""Archives with several text files: the one that is the table, by the names of the files."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.report import shown_code

_TABLES = (".csv", ".tsv", ".tab")  # what holds a table rather than words
_ABOUT = re.compile(
    r"(.*[^a-z])?(read_?me|licen[cs]e|licence|copying|notes?|liesmich|lisez_?moi|leggimi|leeme|"
    r"codebook|data_?dictionary|dictionary|meta_?data|metadaten|metadonnees|legend|variables?|"
    r"schema|labels?|about|documentation|changelog)([^a-z].*)?"
)
_MOST_CHOICES = 20


def tables_in(names: Sequence[str]) -> list[str]:
    """Return the text files of an archive that may be the table.

    Descriptions are left out, and so are other texts if there are CSV files.

    >>> tables_in(["data/README.txt", "data/people.csv", "people_MetaData.csv"])
    ['data/people.csv']
    >>> tables_in(["people_2021.csv", "people_2022.csv"])
    ['people_2021.csv', 'people_2022.csv']
    """
    left = [name for name in names if not PurePosixPath(name).name.startswith(".")]
    left = [name for name in left if not name.startswith("__MACOSX/")]
    for keep in (_is_table, _is_no_description):
        left = [name for name in left if keep(name)] or left
    return left


def choices_of(names: Sequence[str]) -> tuple[Choice, ...]:
    """Return a choice for each text file that may be the table."""
    return tuple(
        Choice(words=f"Read the file {shown_code(name)}", stated={"sheet": name})
        for name in names[:_MOST_CHOICES]
    )


def _is_table(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in _TABLES


def _is_no_description(name: str) -> bool:
    return not _ABOUT.fullmatch(PurePosixPath(name).stem.lower())
