"""Settings that name files instead of a sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.process import read
from hierdp_core.readers.result import Reading
from hierdp_core.util.escaping import json_text

WORDS = ("data", "boundaries", "lookups", "regions", "confidential", "columns")
_PATHS = ("data", "boundaries", "regions")
_SHAPES = (".geojson", ".json", ".gpkg", ".zip")


@dataclass(frozen=True, kw_only=True)
class OwnFiles:
    """A table, its boundaries or centres, and the meaning of its columns.

    Attributes:
        data: the path of the table.
        columns: the meaning of its columns; None if it is inferred, except for what is `stated`.
        stated: the keys of a layout that are stated, if the others are inferred.
        boundaries: the path of a file of boundaries or centres; empty for none.
        lookups: paths of further tables with the parents, names or centres of regions.
        regions: the path of a list of all areas, a lookup table or boundaries; empty for none.
        confidential: whether to refuse a table from whose records a public fact would be taken.
    """

    data: str
    columns: Layout | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    boundaries: str = ""
    lookups: tuple[str, ...] = ()
    regions: str = ""
    confidential: bool = False

    @classmethod
    def of(cls, words: Mapping[str, Any], *, folder: Path) -> Self:
        """Return the files that a settings file names; relative paths start at its `folder`.

        Raises:
            ChoiceError: a key is missing, or its value is not valid.
        """
        if "data" not in words:
            raise ChoiceError(
                f"{next(word for word in WORDS if word in words)} belongs to a table of your own, "
                'but the settings name none. Add its path, such as data = "counts.csv".'
            )
        paths = {word: words.get(word, "") for word in _PATHS}
        for word, path in paths.items():
            if not isinstance(path, str) or (word == "data" and not path):
                raise ChoiceError(
                    f'{word} is not the path of a file. Put one in quotes, such as "counts.csv".'
                )
        columns = words.get("columns")
        if columns is None:
            raise ChoiceError(
                "The settings do not state what the columns mean. Add [columns], which "
                f"`hierdp check {quote(Path(paths['data']).name)} --toml` prints."
            )
        if not isinstance(columns, Mapping):
            raise ChoiceError(
                '[columns] has no keys. Add keys, such as levels = ["state", "county"].'
            )
        confidential = words.get("confidential", False)
        if not isinstance(confidential, bool):
            raise ChoiceError(
                "confidential is neither true nor false. Write one of them, without quotes."
            )
        lookups = words.get("lookups", [])
        if not isinstance(lookups, list) or not all(isinstance(path, str) for path in lookups):
            raise ChoiceError('lookups is not a list of paths. Write one, such as ["codes.csv"].')
        whole: dict[str, Any] = {word: path and str(folder / path) for word, path in paths.items()}
        return cls(
            columns=Layout.of(columns),
            lookups=tuple(str(folder / path) for path in lookups),
            confidential=confidential,
            **whole,
        )

    @classmethod
    def of_paths(
        cls,
        paths: Sequence[str],
        *,
        columns: Layout | None = None,
        stated: Mapping[str, Any] | None = None,
        regions: str = "",
        confidential: bool = False,
    ) -> Self:
        """Return a table and the files beside it, whose kinds follow from their suffixes.

        Raises:
            ChoiceError: a path is empty.
        """
        if not all(path.strip() for path in paths):
            raise ChoiceError("The path of a file is empty. Give the path of a table.")
        table, *beside = paths
        shapes = [path for path in beside if Path(path).suffix.lower() in _SHAPES]
        return cls(
            data=table,
            columns=columns,
            stated=dict(stated or {}),
            boundaries="".join(shapes[:1]),
            lookups=tuple(path for path in beside if path not in shapes[:1]),
            regions=regions,
            confidential=confidential,
        )

    def with_columns(self, stated: Mapping[str, Any]) -> Self:
        """Return these files with some keys of the layout replaced."""
        if self.columns is None:
            return replace(self, stated={**self.stated, **stated})
        return replace(self, columns=self.columns.changed(stated))

    def read(self) -> Reading:
        """Return the table and its boundaries.

        Raises:
            FileError: the files cannot be used. The message states the first problem.
        """
        paths = [path for path in (self.data, self.boundaries, *self.lookups) if path]
        reading = read(
            *paths,
            layout=self.columns,
            stated=self.stated,
            regions=self.regions or None,
            confidential=self.confidential,
        )
        reading.report.require_usable()
        return reading

    def absolute(self) -> Self:
        """Return these files with absolute paths."""
        return replace(
            self,
            data=_resolved(self.data),
            boundaries=_resolved(self.boundaries),
            lookups=tuple(_resolved(path) for path in self.lookups),
            regions=_resolved(self.regions),
        )

    def to_toml(self, settings: str = "") -> str:
        """Return the files and `settings` as one TOML file, without the line `sample`."""
        others = [line for line in settings.splitlines() if not line.startswith("sample = ")]
        first = [
            f"{word} = {json_text(getattr(self, word))}"
            for word in (*_PATHS, "confidential")
            if getattr(self, word)
        ]
        if self.lookups:
            first.append(f"lookups = {_toml(self.lookups)}")
        words = self.stated if self.columns is None else self.columns.words
        columns = toml_lines(words)
        return "\n".join([*first, *others, "", "[columns]", *columns]) + "\n"


def toml_lines(words: Mapping[str, Any]) -> list[str]:
    """Return one line of TOML per key of a layout.

    >>> toml_lines({"levels": ("state", "county"), "add_up": True})
    ['levels = ["state", "county"]', 'add_up = true']
    """
    return [f"{name} = {_toml(value)}" for name, value in words.items()]


def _resolved(path: str) -> str:
    return path and str(Path(path).resolve())


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json_text(value)
