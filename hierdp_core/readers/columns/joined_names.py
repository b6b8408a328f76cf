"""Names that contain the region above, such as "Bom Jesus (PI)" or "Autauga County, Alabama"."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts, called_total, names_level
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.vocabulary import plain_name
from hierdp_core.readers.formats.sheet import Sheet, Text
from hierdp_core.readers.report import Notebook, shown_code

_JOINED = re.compile(
    r"\s*([^()]*[^()\s])\s*\(\s*([^()]*[^\W\d_][^()]*?)\s*\)(?:\s*[-–—/ ]\s*(\d+))?\s*"
)
_COMMA = re.compile(r"\s*,\s*")
# What a region is, behind its name: "Kiel, Landeshauptstadt" or "Bristol, City of".
_KIND = re.compile(
    r"(.*_)?([a-z]*(stadt|kreis|gemeinde|markt|flecken|stad|kommun|kommune)|city|town|county|borough|"
    r"district|parish|village|unorganized|the)(_of|_of_the)?"
)
_MIN_REPEATED = 0.5  # regions above of which several regions are listed
_LETTERED = re.compile(r"([^\W\d_]{2,3})[-_/ ][0-9]+")  # "AL-500"
_NEARLY_ALL = 0.9  # proportion of the names of this form; totals are not
_MIN_NAMES = 4  # regions, so that the form is not by chance
_MAX_ABOVE = 0.5  # regions above, as a proportion of the regions
_NESTING = ("prefix", "parent", "outline", "areas", "destinations")
_ABOVE, _OWN, _CODE = "area above", "name", "code"


@dataclass(frozen=True, kw_only=True)
class JoinedNames:
    """How the names of a column are joined.

    Attributes:
        first: whether the region above stands before the brackets; otherwise it stands in them.
        coded: whether each name ends with a different code.
        commas: how many of the parts between commas are the region above, from the end; 0 if it
            stands before or in brackets.
    """

    first: bool
    coded: bool
    commas: int = 0


def column_of(name: str, part: str) -> str:
    """Return the name of the column that holds a part of the names of another column."""
    return f"{name}: {part}"


def joined_names(text: Any) -> JoinedNames | None:
    """Return how the different names of a column are joined; None for names of another form.

    >>> joined_names(["Assis (SP)", "Bom Jesus (PI)", "Picos (PI)", "Tupi (SP)"])
    JoinedNames(first=False, coded=False, commas=0)
    >>> joined_names(["A(b)-1", "A(c)-2", "D(e)-3", "D(f)-4"])
    JoinedNames(first=True, coded=True, commas=0)
    >>> joined_names(["Ash, Kent", "Elm, Kent", "Ash, Surrey", "Oak, Surrey"])
    JoinedNames(first=False, coded=False, commas=1)
    >>> joined_names(["Kiel, Landeshauptstadt", "Ulm, Stadt", "Bonn, Stadt", "Hof, Stadt"])
    >>> joined_names(["Assis (town)", "Picos (village)", "Tupi (town)", "Bauru (town)"])
    """
    cells = list(text)
    matches = [match for cell in cells if (match := _JOINED.fullmatch(cell)) is not None]
    if len(cells) < _MIN_NAMES:
        return None
    if len(matches) < _NEARLY_ALL * len(cells):
        return _joined_by_commas(cells)
    ends = [match[3] for match in matches]
    coded = all(ends) and len({*ends}) == len(ends)
    for first, above in ((False, 2), (True, 1)):
        upper = Counter(match[above] for match in matches)
        kinds = all(map(names_level, upper))
        if 1 < len(upper) <= _MAX_ABOVE * len(matches) and not kinds:
            return JoinedNames(first=first, coded=coded)
    return None


def _joined_by_commas(cells: Sequence[str]) -> JoinedNames | None:
    """Return how names end with the region above after a comma; None for names of another form.

    Most regions above have several names. They are not kinds of regions, such as "city of".
    """
    parts = [_COMMA.split(cell.strip()) for cell in cells]
    most = min((len(one) for one in parts if len(one) > 1), default=1) - 1
    for commas in range(1, most + 1):
        upper = Counter(", ".join(one[-commas:]) for one in parts if len(one) > commas)
        listed = upper.total()
        if listed < _NEARLY_ALL * len(cells) or any(not one for one in upper):
            return None
        if len(upper) == 1:
            continue  # all regions lie in one state, and the part before may be a county
        kinds = sum(n for name, n in upper.items() if _is_kind(name))
        repeated = sum(n > 1 for n in upper.values())
        if len(upper) > _MAX_ABOVE * listed or repeated < _MIN_REPEATED * len(upper):
            return None
        return None if 2 * kinds >= listed else JoinedNames(first=False, coded=False, commas=commas)
    return None


def _is_kind(name: str) -> bool:
    return names_level(name) or bool(_KIND.fullmatch(plain_name(name)))


def _only_level(words: Mapping[str, Any]) -> str:
    """Return the column of the only level; empty where there are several or other settings nest."""
    nested = len(words["levels"]) != 1 or any(words.get(word) for word in _NESTING)
    return "" if nested else str(words["levels"][0])


def _without_totals(text: Text) -> list[str]:
    """Return the cells that are not called a total."""
    cells: list[str] = text.filter(pc.invert(pa.array(called_total(text)))).to_pylist()
    return cells


def joined_names_question(facts: SheetFacts, words: Mapping[str, Any]) -> Question | None:
    """Ask a question if the names of the only level contain the region above.

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
        how = "one of them in brackets"
        if joined.commas:
            part = "after the last comma" if joined.commas == 1 else "after the comma"
            how = "separated by a comma"
        return Question(
            what=f"each name in column {shown_code(name)} has two parts, {how}. "
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
    """Ask a question if codes of the only level begin with a region above in letters: "AL-500".

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

    A cell of another form has no region above.

    Raises:
        Unreadable: the table has no such column, or its names are not joined.
    """
    joined = None
    if sheet.has(name) and not sheet.partial:
        cells = _without_totals(pc.unique(sheet.column(name)))
        joined = joined_names([cell for cell in cells if cell])
    if joined is None:
        raise notes.unreadable(
            "not-joined", f"names in column {shown_code(name)} cannot be split, because they do "
            "not all contain the area above in the same way", "Remove the setting split.",
        )  # fmt: skip
    encoded = sheet.column(name).dictionary_encode()
    cells = encoded.dictionary.to_pylist()
    parts = [_parts(cell, joined) for cell in cells]
    added = (_ABOVE, _OWN, _CODE) if joined.coded else (_ABOVE, _OWN)
    for part, values in zip(added, zip(*parts, strict=True), strict=False):
        text = pa.array(values, pa.string()).take(encoded.indices)
        sheet = sheet.with_column(column_of(name, part), text)
    notes.repair("split", f"the names in column {shown_code(name)} were split into their parts")
    return sheet


def _parts(cell: str, joined: JoinedNames) -> tuple[str, str, str]:
    """Return the region above, the name and the code in a joined name."""
    if joined.commas:
        words = _COMMA.split(cell.strip())
        above, own = words[-joined.commas :], words[: -joined.commas]
        return (", ".join(above), ", ".join(own), cell) if own else ("", cell, cell)
    match = _JOINED.fullmatch(cell)
    if match is None:
        return "", cell, cell
    one, other = match[1], match[2]
    return (one, other, match[3] or cell) if joined.first else (other, one, match[3] or cell)
