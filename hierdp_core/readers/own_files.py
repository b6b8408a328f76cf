"""The words of a configuration that point at files instead of a sample."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.child import read
from hierdp_core.readers.layout import Layout
from hierdp_core.readers.reading_value import Reading

WORDS = ("data", "boundaries", "columns")


@dataclass(frozen=True, kw_only=True)
class OwnFiles:
    """A table, its boundaries or centres, and what its columns mean.

    Attributes:
        data: the path of the table.
        columns: what its columns mean.
        boundaries: the path of a file of boundaries or centres; empty for none.
    """

    data: str
    columns: Layout
    boundaries: str = ""

    @classmethod
    def of(cls, words: Mapping[str, Any], *, folder: Path) -> Self:
        """From the words of a configuration; relative paths start at its `folder`.

        Raises:
            ChoiceError: a word is missing or says nothing usable.
        """
        paths = {word: words.get(word, "") for word in ("data", "boundaries")}
        for word, path in paths.items():
            if not isinstance(path, str) or (word == "data" and not path):
                raise ChoiceError(f'{word} is the path of a file in quotes, such as "counts.csv".')
        columns = words.get("columns")
        if columns is None:
            raise ChoiceError(
                "What the columns of the data mean must be said in [columns]; "
                f"`hierdp check {Path(paths['data']).name} --toml` writes what they look like."
            )
        if not isinstance(columns, Mapping):
            raise ChoiceError('[columns] holds words such as levels = ["state", "county"].')
        whole = {word: path and str(folder / path) for word, path in paths.items()}
        return cls(columns=Layout.of(columns), **whole)

    def read(self) -> Reading:
        """The table and its boundaries.

        Raises:
            FileError: there are faults; the message says the first.
        """
        paths = [path for path in (self.data, self.boundaries) if path]
        reading = read(*paths, layout=self.columns)
        reading.report.require_usable()
        return reading

    def absolute(self) -> Self:
        """The same with paths that hold from any folder."""
        beside = self.boundaries and str(Path(self.boundaries).resolve())
        return replace(self, data=str(Path(self.data).resolve()), boundaries=beside)

    def to_toml(self, settings: str = "") -> str:
        """The words as TOML, around those of `settings`, whose line `sample` they replace."""
        others = [line for line in settings.splitlines() if not line.startswith("sample = ")]
        first = [f"{w} = {json.dumps(getattr(self, w), ensure_ascii=False)}"
                 for w in WORDS[:2] if getattr(self, w)]  # fmt: skip
        columns = [f"{name} = {_toml(value)}" for name, value in self.columns.words.items()]
        return "\n".join([*first, *others, "", "[columns]", *columns]) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
