"""Sizes of groups by the form of their labels, in any language: 1, 2, 3, 4, and 5 or more.

The form alone does not say what is counted. Without a word that says it, a question is asked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts, called_total
from hierdp_core.readers.columns.number_words import in_digits
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.vocabulary import CATEGORY, YEAR, plain_name, size_in
from hierdp_core.readers.report import shown_code, shown_codes
from hierdp_core.util.text import by_number

_LABEL = re.compile(r"(\D{0,40}?)([0-9]{1,2})(\D{0,40})")
_OPEN = re.compile(r"[+>≥]|<$")
_NUMBERED = re.compile(r"\s*([0-9]{1,2})(?![0-9]|\s*[-–—.,/]\s*[0-9])")
_AGAIN = re.compile(r"^(\D{0,40}?)([0-9]{1,2})(\D{1,40})\2(\D{0,40})$")  # in a second language
_MIN_SIZES = 3  # sizes; two labels may be anything
_MAX_SIZES = 20  # sizes; more are ages
_MOST_SIZE = 99  # in the name of a column of larger groups
_SHOWN = 6  # columns that an answer names
_ALIKE = 2  # letters that the words of all sizes have in common
_OTHER = re.compile(
    r"(.*_)?(age|ages|years?|ans?|jahre?n?|anni|anos?|let|leto|leta|lat|ar|aar|jaar|months?|weeks?|"
    r"days?|quarters?|rooms?|children|cars?|zones?|districts?|wards?|regions?)(_.*)?"
)


@dataclass(frozen=True, kw_only=True)
class SizeLabels:
    """The sizes that labels stand for.

    Attributes:
        sizes: the size of each label, in increasing order.
        top_coded: whether the last label includes larger groups.
    """

    sizes: Mapping[str, int]
    top_coded: bool


def sizes_by_shape(labels: Sequence[str], *, open_ended: bool = False) -> SizeLabels | None:
    """Return the sizes of labels that number from 0 or 1 up in similar words; None for others.

    Args:
        labels: the labels, all distinct.
        open_ended: require that the last label includes larger sizes. Signs of this are a mark such
            as + or a text that is longer than the others.

    >>> sizes_by_shape(["1 član", "2 člana", "3 člani", "4 in več članov"]).top_coded
    True
    >>> sizes_by_shape(["1P", "2P", "3P"]).sizes
    {'1P': 1, '2P': 2, '3P': 3}
    >>> sizes_by_shape(["1 year", "2 years", "3 years"]), sizes_by_shape(["Zone 1", "Ward 2", "3"])
    (None, None)
    """
    if not _MIN_SIZES <= len(labels) <= _MAX_SIZES:
        return None
    matches = {label: _LABEL.fullmatch(once(label)) for label in labels}
    parsed = {label: match for label, match in matches.items() if match is not None}
    if len(parsed) < len(labels):
        return None
    sizes = {label: int(parsed[label][2]) for label in labels}
    ordered = sorted(labels, key=sizes.__getitem__)
    numbers = [sizes[label] for label in ordered]
    if numbers[0] > 1 or numbers != [*range(numbers[0], numbers[0] + len(numbers))]:
        return None
    rests = [_rest(parsed[label]) for label in ordered]
    *single, last = rests
    if any(_OPEN.search(rest) or _OTHER.fullmatch(plain_name(rest)) for rest in single):
        return None
    starts = {rest[:_ALIKE].lower() for rest in single}
    if len(starts) > 1:
        return None
    longest = max(map(len, single))
    known = size_in(once(ordered[-1]))
    top_coded = bool(_OPEN.search(last)) or len(last) > longest + 1 or bool(known and known[1])
    if not top_coded and (open_ended or last[:_ALIKE].lower() not in starts):
        return None
    return SizeLabels(sizes={label: sizes[label] for label in ordered}, top_coded=top_coded)


def once(label: str) -> str:
    """Return a label with its number in digits, only once if a second language repeats it.

    >>> once("1 cilvēks / 1 person"), once("1 - 2 persons"), once("Trois personnes")
    ('1 cilvēks /  person', '1 - 2 persons', '3 personnes')
    """
    return _AGAIN.sub(r"\1\2\3\4", in_digits(label.strip()))


def _rest(match: re.Match[str]) -> str:
    return f"{match[1]} {match[3]}".strip(" _-.")


def size_choice(facts: SheetFacts, name: str) -> Choice | None:
    """Return the answer that a column holds sizes of groups; None if its cells cannot be sizes.

    If another column has labels for its codes, the answer uses that column.
    """
    column = facts[name]
    if CATEGORY.fullmatch(column.plain) or YEAR.fullmatch(column.plain) or column.years:
        return None
    twins = [n for n in facts.sheet.names if n != name and not facts[n].numeric]
    for own in (*(n for n in twins if facts.twins(name, n)), name):
        text = facts[own].filled
        labels = sizes_by_shape(text.filter(pc.invert(called_total(text))).to_pylist())
        if labels is not None:
            more = {"top_coded": True} if labels.top_coded else {}
            return Choice(
                words=f"column {shown_code(own)} holds the sizes of groups, and the counts are "
                "numbers of groups",
                stated={"kind": "group-sizes", "size": own} | more,
            )
    return None


def holds_size_labels(facts: SheetFacts, name: str) -> bool:
    """Return whether each row of a column, apart from a total, begins with the next size.

    Labels may end in any words, such as "1 member", "2 members" and "3 or more".
    """
    text = facts[name].text
    labels = text.filter(pc.invert(called_total(text))).to_pylist()
    numbers = [int(match[1]) for label in labels if (match := _NUMBERED.match(label))]
    if len(labels) - len(numbers) > 1 or not _MIN_SIZES <= len(numbers) <= _MAX_SIZES:
        return False
    follow = numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    words = [plain_name(re.sub("[0-9]", "", label)) for label in labels]
    return follow and numbers[0] <= 1 and not any(map(_OTHER.fullmatch, words))


def larger_than(size: int, names: Sequence[str], *, like: str = "") -> list[str]:
    """Return the columns whose first number is larger than a size, such as ranges of sizes.

    Args:
        size: the largest single size.
        names: the columns.
        like: a column of a size; the others begin with its first word.

    >>> larger_than(2, ["size 1", "size 2", "size 3-5", "size 6+", "total"], like="size 1")
    ['size 3-5', 'size 6+']
    """
    stem = re.split("[0-9]", like)[0]
    numbers = {n: re.search("[0-9]+", n.removeprefix(stem)) for n in names if n.startswith(stem)}
    return [n for n, found in numbers.items() if found and size < int(found[0]) <= _MOST_SIZE]


def numbered_beside(name: str, names: Sequence[str]) -> list[str]:
    """Return the columns that begin like a column with a number 1, but have 2, 3, … in its place.

    >>> names = ["Units 2024 1 cat", "Units 2024 2 cats", "Units 2024 3 cats", "Units 2024 all"]
    >>> numbered_beside(names[0], names)
    ['Units 2024 2 cats', 'Units 2024 3 cats']
    >>> numbered_beside("Units 2024", ["Units 2024", "Units 2025"])
    []
    """
    for match in re.finditer("(?<![0-9])1(?![0-9])", name):
        stem = re.escape(name[: match.start()])
        found = {n: re.match(rf"{stem}([2-9])(?![0-9])", n) for n in names if n != name}
        beside = {n: int(one[1]) for n, one in found.items() if one}
        if {2, 3} <= {*beside.values()}:
            return list(beside)
    return []


def size_columns(names: Sequence[str]) -> tuple[Choice, ...]:
    """Return the answers that columns hold the numbers of groups by size, by their names."""
    numbered = [name for name in names if _LABEL.fullmatch(once(name))]
    labels = sizes_by_shape(numbered)
    if labels is None:
        return ()
    columns = tuple(labels.sizes)
    first = labels.sizes[columns[0]]
    one = {"kind": "group-sizes", "sizes": columns, "first_size": first}
    shown = f"columns {shown_code(columns[0])} to {shown_code(columns[-1])}"
    most = labels.sizes[columns[-1]]
    if not labels.top_coded and (beside := larger_than(most, names, like=columns[0])):
        left_out = by_number(len(beside), "column {} is", "columns {} are")
        shown = f"{left_out.format(shown_codes(beside, shown=_SHOWN))} left out, and {shown}"
    larger = Choice(
        words=f"{shown} count groups of size {first} to {most}, and the last also counts "
              "larger groups", stated=one | {"top_coded": True},
    )  # fmt: skip
    if labels.top_coded:
        return (larger,)
    return Choice(words=f"{shown} count groups of size {first} to {most}", stated=one), larger
