"""PX files (PC-Axis), as many statistical offices publish: keywords, then the cells row by row."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hierdp_core.readers.formats.cube import Cube, Dimension, as_sheet
from hierdp_core.readers.formats.decoding import decoded
from hierdp_core.readers.formats.registry import TableReader
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import Limits
from hierdp_core.readers.report import Notebook

_KEYWORD = re.compile(
    r"\s*(?P<word>[A-Z][A-Z0-9-]*)(?P<language>\[[A-Za-z-]+\])?"
    r"(?:\((?P<of>\"[^\"]*\"(?:,\s*\"[^\"]*\")*)\))?\s*=\s*"
)
_QUOTED = re.compile(r"\"([^\"]*)\"(\s*,)?")
_CELL = re.compile(r"\"([^\"]*)\"|([^\s\";]+)")
_END = re.compile(r"(?:[^;\"]++|\"[^\"]*+\")*+;")


@dataclass(frozen=True, kw_only=True)
class _Statement:
    """A keyword of a PX file, the variable that it describes, and its value."""

    word: str
    of: str
    value: str


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """Return the table with one row for each cell.

    Raises:
        Unreadable: the file is damaged or too large, or lists only some of its cells.
    """
    if source.size > limits.text_bytes:
        raise notes.unreadable(
            "too-large", f"has more than {limits.text_bytes:,} bytes", "Select fewer cells."
        )
    data = decoded(source.path.read_bytes(), notes, source.encoding)
    statements = {(one.word, one.of): one.value for one in _statements(data.decode("utf-8"))}
    if any(word == "KEYS" for word, _ in statements):
        raise notes.unreadable(
            "keys", "lists only the cells that are not 0 (KEYS), a form that is not read",
            "Download it as CSV.",
        )  # fmt: skip
    names = [
        *_texts(statements.get(("STUB", ""), "")),
        *_texts(statements.get(("HEADING", ""), "")),
    ]
    if not names or ("DATA", "") not in statements:
        raise notes.unreadable("damaged", "is a damaged PX file", "Download it again.")
    cells = [quoted or bare for quoted, bare in _CELL.findall(statements["DATA", ""])]
    dimensions = tuple(_dimension(name, statements) for name in names)
    return as_sheet(Cube(dimensions=dimensions, cells=cells), notes, limits)


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements in the main language of the file."""
    place = 0
    while (match := _KEYWORD.match(text, place)) is not None:
        end = _END.match(text, match.end())
        stop = end.end() if end else len(text)
        of = ",".join(_texts(match["of"] or ""))
        if match["language"] is None:
            value = text[match.end() : stop].rstrip().removesuffix(";")
            yield _Statement(word=match["word"], of=of, value=value)
        place = stop


def _texts(value: str) -> list[str]:
    """Return the quoted texts of a statement, joining those without a comma between them.

    >>> _texts('"North","Ea"\\n"st"')
    ['North', 'East']
    """
    texts: list[str] = []
    parts: list[str] = []
    for text, comma in _QUOTED.findall(value):
        parts.append(text)
        if comma:
            texts.append("".join(parts))
            parts = []
    return [*texts, "".join(parts)] if parts else texts


def _dimension(name: str, statements: dict[tuple[str, str], str]) -> Dimension:
    labels = tuple(_texts(statements.get(("VALUES", name), "")))
    codes = tuple(_texts(statements.get(("CODES", name), "")))
    return Dimension(name=name, codes=codes if len(codes) == len(labels) else labels, labels=labels)


READER = TableReader(read=_read)
