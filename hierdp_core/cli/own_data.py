"""Users' own files on the command line: the flags that name them, and the table in them."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdp_core.cli.remedies import as_flags, as_settings
from hierdp_core.cli.terminal import progress
from hierdp_core.cli.words import DEFAULT_MECHANISM, NEEDS_BUDGET
from hierdp_core.exceptions import BudgetError, ChoiceError, FileError, HierdpError
from hierdp_core.settings import (
    ACCOUNT,
    BUDGET,
    OLD_WORDS,
    Parser,
    Settings,
    current_words,
    merged,
    unknown_setting,
    words_of_flags,
    words_of_toml,
)
from hierdp_core.util.text import capital, join_or, paragraph

if TYPE_CHECKING:
    from hierdp_core.mechanisms.base import Mechanism, Plan
    from hierdp_core.readers import Reading
    from hierdp_core.settings.own_files import OwnFiles
    from hierdp_core.tables import Table

_FOR_A_TABLE = "For a table, write --data before its path."
_WORDS = ("data", "boundaries", "lookups", "regions", "confidential", "columns")


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """The data of a command: a sample, or the user's own files.

    Attributes:
        sample: the id of the sample, or the id of own data.
        own: the user's files; None for a sample.
    """

    sample: str
    own: "OwnFiles | None" = None

    @property
    def confidential(self) -> bool:
        return self.own is not None and self.own.confidential

    def table(self) -> "Table":
        """Return the table, read once; its interpretation is printed on standard error.

        Raises:
            ChoiceError: there is no such sample.
            FileError: the files contain no table that can be used.
        """
        return self._table

    def files(self) -> "OwnFiles | None":
        """Return the user's files with the meaning of every column, stated or guessed.

        None for a sample.

        Raises:
            FileError: the files contain no table that can be used.
        """
        return None if self.own is None else replace(self.own, columns=self._reading.layout)

    @cached_property
    def _table(self) -> "Table":
        if self.own is None:
            from hierdp_core import samples

            return samples.load(self.sample, progress=progress()).table
        table = self._reading.table
        if table is None:
            raise FileError(
                "The file contains no table. Run `hierdp check FILE` to see what it contains."
            )
        return table

    @cached_property
    def _reading(self) -> "Reading":
        assert self.own is not None
        reading = self.own.read()
        _print_reading(reading, as_flags if self.own.columns is None else as_settings)
        return reading

    @property
    def _kind(self) -> str:
        from hierdp_core import samples

        return samples.describe(self.sample).kind if self.own is None else self.table().kind

    def require_mechanism(self, id: object, options: object = None) -> None:
        """Require a mechanism and its options; messages offer what tables of this kind accept.

        Raises:
            ChoiceError: there is no such mechanism, option, choice or sample.
            FileError: a choice is to be offered, and the files contain no table that can be used.
        """
        from hierdp_core import mechanisms

        if not isinstance(id, str):
            return  # `Settings` refuses it
        if id not in mechanisms.names():
            raise ChoiceError(
                f'There is no mechanism "{id}". For this table, choose '
                f"{join_or(mechanisms.names(self._kind))}."
            )
        words = options if isinstance(options, Mapping) else {}
        try:
            mechanisms.check_words(id, words)
        except ChoiceError:
            mechanisms.check_words(id, words, kind=self._kind)

    def recommended_mechanism(self) -> str:
        """Return the id of the default mechanism, and print on standard error what is public.

        Raises:
            ChoiceError: there is no such sample.
            FileError: the files contain no table that can be used.
        """
        from hierdp_core import mechanisms

        id = mechanisms.recommended(self._kind)
        print(f"hierdp: {DEFAULT_MECHANISM[self._kind].format(id=id)}", file=sys.stderr)
        return id


def required_settings(flags: argparse.Namespace) -> tuple[Settings, Source]:
    """Return the settings of the flags and the settings file, and the source of the table.

    Raises:
        ChoiceError: there is no such source, or a setting is not valid.
        BudgetError: no budget is stated.
        FileError: the mechanism depends on the table, and the files contain none that can be used.
    """
    source, of_file = required_source(flags)
    names = [field.name for field in fields(Settings)]
    for word in of_file:
        if word not in names:
            message = unknown_setting(word, [*names, *_WORDS])
            raise ChoiceError(f"{flags.config}: {message}")
    words = merged(of_file, words_of_flags(flags)) | {"sample": source.sample}
    try:
        return settings_for(source, words), source
    except (BudgetError, ChoiceError) as error:
        if of_file and str(error) == _refusal(source, of_file):
            raise type(error)(f"{flags.config}: {error}") from None
        raise


def planned(flags: argparse.Namespace, settings: Settings, table: "Table") -> "Plan":
    """Return the plan; a message about a setting of a settings file begins with its name.

    Raises:
        ChoiceError, BudgetError: the settings do not fit the table.
    """
    if flags.config is not None:
        in_flags = {"allocation": flags.allocation, "quantity": flags.quantity}
        of_file = {word for word, value in in_flags.items() if value is None}
        of_file |= set() if flags.option else {"options"}
        fit = Fit(file=flags.config, words=frozenset(of_file))
        fit.require(
            settings.configured,
            table,
            allocation=settings.allocation,
            quantity=settings.quantity,
        )
    return settings.plan(table)


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The check that settings of a settings file fit a table. Messages begin with its name.

    Attributes:
        file: the name of the settings file; None if there is none.
        words: the settings that no flag replaces. Others are not checked here.
    """

    file: str | None
    words: frozenset[str] = frozenset()

    def require(
        self,
        mechanism: "Mechanism",
        table: "Table",
        *,
        allocation: Sequence[int] | None = None,
        quantity: str | None = None,
    ) -> None:
        """Require that the settings of the file fit.

        Args:
            mechanism: the mechanism with its options.
            table: the table.
            allocation: the allocation, if one was stated.
            quantity: the id of a quantity, if one was stated.

        Raises:
            ChoiceError, BudgetError: they do not fit.
        """
        if allocation is not None:
            mechanism.allocation(None, table.domain)  # a table that it cannot take at all
        with self.named():
            if "options" in self.words:
                mechanism.check_domain(table.domain)
            if "allocation" in self.words and allocation is not None:
                mechanism.allocation(allocation, table.domain)
            if "quantity" in self.words and quantity:
                table.quantity(quantity)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Begin messages about a setting with the name of the file."""
        try:
            yield
        except (BudgetError, ChoiceError) as error:
            if self.file is None:
                raise
            raise type(error)(f"{self.file}: {error}") from None


def _refusal(source: Source, words: Mapping[str, Any]) -> str:
    """Return why the settings of a file are refused without any flag; empty if they are not."""
    try:
        if "mechanism" in words:
            source.require_mechanism(words["mechanism"], words.get("options"))
        else:  # the options are those of another mechanism
            words = {name: value for name, value in words.items() if name != "options"}
        Settings.of({**words, "sample": source.sample})
    except HierdpError as error:
        return str(error)
    return ""


def settings_for(source: Source, words: Mapping[str, Any]) -> Settings:
    """Return the settings with these values, with the default mechanism if none is named.

    Raises:
        ChoiceError, BudgetError, FileError: as for `required_settings`.
    """
    if not words.keys() & {"epsilon", "delta", "rho"}:
        raise BudgetError(NEEDS_BUDGET)
    if "mechanism" not in words:
        words = {**words, "mechanism": source.recommended_mechanism()}
    source.require_mechanism(words["mechanism"], words.get("options"))
    return Settings.of(words)


def add_data_flags(
    parser: Parser,
    *,
    config: bool = True,
    data_help: str = "your own table instead of a sample, optionally followed by boundaries, "
    "centres or lookup tables",
) -> None:
    """Add the flags that name the user's own files, instead of --sample."""
    if config:
        parser.add_argument(
            "config",
            nargs="?",
            metavar="CONFIG.toml",
            help="settings file; options of the command line override it",
        )
    parser.add_argument(
        "--data",
        nargs="+",
        metavar="FILE",
        help=data_help,
    )
    add_column_flags(parser)


