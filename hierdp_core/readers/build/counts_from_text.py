"""Counts from text: a cell that is not a whole number is an error or a reported correction."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.build.marked_numbers import (
    AS_MISSING,
    BRACKET_CHOICES,
    BRACKETED,
    KEPT,
    without_brackets,
    without_units,
    word_choices,
)
from hierdp_core.readers.build.thousands import without_thousands
from hierdp_core.readers.columns.heading_rows import blank_choices
from hierdp_core.readers.columns.question import (
    MISSING_CHOICES,
    NO_COUNTS_CHOICE,
    ROUND_CHOICE,
    THOUSANDS_CHOICES,
    TIMES_CHOICE,
    Choice,
)
from hierdp_core.readers.formats.sheet import Sheet, as_mask
from hierdp_core.readers.formats.unicode import normalized
from hierdp_core.readers.report import Notebook, shown_code
from hierdp_core.util.arrays import BoolArray, IntArray
from hierdp_core.util.text import by_number, counted, join_and

_PLAIN = r"^[0-9]{1,15}$"
# Digits after a mark that are not three: no thousands.
_SURELY_DECIMAL = r"^[0-9]*[.,]([0-9]{1,2}|[0-9]{4,})$"
_DIGITS_OF_THOUSANDS = 3
_NOTICEABLE = Decimal("0.0001")  # of the sum of the numbers, by which rounding changes it
# Numbers in which a comma or a point separates thousands; Indian ones have pairs of digits.
_GROUPED = {
    ",": r"^[0-9]{1,3}((,[0-9]{2})*,[0-9]{3}|(,[0-9]{3})+)([.][0-9]+)?$",
    ".": r"^[0-9]{1,3}([.][0-9]{3})+(,[0-9]+)?$",
}
_MOST_CODES = 4  # codes of missing numbers that a choice leaves out

SUPPRESSED = (
    r"^(\*+|[<>≤≥]\s*[0-9]+|\.\.?\.?|…|[-–—]+|\(?[A-Za-z]\)?|x+|n/?a|na|nan|null|none|#N/A|"
    r": ?[a-z]?|\[[a-z]{1,3}\]|\.{1,3} ?[a-z]|n\. ?[adv]\.?|n/[dv]|s\. ?d\.?|k\. ?a\.?|/{1,3}|"
    r"[•·]|np|nd|[01] ?[-–] ?[1-9][0-9]?|confidential|suppressed|not available|no data)$"
)
# Letters after numbers are flags, such as those of Eurostat; k, m and t may be thousands or more.
_FLAGGED = (
    r"^([0-9]|[0-9][0-9 .,'’]*[0-9])( ?[abcdefinpqrsuvxz]{1,2}| ?[CDEFNPRSUZ]|"
    r" ?\[[a-z]{1,3}\]| ?[*†‡#]{1,3}|"
    r" ?\([0-9a-zA-Z*†‡]{1,2}\)| [0-9]{1,2}\)| ?[a-zA-Z*†‡]\))$"
)
_RAISED = r"^([0-9](?:.*[0-9])?) ?[⁰¹²³⁴-⁹⁽⁾]+$"  # marks of footnotes, which are not digits

# What a cell that is not a plain number may be, in the order of the checks.
_FAULTS = (
    (
        "blank-count",
        r"^$",
        "a count is blank",
        'Enter the number or 0. For all such cells, you can set missing = "zero" or "left out".',
    ),
    (
        "negative",
        r"^[-−–][0-9]",
        "a count is negative",
        "Counts must be 0 or greater. Correct the count or remove the row.",
    ),
    (
        "too-large",
        r"^[0-9]{16,}$",
        "a count has more than 15 digits",
        "Correct it. The sum of all counts must not exceed 1,000,000,000,000.",
    ),
    (
        "scientific",
        r"^[+]?[0-9]+([.,][0-9]+)?[eE][+-]?[0-9]+$",
        "a count is written with an exponent, as spreadsheets do when a column is narrow",
        (
            "Format the column as whole numbers, and save the table again. Then check the numbers, "
            "since digits may have been lost."
        ),
    ),
    (
        "not-whole",
        r"^[+]?[0-9]*[.,][0-9]+$",
        "a count is not a whole number",
        (
            "Round it, or all numbers with times = 1. If the comma or point separates thousands, "
            'set thousands = "," or ".".'
        ),
    ),
    (
        "bracketed",
        BRACKETED,
        "a count is in brackets, which offices use for uncertain or confidential numbers",
        (
            'State what brackets mean: brackets = "kept", or brackets = "missing" with missing = '
            '"left out" or "zero".'
        ),
    ),
    (
        "suppressed",
        SUPPRESSED,
        "a count is suppressed or missing",
        'Counts must be known. Fill them in, or set missing = "left out" or "zero".',
    ),
    ("not-a-number", r"", "a count is not a number", "Write digits only, without a unit."),
)


_CHOICES = {
    "blank-count": MISSING_CHOICES,
    "suppressed": MISSING_CHOICES,
    "bracketed": BRACKET_CHOICES,
    "not-whole": (*THOUSANDS_CHOICES, ROUND_CHOICE, NO_COUNTS_CHOICE),
}


def whole_numbers(
    sheet: Sheet,
    name: str,
    notes: Notebook,
    *,
    thousands: str = "",
    blank_is_zero: bool = False,
    missing_is_zero: bool = False,
    times: int = 0,
    brackets: str = "",
    units: str = "",
    add_up: bool = False,
) -> IntArray | None:
    """Return the column as integers, shape (n_rows,); None where there are errors, reported.

    Args:
        sheet: the table as text.
        name: the name of the column.
        notes: receives the errors and corrections.
        thousands: the separator of thousands, if stated.
        blank_is_zero: a blank cell means 0.
        missing_is_zero: a blank cell or a mark of a missing value means 0.
        times: the factor by which numbers are multiplied before they are rounded; 0 to read whole
            numbers unchanged.
        brackets: "kept" to read numbers in brackets, "missing" to treat them as missing.
        units: "left out" to ignore words after numbers.
        add_up: whether numbers are added up before they are rounded.
    """
    text = sheet.column(name)
    plain = as_mask(pc.match_substring_regex(text, _PLAIN))
    if plain.all():
        return _cast(text) * max(times, 1)
    text = _unsigned(normalized(_without_raised(name, text, notes), "NFKC"), plain)
    text = _without_flags(name, text, notes)
    if brackets == KEPT:
        text = without_brackets(name, text, notes)
    if units:
        text = without_units(name, text, notes)
    if blank_is_zero or missing_is_zero:
        blank = (
            is_missing(text, brackets=brackets) if missing_is_zero else as_mask(pc.equal(text, ""))
        )
        if blank.any():
            text = pc.if_else(pa.array(blank), "0", text)
            what = "blank cells and marks of missing values" if missing_is_zero else "blank cells"
            notes.repair("blank-zero", f"{what} of column {shown_code(name)} were read as 0")
    unclear = times and notes.confidential and thousands not in (",", ".")
    if unclear and _report_unclear_commas(sheet, name, text, notes):
        return None
    if times:
        text = _multiplied(name, text, times, notes, thousands)
    text = without_thousands(sheet, name, text, notes, thousands)
    text, doubtful = _without_empty_decimals(sheet, name, text, notes, thousands)
    left = ~as_mask(pc.match_substring_regex(text, _PLAIN))
    if not left.any():
        return _cast(text)
    left &= ~doubtful
    decimals = bool(as_mask(pc.match_substring_regex(text, _SURELY_DECIMAL)).any())
    for id, pattern, what, remedy in _FAULTS:
        wrong = left & as_mask(pc.match_substring_regex(text, pattern, ignore_case=True))
        if wrong.any():
            places, count = sheet.places(wrong, name)
            choices: tuple[Choice, ...] = _CHOICES.get(id, ())
            if id == "not-whole" and decimals and not thousands:
                choices = _decimal_choices(text.filter(pa.array(wrong)), add_up=add_up)
            if id == "not-a-number":
                choices = word_choices(name, sheet.column(name).filter(pa.array(wrong)))
            if id == "blank-count" and (texts := _texts_alone(sheet, wrong)):
                what = "the last rows hold text and no number"
                places = [
                    f"{place}: {shown_code(cell)}"
                    for place, cell in zip(places, texts, strict=False)
                ]
                choices = MISSING_CHOICES[:1]
                remedy = 'Leave them out with missing = "left out", or write the numbers.'
            elif id == "blank-count" and not notes.confidential:
                choices = blank_choices(sheet)
            if id == "negative":
                choices = _codes_of_missing(name, sheet.column(name).filter(pa.array(wrong)))
            notes.fault(id, what, remedy, places=places, count=count, choices=choices)
            left &= ~wrong
    return None


def _texts_alone(sheet: Sheet, blank: BoolArray) -> list[str]:
    """Return the texts of the last rows, if each is the only cell and longer than all cells above.

    The list is empty if other rows are `blank` as well.
    """
    rows = np.flatnonzero(blank)
    if len(rows) == sheet.n_rows or int(rows[0]) != sheet.n_rows - len(rows):
        return []
    texts: list[str] = []
    for column in sheet.columns:
        cells = column.to_pylist()
        below = [cell for cell in cells[int(rows[0]) :] if cell]
        if not below:
            continue
        longest = max(map(len, cells[: int(rows[0])]))
        if texts or len(below) < len(rows) or min(map(len, below)) <= longest:
            return []
        texts = below
    return texts


def _decimal_choices(cells: Any, *, add_up: bool) -> tuple[Choice, ...]:
    """Return the choices for numbers with decimals, without those that their digits rule out.

    Numbers in thousands of people have three decimals at most. Where most numbers would be rounded
    to 0, they are not counts.
    """
    bare = pc.replace_substring(cells, ",", ".").to_pylist()
    decimals = [len(cell.partition(".")[2].rstrip("0")) for cell in bare]
    vanish = sum(Decimal(cell.lstrip("+")) < Decimal("0.5") for cell in bare)
    choices: tuple[Choice, ...] = ()
    if add_up or 2 * vanish <= len(bare):
        choices += (ROUND_CHOICE,)
    if max(decimals) <= _DIGITS_OF_THOUSANDS:
        choices += (TIMES_CHOICE,)
    return (*choices, NO_COUNTS_CHOICE)


def _codes_of_missing(name: str, cells: Any) -> tuple[Choice, ...]:
    """Return the choice to leave out rows with codes of missing numbers, such as -9."""
    codes = pc.unique(cells).to_pylist()
    if len(codes) > _MOST_CODES or not all(
        re.fullmatch(r"-([1-9]|[1-9]?9+|88+|77+)", c) for c in codes
    ):
        return ()
    mean = by_number(len(codes), "means", "mean")
    words = f"{join_and(codes)} {mean} that a number is missing: leave these rows out"
    return (Choice(words=words, stated={"leave_out": tuple(f"{name}={code}" for code in codes)}),)


def is_missing(text: Any, *, brackets: str = "") -> BoolArray:
    """Return True where a cell is blank or marks a missing or suppressed value, shape (n_rows,)."""
    blank = as_mask(pc.equal(text, ""))
    if brackets == AS_MISSING:
        blank = blank | as_mask(pc.match_substring_regex(text, BRACKETED))
    return blank | as_mask(pc.match_substring_regex(text, SUPPRESSED, ignore_case=True))


def _report_unclear_commas(sheet: Sheet, name: str, text: Any, notes: Notebook) -> bool:
    """Report numbers such as 1,250, and return whether there are any.

    Without a setting, other numbers would decide what the comma is.
    """
    wrong = as_mask(pc.match_substring_regex(text, r"^[0-9]{1,3}(,[0-9]{3})+$"))
    if not wrong.any():
        return False
    places, count = sheet.places(wrong, name)
    notes.fault(
        "ambiguous",
        "the comma in a number such as 1,250 may separate thousands or decimals",
        'If it separates thousands, set thousands = ",". If it separates decimals, set '
        'thousands = ".".',
        places=places,
        count=count,
        choices=THOUSANDS_CHOICES,
    )
    return True


def _multiplied(name: str, text: Any, times: int, notes: Notebook, thousands: str) -> Any:
    """Return numbers multiplied by `times` and rounded, as text."""
    bare = pc.replace_substring_regex(text, "[ \u00a0\u202f\u2009\u2007’']", "")
    for mark, point in ((",", r"\."), (r"\.", ",")):
        both = rf"^([0-9]{{1,3}}({mark}[0-9]{{3}})+)({point}[0-9]+)$"
        grouped = pc.match_substring_regex(bare, both)
        bare = pc.if_else(grouped, pc.replace_substring_regex(bare, mark, ""), bare)
    if thousands in (",", "."):
        # Elsewhere, the mark contradicts what is stated, and the cell is reported as no count.
        bare = pc.if_else(
            pc.match_substring_regex(bare, _GROUPED[thousands]),
            pc.replace_substring(bare, thousands, ""), bare,
        )  # fmt: skip
    elif not _all_decimal(bare):
        twice = pc.match_substring_regex(bare, "^[0-9]{1,3}(,[0-9]{3})+$")
        bare = pc.if_else(twice, pc.replace_substring(bare, ",", ""), bare)
    contradicts = pc.match_substring(bare, thousands or "\n")
    bare = pc.replace_substring(bare, ",", ".")
    known = as_mask(pc.match_substring_regex(bare, r"^[0-9]{1,12}([.][0-9]+)?$"))
    known &= ~as_mask(contradicts)
    numbers = [
        str(round(Decimal(cell) * times)) if own else whole
        for cell, whole, own in zip(bare.to_pylist(), text.to_pylist(), known, strict=True)
    ]
    column = f"numbers in column {shown_code(name)}"
    scaled = f"{column} were multiplied by {times:,} and rounded"
    notes.repair("multiplied", scaled if times > 1 else f"{column} were rounded")
    if times == 1:
        _report_rounding(name, bare.filter(pa.array(known)).to_pylist(), notes)
    return pa.array(numbers, pa.string())


def _report_rounding(name: str, cells: Sequence[str], notes: Notebook) -> None:
    """Warn where rounding changes the sum, or most numbers look like thousands of people."""
    exact = [Decimal(cell) for cell in cells]
    whole, rounded = sum(exact, Decimal(0)), sum(round(number) for number in exact)
    if abs(whole - rounded) > _NOTICEABLE * whole:
        notes.repair(
            "rounded-sum", f"the sum of column {shown_code(name)} is {rounded:,} after rounding, "
            f"and {whole.normalize():,f} before it",
        )  # fmt: skip
    split = [number for number in exact if number % 1]
    digits = max((len(str(number).partition(".")[2]) for number in split), default=0)
    if 2 * len(split) > len(exact) and digits <= _DIGITS_OF_THOUSANDS:
        notes.repair(
            "maybe-thousands", f"most numbers in column {shown_code(name)} have decimals, as "
                               "is usual for numbers in thousands", "If they are in thousands, set "
                                                                    "times = 1000.",
        )  # fmt: skip


def _all_decimal(text: Any) -> bool:
    """Return whether a comma or point is a decimal mark in some cell, and so in all."""
    return bool(as_mask(pc.match_substring_regex(text, _SURELY_DECIMAL)).any())


def _without_raised(name: str, text: Any, notes: Notebook) -> Any:
    """Return numbers without superscript footnote marks."""
    what = f"footnote marks after numbers in column {shown_code(name)} were left out"
    return _without(_RAISED, text, notes, id="footnotes", what=what)


def _without_flags(name: str, text: Any, notes: Notebook) -> Any:
    """Return numbers without the letters that mark them as provisional or estimated."""
    column = shown_code(name)
    what = f"letters after numbers in column {column}, such as p for provisional, were left out"
    return _without(_FLAGGED, text, notes, id="flags", what=what)


def _without(pattern: str, text: Any, notes: Notebook, *, id: str, what: str) -> Any:
    """Return the first group of a pattern in each matching cell, and report how many match."""
    marked = as_mask(pc.match_substring_regex(text, pattern))
    if not marked.any():
        return text
    notes.repair(id, f"{what} ({counted(int(marked.sum()), 'cell')})")
    return pc.replace_substring_regex(text, pattern, r"\1")


def _cast(text: Any) -> IntArray:
    return np.asarray(pc.cast(text, pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)


def _unsigned(text: Any, plain: Any) -> Any:
    return pc.if_else(pa.array(plain), text, pc.replace_substring_regex(text, r"^\+([0-9])", r"\1"))


def _without_empty_decimals(
    sheet: Sheet, name: str, text: Any, notes: Notebook, thousands: str
) -> tuple[Any, BoolArray]:
    """Return numbers without decimals that are all zero, and a mask of ambiguous cells.

    A stated separator of thousands is not a decimal mark.
    """
    marks = "[.,]".replace(thousands, "") if thousands in (",", ".") else "[.,]"
    decimals = as_mask(pc.match_substring_regex(text, rf"^[0-9]+{marks}0+$"))
    doubtful = as_mask(pc.match_substring_regex(text, r"^[0-9]{1,3}[.,]000$"))
    wrong = decimals & doubtful
    if wrong.any() and not (decimals & ~doubtful).any():
        places, count = sheet.places(wrong, name)
        notes.fault(
            "ambiguous",
            "a number such as 1.000 can mean one or one thousand",
            "Write it without a separator. If the comma or point separates thousands, set "
            'thousands = "," or ".".',
            places=places,
            count=count,
            choices=(*THOUSANDS_CHOICES, ROUND_CHOICE),
        )
        return text, wrong
    if decimals.any():
        notes.repair(
            "decimals",
            f"whole numbers in column {shown_code(name)} were written with decimals, as in 5.0, "
            "and were read without them",
        )
        whole = pc.replace_substring_regex(text, r"[.,]0+$", "")
        text = pc.if_else(pa.array(decimals), whole, text)
    return text, np.zeros(len(text), dtype=np.bool_)
