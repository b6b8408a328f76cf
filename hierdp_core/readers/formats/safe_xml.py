"""XML of spreadsheets, read piece by piece, without entities or document types."""

from collections.abc import Callable, Iterable
from xml.parsers import expat

from hierdp_core.readers.report import Notebook

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


class _Forbidden(Exception):
    """The XML declares a document type or entities, which no spreadsheet needs."""


def parse(pieces: Iterable[bytes], start: Start, end: End, text: End, notes: Notebook) -> None:
    """Call `start` and `end` with the name of each element, and `text` with its text.

    Names have no namespace.

    Raises:
        Unreadable: the XML declares a document type, which could define entities.
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
            "xml-entities", "declares a document type in its XML, which no spreadsheet needs",
            "Save the table as CSV.",
        ) from None  # fmt: skip


def nothing(*_: object) -> None:
    """Ignore an XML element that needs no handling."""


def _plain(name: str) -> str:
    return name.rsplit(" ", 1)[-1]
