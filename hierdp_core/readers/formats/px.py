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
    """One keyword with what it is about and what it says."""

    word: str
    of: str
    says: str


def _read(source: Source, notes: Notebook, limits: Limits) -> Sheet:
    """The table as one row for each cell.

    Raises:
        Unreadable: it is damaged, too large, or lists some of its cells alone.
    """
    if source.size > limits.text_bytes:
        raise notes.unreadable(
            "too-large", f"has more than {limits.text_bytes:,} bytes", "Select fewer cells."
        )
    data = decoded(source.path.read_bytes(), notes, source.encoding)
    said = {(one.word, one.of): one.says for one in _statements(data.decode("utf-8"))}
    if any(word == "KEYS" for word, _ in said):
        raise notes.unreadable(
            "keys", "lists only the cells that are not 0 (KEYS), a form that is not read",
            "Download it as CSV.",
        )  # fmt: skip
    names = [*_texts(said.get(("STUB", ""), "")), *_texts(said.get(("HEADING", ""), ""))]
    if not names or ("DATA", "") not in said:
        raise notes.unreadable("damaged", "is a damaged PX file", "Download it again.")
    cells = [quoted or bare for quoted, bare in _CELL.findall(said["DATA", ""])]
    dimensions = tuple(_dimension(name, said) for name in names)
    return as_sheet(Cube(dimensions=dimensions, cells=cells), notes, limits)


def _statements(text: str) -> Iterator[_Statement]:
    """The statements in the main language of the file."""
    place = 0
    while (match := _KEYWORD.match(text, place)) is not None:
        end = _END.match(text, match.end())
        stop = end.end() if end else len(text)
        of = ",".join(_texts(match["of"] or ""))
        if match["language"] is None:
            says = text[match.end() : stop].rstrip().removesuffix(";")
            yield _Statement(word=match["word"], of=of, says=says)
        place = stop


def _texts(said: str) -> list[str]:
    """The quoted texts of a statement; those without a comma between them are one.

    >>> _texts('"North","Ea"\\n"st"')
    ['North', 'East']
    """
    texts: list[str] = []
    parts: list[str] = []
    for text, comma in _QUOTED.findall(said):
        parts.append(text)
        if comma:
            texts.append("".join(parts))
            parts = []
    return [*texts, "".join(parts)] if parts else texts


def _dimension(name: str, said: dict[tuple[str, str], str]) -> Dimension:
    labels = tuple(_texts(said.get(("VALUES", name), "")))
    codes = tuple(_texts(said.get(("CODES", name), "")))
    return Dimension(name=name, codes=codes if len(codes) == len(labels) else labels, labels=labels)


READER = TableReader(read=_read)
