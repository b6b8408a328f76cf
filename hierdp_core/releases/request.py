"""The request of an owner for a release: files, a title, and settings, which have no seed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from hierdp_core import mechanisms
from hierdp_core.exceptions import BudgetError, ChoiceError, FileError, ReleaseError
from hierdp_core.mechanisms.base import Plan, Tuning
from hierdp_core.readers import Reading
from hierdp_core.releases.checks import require_title, tuning_called
from hierdp_core.samples.sample import OWN
from hierdp_core.settings import Settings, current_words, unknown_setting, words_of_toml
from hierdp_core.settings.own_files import WORDS, OwnFiles
from hierdp_core.tables import Table
from hierdp_core.util.text import by_number, counted, join_and, join_or

_OF_RELEASES = ("title", "tuned_on")
_NOT_OF_RELEASES = {
    "seed": "The settings have a seed, but the noise of a release has none. Leave that line out.",
    "sample": (
        "The settings name a sample, but a release needs data of your own. Leave that line out."
    ),
    "quantity": (
        "The settings name a quantity to evaluate, but a release has no errors to show. Leave that "
        "line out."
    ),
}
_ABOVE_COLUMNS = (
    *(field.name for field in fields(Settings) if field.name not in _NOT_OF_RELEASES),
    *_OF_RELEASES,
)


@dataclass(frozen=True, kw_only=True)
class ReleaseSettings:
    """The statements of an owner on a release, apart from its table.

    Attributes:
        settings: mechanism, budget, allocation and options.
        tuned_on: the data that the plan was chosen on.
        title: the title of the release, for its readers.
    """

    settings: Settings
    tuned_on: Tuning
    title: str = ""

    @classmethod
    def for_parts(cls, text: str, *, tuned_on: str | None = None) -> "ReleaseSettings":
        """Return the settings in a text of TOML for a table in parts, which has its own columns.

        Args:
            text: as in `Request.of`, without the keys for files.
            tuned_on: replaces the value in the settings.

        Raises:
            HierdpError: a key is missing, unknown or for files, or a value is not valid.
        """
        words = words_of_toml(text)
        if of_files := sorted(words.keys() & {*WORDS}):
            raise ChoiceError(
                f"The settings have the key {of_files[0]}, but a table in parts is read from its "
                "folder. Leave the key out."
            )
        return ReleaseSettings(**_stated(words, tuned_on, of_files=()))


@dataclass(frozen=True, kw_only=True)
class Request(ReleaseSettings):
    """A release of files as their owner describes it, before any file is read.

    Attributes:
        files: the paths of the table, boundaries and the list of areas.
    """

    files: OwnFiles

    @classmethod
    def of(
        cls,
        text: str,
        *,
        data: Sequence[str],
        regions: str | None = None,
        tuned_on: str | None = None,
        folder: Path = Path(),
    ) -> Self:
        """Return the request from settings written as TOML and from paths of files.

        Args:
            text: settings as for `hierdp simulate`, without a seed, and with `tuned_on` and
                optionally `title`.
            data: the path of a table, and optionally that of boundaries, centres or a lookup
                table.
            regions: the path of a list of all areas.
            tuned_on: replaces the value in the settings.
            folder: where relative paths in the settings start.

        Raises:
            HierdpError: a key is missing or unknown, a value is not valid, or the settings name
                another table or are not for confidential data.
        """
        words = words_of_toml(text)
        if not 1 <= len(data) <= 2:
            raise ReleaseError(
                f"{counted(len(data), 'file')} were given. Give a table and at most one other file."
            )
        stated = _stated(words, tuned_on)
        words = _located(words, folder)
        _require_agreement(words, data[0])
        columns = {"columns": words["columns"]} if "columns" in words else {}
        return cls(
            **stated,
            files=OwnFiles.of(
                {
                    "data": data[0],
                    "boundaries": data[1] if len(data) > 1 else words.get("boundaries", ""),
                    "lookups": words.get("lookups", []),
                    "regions": regions or words.get("regions", ""),
                    "confidential": True,
                    **columns,
                },
                folder=Path(),
            ),
        )

    def read(self) -> Reading:
        """Return the table with a report of corrections, which is for its owner only.

        Raises:
            FileError: the file cannot be used, or contains no table.
        """
        reading = self.files.read()
        if reading.table is None:
            raise FileError(
                "The file contains no table. Run `hierdp check FILE` to see what it contains."
            )
        return reading

    def plan(self, table: Table) -> Plan:
        """Return the plan for a release of `table`.

        Raises:
            HierdpError: the mechanism or the budget does not fit the table.
        """
        return self.settings.plan(table)

    @property
    def has_boundaries(self) -> bool:
        """Whether a second file, which may hold boundaries, is given with the table."""
        return bool(self.files.boundaries)


def _located(words: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the settings with paths that start at `folder`; other values are unchanged."""
    located = dict(words)
    for word in ("data", "boundaries", "regions"):
        if isinstance(path := words.get(word), str) and path:
            located[word] = str(folder / path)
    if isinstance(paths := words.get("lookups"), list):
        located["lookups"] = [str(folder / p) if isinstance(p, str) else p for p in paths]
    return located