def add_column_flags(parser: Parser) -> None:
    """Add the flags that describe files: columns, list of areas, confidentiality."""
    parser.add_argument(
        "--column",
        metavar="SETTING=COLUMN",
        action="append",
        default=[],
        help="state what a column means, such as count=people or levels=state,county (repeatable); "
        "what is not stated is guessed. Settings for columns are levels, names, parent, "
        "destinations, count, parts (columns to be added up), size (of the group in a row), sizes "
        "(one column for each size) and group. If each row is one record, state what it is: "
        "row=person, row=group or row=trip. The documentation on own data lists all settings, "
        "such as keep (the rows that are read) and times (the factor of all counts)",
    )
    parser.add_argument(
        "--regions",
        metavar="FILE",
        help="lookup table or boundaries that list all areas and were not made from the records",
    )
    parser.add_argument(
        "--confidential",
        action="store_true",
        help="refuse the table if a fact that is treated as public would be taken from the records",
    )


def stated_columns(flags: argparse.Namespace) -> dict[str, Any]:
    """Return the columns stated with --column; a repeated option extends a list.

    Raises:
        ChoiceError: a setting is unknown, or its value cannot be read.
    """
    from hierdp_core.readers import Layout

    words: dict[str, str] = {}
    for text in flags.column:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ChoiceError(
                "A column is stated as --column SETTING=COLUMN, such as count=people; "
                f'got "{text[:40]}". Put an equals sign between them.'
            )
        words[name] = f"{words[name]},{value}" if name in words else value
    return Layout.parsed(words)


