"""XML of spreadsheets, read piece by piece, without entities or document types."""

from collections.abc import Callable, Iterable
from xml.parsers import expat

from hierdp_core.readers.report import Notebook

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


class _Forbidden(Exception):
    """The XML defines entities or a document type, as no spreadsheet does."""


def parse(pieces: Iterable[bytes], start: Start, end: End, text: End, notes: Notebook) -> None:
    """Call `start`, `end` and `text` for each element, by its name without a namespace.

    Raises:
        Unreadable: the XML defines entities, as no spreadsheet does.
        ExpatError: it is damaged.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def forbid(*_: object) -> None:
        raise _Forbidden

    parser.StartDoctypeDeclHandler = forbid
    parser.EntityDeclHandler = forbid
    parser.StartElementHandler = lambda name, attributes: start(_plain(name), attributes)
    parser.EndElementHandler = lambda name: end(_plain(name))
    parser.CharacterDataHandler = text
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except _Forbidden:
        raise notes.unreadable(
            "xml-entities", "defines entities in its XML, as no spreadsheet does",
            "Save the table as CSV.",
        ) from None  # fmt: skip


def nothing(*_: object) -> None:
    """Ignore an XML element that needs no handling."""


def _plain(name: str) -> str:
    return name.rsplit(" ", 1)[-1]