def _require_agreement(words: dict[str, Any], table: str) -> None:
    """Refuse settings for another table than the one to release, or for data that are public."""
    named = words.get("data", table)
    if not isinstance(named, str) or Path(named).resolve() != Path(table).resolve():
        raise ChoiceError(
            f"The settings name the table {named}, but the table to release is {table}. Remove the "
            "line data, or name the same table."
        )
    if words.get("confidential", True) is not True:
        raise ChoiceError(
            "A release treats its table as confidential. Remove the line confidential, or write "
            "confidential = true."
        )


def _stated(
    words: dict[str, Any], tuned_on: str | None, *, of_files: Sequence[str] = WORDS
) -> dict[str, Any]:
    """Return the attributes of `ReleaseSettings` from the settings of a file.

    Args:
        words: the settings of the file, by name.
        tuned_on: replaces the value in the file.
        of_files: the settings for files that are accepted.
    """
    _require_words(words)
    names = [*_ABOVE_COLUMNS, *of_files]
    for word in current_words(words):
        if word not in names:
            raise ChoiceError(unknown_setting(word, names))
    basis = words.get("tuned_on") if tuned_on is None else tuned_on
    if basis is None:
        choices = join_or([f'"{one}"' for one in Tuning])
        raise ReleaseError(
            "State the data that the plan was chosen on, with --tuned-on or with tuned_on in the "
            f"settings. Choose {choices}."
        )
    settings = {
        name: value
        for name, value in words.items()
        if name not in WORDS and name not in _OF_RELEASES
    }
    with _of_file():
        title = _text("title", words.get("title", ""))
        require_title(title)
    with _of_file() if tuned_on is None else nullcontext():
        tuning = tuning_called(_text("tuned_on", basis))
    return {
        "settings": Settings.of(settings | {"sample": OWN}),
        "tuned_on": tuning,
        "title": title,
    }


@contextmanager
def _of_file() -> Iterator[None]:
    """Raise a `ChoiceError` in place of a `ReleaseError` about a value in the settings."""
    try:
        yield
    except ReleaseError as error:
        raise ChoiceError(str(error)) from None


def _require_words(words: dict[str, Any]) -> None:
    for word, refusal in _NOT_OF_RELEASES.items():
        if word in words:
            raise ChoiceError(refusal)
    columns = words.get("columns")
    misplaced = [word for word in _ABOVE_COLUMNS if isinstance(columns, dict) and word in columns]
    if misplaced:
        stand = by_number(len(misplaced), "stands", "stand")
        raise ChoiceError(
            f"{join_and(misplaced)} {stand} below [columns], which is for the columns of the file. "
            "Move such lines above the line [columns]."
        )
    if "mechanism" not in words:
        raise ChoiceError(
            'The settings name no mechanism. Add a line such as mechanism = "tree-dp". '
            "`hierdp mechanisms` lists all ids."
        )
    if isinstance(words["mechanism"], str) and words["mechanism"] not in mechanisms.names():
        raise ChoiceError(
            f'There is no mechanism "{words["mechanism"]}". Choose one that '
            "`hierdp mechanisms` lists for tables of this kind."
        )
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError("The settings name no budget. Add epsilon, epsilon with delta, or rho.")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ChoiceError(f"The value of {name} is not text. Put it in quotes.")
    return value