def source_of(flags: argparse.Namespace) -> tuple[Source | None, dict[str, Any]]:
    """Return the data that the flags and the settings file name, and the file's other settings.

    Raises:
        ChoiceError: both a sample and files are named, or files are named twice.
    """
    from hierdp_core.samples.sample import OWN
    from hierdp_core.settings.own_files import OwnFiles

    name = getattr(flags, "config", None)
    words = words_of_file(name)
    own: OwnFiles | None = None
    if words.keys() & set(_WORDS):
        try:
            own = OwnFiles.of(words, folder=Path(name or ".").parent)
        except ChoiceError as error:
            raise ChoiceError(f"{name}: {error}") from None
    others = {word: value for word, value in words.items() if word not in _WORDS}
    if flags.data:
        if own is not None:
            raise ChoiceError("Name files with --data or in the settings file, not both.")
        own = OwnFiles.of_paths(
            flags.data,
            stated=stated_columns(flags),
            regions=flags.regions or "",
            confidential=flags.confidential,
        )
    elif own is not None:
        if flags.column:
            own = own.with_columns(stated_columns(flags))
        own = replace(
            own,
            regions=flags.regions or own.regions,
            confidential=flags.confidential or own.confidential,
        )
    elif flags.column:
        raise ChoiceError("--column requires --data. Name the files whose columns it describes.")
    elif flags.regions or flags.confidential:
        flag = "--regions" if flags.regions else "--confidential"
        raise ChoiceError(f"{flag} requires your own files. Name them with --data.")
    sample = getattr(flags, "sample", None) or others.get("sample")
    if own is not None and sample:
        raise ChoiceError("Name a sample or your own files, not both.")
    if own is not None:
        return Source(sample=OWN, own=own), others
    return (Source(sample=str(sample)) if sample else None), others


def required_source(flags: argparse.Namespace) -> tuple[Source, dict[str, Any]]:
    """Return the result of `source_of`, for a command that requires a table.

    Raises:
        ChoiceError: as for `source_of`, or neither a sample nor files are named.
    """
    source, words = source_of(flags)
    if source is None:
        raise ChoiceError(
            "A table is needed. Name a sample with --sample ID (see `hierdp samples`), or your own "
            "files with --data."
        )
    return source, words


def with_words(
    flags: argparse.Namespace, words: Mapping[str, Any], known: Mapping[str, str]
) -> argparse.Namespace:
    """Return the flags, with values from the settings file for flags that were not given.

    A budget in the flags replaces the whole budget of the file, as in `merged`. `fit` of the
    result is the `Fit` of the other settings of the file.

    Args:
        flags: the parsed flags.
        words: the settings of the file.
        known: for each setting that the command takes, the name of its flag.

    Raises:
        ChoiceError: the file has a setting that the command does not take.
        BudgetError, ChoiceError: an allocation or a seed in the file cannot be read.
    """
    completed = argparse.Namespace(**vars(flags))
    stated = [word for word in (*BUDGET, *ACCOUNT) if getattr(flags, word, None) is not None]
    kept, of_file = merged(words, dict.fromkeys(stated)), set()
    for word, value in words.items():
        if word == "sample" or word not in kept:
            continue
        if word not in known:
            raise ChoiceError(
                f'The setting "{word}" in {flags.config} does not apply to this command. '
                f"Remove it. The command takes {', '.join(known)}."
            )
        if getattr(flags, known[word]) in (None, []):
            setattr(completed, known[word], _as_flag(word, value))
            of_file.add(word)
    completed.fit = Fit(file=flags.config, words=frozenset(of_file))
    with completed.fit.named():
        Settings.of({word: words[word] for word in ("allocation", "seed") if word in of_file})
    return completed


def _as_flag(word: str, value: object) -> Any:
    if word == "options" and isinstance(value, Mapping):
        return [f"{name}={part}" for name, part in value.items()]
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value)


def words_of_file(name: str | None) -> dict[str, Any]:
    """Return the settings in a settings file; empty without a file.

    Raises:
        ChoiceError: the file cannot be read.
    """
    if name is None:
        return {}
    try:
        text = Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ChoiceError(f"{name} is not text in UTF-8. Save it as UTF-8.") from None
    except FileNotFoundError:
        raise ChoiceError(f"There is no settings file {name}. {_instead(name)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ChoiceError(
            f"{name} cannot be read: {reason}. Correct its path or permissions."
        ) from None
    try:
        words = words_of_toml(text)
    except HierdpError as error:
        table = "" if name.endswith(".toml") else f" {_FOR_A_TABLE}"
        raise ChoiceError(f"{name}: {error}{table}") from None
    for old in words.keys() & OLD_WORDS.keys():
        print(f"hierdp: `{old}` in {name} is now `{OLD_WORDS[old]}`.", file=sys.stderr)
    try:
        return current_words(words)
    except ChoiceError as error:
        raise ChoiceError(f"{name}: {error}") from None


def _instead(name: str) -> str:
    """Return the remedy for a name that is not that of a settings file."""
    from hierdp_core import mechanisms, samples

    if name in mechanisms.names():
        return f"For the mechanism, write --mechanism {name}."
    if name in samples.names():
        return f"For the sample, write --sample {name}."
    return f"Correct its path. {_FOR_A_TABLE}"


def _print_reading(reading: "Reading", for_place: Callable[[str], str]) -> None:
    for correction in reading.report.corrections:
        print(f"hierdp: {for_place(correction.sentence)}", file=sys.stderr)
    if reading.guesses:
        sentences = paragraph(*(f"{capital(guess)}." for guess in reading.guesses))
        print(f"hierdp: The table is interpreted as follows. {sentences}", file=sys.stderr)
