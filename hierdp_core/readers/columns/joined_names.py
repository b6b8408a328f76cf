"""Names that contain the area above, such as "Bom Jesus (PI)" or "Ankara (Mamak) - 1747"."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts, called_total, names_level
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.formats.sheet import Sheet, Text
from hierdp_core.readers.report import Notebook, shown_code

_JOINED = re.compile(
    r"\s*([^()]*[^()\s])\s*\(\s*([^()]*[^\W\d_][^()]*?)\s*\)(?:\s*[-–—/ ]\s*(\d+))?\s*"
)
_LETTERED = re.compile(r"([^\W\d_]{2,3})[-_/ ][0-9]+")  # "AL-500"
_NEARLY_ALL = 0.9  # proportion of the names of this form; totals are not
_MIN_NAMES = 4  # areas, so that the form is no chance
_MAX_ABOVE = 0.5  # areas above, as a proportion of the areas
_NESTING = ("prefix", "parent", "outline", "areas", "destinations")
_ABOVE, _OWN, _CODE = "area above", "name", "code"


@dataclass(frozen=True, kw_only=True)
class JoinedNames:
    """How the names of a column are joined.

    Attributes:
        first: whether the area above stands before the brackets; otherwise it stands in them.
        coded: whether each name ends with a different code.
    """

    first: bool
    coded: bool


def column_of(name: str, part: str) -> str:
    """Return the name of the column that holds a part of the names of another column."""
    return f"{name}: {part}"


def joined_names(text: Any) -> JoinedNames | None:
    """Return how the different names of a column are joined; None for names of another form.

    >>> joined_names(["Assis (SP)", "Bom Jesus (PI)", "Picos (PI)", "Tupi (SP)"])
    JoinedNames(first=False, coded=False)
    >>> joined_names(["A(b)-1", "A(c)-2", "D(e)-3", "D(f)-4"])
    JoinedNames(first=True, coded=True)
    >>> joined_names(["Assis (town)", "Picos (village)", "Tupi (town)", "Bauru (town)"])
    """
    cells = list(text)
    matches = [match for cell in cells if (match := _JOINED.fullmatch(cell)) is not None]
    if len(cells) < _MIN_NAMES or len(matches) < _NEARLY_ALL * len(cells):
        return None
    ends = [match[3] for match in matches]
    coded = all(ends) and len({*ends}) == len(ends)
    for first, above in ((False, 2), (True, 1)):
        upper = Counter(match[above] for match in matches)
        kinds = all(map(names_level, upper))
        if 1 < len(upper) <= _MAX_ABOVE * len(matches) and not kinds:
            return JoinedNames(first=first, coded=coded)
    return None


def _only_level(words: Mapping[str, Any]) -> str:
    """Return the column of the only level; empty where there are several or other settings nest."""
    nested = len(words["levels"]) != 1 or any(words.get(word) for word in _NESTING)
    return "" if nested else str(words["levels"][0])


def _without_totals(text: Text) -> list[str]:
    """Return the cells that are not called a total."""
    cells: list[str] = text.filter(pc.invert(pa.array(called_total(text)))).to_pylist()
    return cells


def joined_names_question(facts: SheetFacts, words: Mapping[str, Any]) -> Question | None:
    """Ask where the names of the only level contain the area above.

    Args:
        facts: facts about the table.
        words: the settings of the layout.
    """
    level = _only_level(words)
    if not level or facts.sheet.partial:
        return None
    names = [n for n in words.get("names", ()) if n]
    for name in dict.fromkeys((*names[-1:], level)):
        joined = joined_names(_without_totals(facts[name].filled))
        if joined is None:
            continue
        above, own = column_of(name, _ABOVE), column_of(name, _OWN)
        code = column_of(name, _CODE) if joined.coded and name == level else level
        part = "before the brackets" if joined.first else "in brackets"
        return Question(
            what=f"each name in column {shown_code(name)} has two parts, one of them in brackets. "
            "It is not clear whether the names contain an upper level",
            choices=(
                Choice(
                    words=f"the part {part} is the area above",
                    stated={"split": (name,), "levels": (above, code), "names": (above, own)},
                ),
                Choice(words=levels_in_words((level,)), stated={"levels": (level,)}),
            ),
        )
    return None


def lettered_codes_question(facts: SheetFacts, words: Mapping[str, Any]) -> Question | None:
    """Ask where the codes of the only level begin with the letters of an area above, as "AL-500".

    Args:
        facts: facts about the table.
        words: the settings of the layout.
    """
    level = _only_level(words)
    if not level:
        return None
    codes = _without_totals(facts[level].filled)
    matches = [match for code in codes if (match := _LETTERED.fullmatch(code))]
    upper = {match[1] for match in matches}
    lengths = {(len(match[1]), len(match[0])) for match in matches}
    if len(matches) < max(len(codes), _MIN_NAMES) or len(lengths) > 1:
        return None
    if not 1 < len(upper) <= _MAX_ABOVE * len(codes):
        return None
    (prefix,) = lengths
    return Question(
        what=f"the codes in column {shown_code(level)} begin with letters that several of them "
        "share. It is not clear whether these stand for an upper level",
        choices=(
            Choice(words="the letters are the code of the area above",
                   stated={"levels": (level,), "prefix": prefix}),
            Choice(words=levels_in_words((level,)), stated={"levels": (level,)}),
        ),
    )  # fmt: skip


def split_names(sheet: Sheet, name: str, notes: Notebook) -> Sheet:
    """Return the table with a column for each part of the joined names in a column.

    A cell of another form has no area above.

    Raises:
        Unreadable: the table has no such column, or its names are not joined.
    """
    joined = None
    if sheet.has(name) and not sheet.partial:
        cells = _without_totals(pc.unique(sheet.column(name)))
        joined = joined_names([cell for cell in cells if cell])
    if joined is None:
        raise notes.unreadable(
            "not-joined", f"cannot be split in column {shown_code(name)}, whose names do not "
            "contain the area above in one way", "Remove the setting split.",
        )  # fmt: skip
    encoded = sheet.column(name).dictionary_encode()
    cells = encoded.dictionary.to_pylist()
    parts = [_parts(cell, first=joined.first) for cell in cells]
    added = (_ABOVE, _OWN, _CODE) if joined.coded else (_ABOVE, _OWN)
    for part, values in zip(added, zip(*parts, strict=True), strict=False):
        text = pa.array(values, pa.string()).take(encoded.indices)
        sheet = sheet.with_column(column_of(name, part), text)
    notes.repair("split", f"the names in column {shown_code(name)} were split into their parts")
    return sheet


def _parts(cell: str, *, first: bool) -> tuple[str, str, str]:
    """Return the area above, the name and the code in a joined name."""
    match = _JOINED.fullmatch(cell)
    if match is None:
        return "", cell, cell
    one, other = match[1], match[2]
    return (one, other, match[3] or cell) if first else (other, one, match[3] or cell)
