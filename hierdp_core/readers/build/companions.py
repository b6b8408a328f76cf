"""Files beside a table that are not tables: codebooks, readmes and other documents.

They describe the table and list no areas, so they are not joined. Where a codebook in plain text
lists the codes of a level with their names, the names are taken from it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.formats.decoding import decoded
from hierdp_core.readers.formats.refused import COMMANDS
from hierdp_core.readers.formats.sheet import Sheet
from hierdp_core.readers.formats.sniff import Source
from hierdp_core.readers.limits import MEGABYTE
from hierdp_core.readers.report import Notebook, Unreadable, shown_codes

_DOCUMENTS = (
    ".pdf", ".doc", ".docx", ".odt", ".rtf", ".htm", ".html", ".md", ".rst", ".r", ".py", *COMMANDS
)  # fmt: skip
_DESCRIPTION = re.compile(rb"<(\w+:)?(codeBook|DDIInstance|metadata|MD_Metadata)\b")
_README = re.compile(r"read_?me|licen[cs]e|copying|liesmich|lisez_?moi|leggimi|leeme|changelog")
_TITLE = re.compile(
    r"code ?book|data dictionary|(record|file) layout|list of variables|datensatzbeschreibung|"
    r"dictionnaire|diccionario|dicionario|dizionario|tracciato record",
    re.IGNORECASE,
)
_TITLE_LETTERS = 500  # at the beginning of a text
_MOST_BYTES = 4 * MEGABYTE
_HEAD_BYTES = 4096
_LONGEST_CODE = 24
_MIN_WORDS = 5  # of a usual line of prose
_MIN_LISTED = 2  # codes of a section, and sections whose head has more words than the column
_MIN_DESCRIBED = 3  # columns that a list of variables names
_LIST_SHARE = 0.3  # proportion of lines of a list of variables that name a column
_BEFORE = re.compile(r"(?i:variable|column|field|merkmal|champ|campo)( name)?\s*[:=]?\s+")
_PAIR = re.compile(
    r"""["'(\[]?([^\s"'()\[\]=:;,|]+)["')\]]?(?:\s*[=:;,|\t]\s*|\s+[-–—]\s+|[.)]?\s+)["']?(\S.*?)["']?"""
)  # fmt: skip
_HEAD = re.compile(r"""["']?([^\s"':;,|=]+)["']?\s*(.*)""")


@dataclass(frozen=True, kw_only=True)
class Codebook:
    """What a text says about the columns of a table.

    Attributes:
        names: for each column whose codes it lists, the name of each code.
        described: the columns of the table that it names, in its order.
        sections: whether its lines are divided into sections of codes.
    """

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    described: tuple[str, ...] = ()
    sections: bool = False


def is_document(path: str | Path) -> bool:
    """Return whether a file is a document or a program, by its suffix, its name or its head."""
    path = Path(str(path))
    if path.suffix.lower() in _DOCUMENTS or _README.fullmatch(path.stem.lower()):
        return True
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    return head.startswith((b"%PDF", b"{\\rtf")) or bool(_DESCRIPTION.search(head))


def text_of(source: Source) -> str:
    """Return the text of a small file of plain text; empty for any other file."""
    if source.format.id != "text" or source.packed or source.size > _MOST_BYTES:
        return ""
    try:
        data = decoded(source.path.read_bytes(), Notebook(source.name), source.encoding)
    except (OSError, Unreadable):
        return ""
    return data.decode("utf-8", errors="replace")


def is_prose(text: str) -> bool:
    """Return whether most lines of a text are parts of sentences.

    >>> is_prose("The file lists all persons who lived in the district in May.\\nSee the notes.\\n")
    True
    >>> is_prose("code;name\\n1;North of the river\\n2;South of the river\\n")
    False
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    long = sum(len(re.findall(r"[^\W\d_]{2,}", line)) >= _MIN_WORDS for line in lines)
    ends = sum(line.endswith((".", ":", "!", "?")) for line in lines)
    divided = sum(bool(re.search(r"[;\t|]", line)) for line in lines)
    return bool(lines) and 2 * long >= len(lines) and ends > 0 and 2 * divided < len(lines)


def codebook_of(text: str, sheet: Sheet, *, confidential: bool = False) -> Codebook:
    """Return what a text says about the columns of a table.

    A section begins with the name of a column, alone or before its description. Each of its lines
    has a code and a name, until a line that has none. Whether a confidential column holds a code
    does not matter.
    """
    columns = {name.casefold(): name for name in sheet.names if name}
    names: dict[str, dict[str, str]] = {}
    described: list[str] = []
    alone: set[str] = set()
    column, values = "", set[str]()
    for line in filter(None, (raw.strip() for raw in text.splitlines())):
        head = _HEAD.fullmatch(_BEFORE.sub("", line, count=1))
        named = columns.get(head[1].casefold(), "") if head else ""
        if named and head:
            column, values = named, set(pc.unique(sheet.column(named)).to_pylist())
            described.append(column)
            if not head[2].strip(" :\t"):
                alone.add(column)
            continue
        pair = _PAIR.fullmatch(line) if column else None
        known = pair and (confidential or pair[1] in values or pair[1].isdecimal())
        if pair and known and len(pair[1]) <= _LONGEST_CODE:
            names.setdefault(column, {}).setdefault(pair[1], pair[2].strip())
        elif column in names:
            column = ""
    full = {name: own for name, own in names.items() if len(own) >= _MIN_LISTED}
    return Codebook(
        names=full,
        described=tuple(dict.fromkeys(described)),
        sections=bool(alone & full.keys()) or len(full) >= _MIN_LISTED,
    )


def lists_variables(codebook: Codebook, text: str) -> bool:
    """Return whether a text is a list of columns, though it lists no codes.

    Where its first lines call it a codebook, most lines may be about something else.
    """
    lines = sum(bool(line.strip()) for line in text.splitlines())
    n_described = len(codebook.described)
    share = 0.0 if _TITLE.search(text[:_TITLE_LETTERS]) else _LIST_SHARE
    return n_described >= _MIN_DESCRIBED and n_described >= share * lines


def with_names_of(
    sheet: Sheet, codebook: Codebook, levels: Sequence[str], notes: Notebook
) -> Sheet:
    """Return the table with a column of names for each level all of whose codes are listed.

    In a confidential table, a level gets names whichever of its codes are listed.
    """
    taken: list[str] = []
    for level in levels:
        own = codebook.names.get(level, {})
        codes = pc.unique(sheet.column(level)).to_pylist() if sheet.has(level) else []
        codes = [*own] if notes.confidential and sheet.has(level) else codes
        listed = [own.get(code, "") for code in codes if code]
        name = f"{level} name"
        if not listed or not all(listed) or len(set(listed)) < len(listed) or sheet.has(name):
            continue
        at = pc.index_in(sheet.column(level), value_set=pa.array(list(own)))
        cells = pc.fill_null(pa.array(list(own.values()), pa.string()).take(at), "")
        sheet = sheet.with_column(name, cells)
        taken.append(level)
    if levels and not taken:
        note_document(notes)
    elif not taken:
        notes.note("codebook", "describes the table, and is used when its levels are clear")
    else:
        notes.note(
            "codebook",
            "describes the table. Names were taken from it for the codes of column "
            f"{shown_codes(taken, shown=5)}",
        )
    return sheet


def note_document(notes: Notebook) -> None:
    """Report that a file was not used, instead of what was found when it was read as a table."""
    notes.findings.clear()
    notes.note("document", "describes the data and is not a list of areas, so it was not used")
