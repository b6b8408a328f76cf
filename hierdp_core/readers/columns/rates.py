"""Numbers with decimals beside words for rates, which are probably not counts."""

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.no_counts import named_as_a_measure, titled_as_a_measure
from hierdp_core.readers.columns.question import NO_COUNTS_CHOICE, Choice, Question
from hierdp_core.readers.columns.vocabulary import (
    AVERAGE,
    COUNT,
    MEASURE,
    STATISTIC,
    plain_name,
)
from hierdp_core.readers.report import shown_code

_MONEY = (
    r"^\s?[-–−]?\s?([$€£¥₹]|CHF|USD|EUR|Kč|zł|kr)\s?[0-9]|[0-9]\s?([$€£¥₹]|CHF|USD|EUR|Kč|zł|kr)$"
)
_MOSTLY = 0.9  # proportion of the cells that are amounts of money


def rates_question(facts: SheetFacts, count: str) -> Question | None:
    """Ask whether numbers are counts, where words say that they are rates or prices.

    The words are the only ones in a column of measures, or stand in the title. Whole numbers may
    be prices only where no word for people or things stands in the title or above them.
    """
    if not facts[count].fractions:
        heading = plain_name(facts.sheet.heading)
        things = COUNT & {*heading.split("_"), *facts[count].plain.split("_")}
        if not things and titled_as_a_measure(facts.sheet.heading):
            return _titled_question(count)
        return None
    name = next((name for column in facts.columns.values() if (name := _rate_in(column))), "")
    if name:
        where = f"another column says {shown_code(name)}"
    elif AVERAGE.fullmatch(plain_name(facts.sheet.heading)):
        where = "the title has a word for rates or means"
    else:
        return None
    return Question(
        what=f"the numbers in column {shown_code(count)} have decimals, and {where}. It is not "
        "clear whether they are counts",
        choices=(
            NO_COUNTS_CHOICE,
            Choice(words=f"column {shown_code(count)} holds the counts, which are rounded",
                   stated={"count": count, "times": 1}),
        ),
    )  # fmt: skip


def _titled_question(count: str) -> Question:
    """Ask whether whole numbers below a title for prices, rates or means are counts."""
    return Question(
        what="the title has a word or a unit for prices, rates or means. It is not clear whether "
        f"the numbers in column {shown_code(count)} are counts",
        choices=(
            NO_COUNTS_CHOICE,
            Choice(words=f"column {shown_code(count)} holds the counts", stated={"count": count}),
        ),
    )


def _rate_in(column: ColumnFacts) -> str:
    """Return a cell of a column whose cells are all words for rates or means; else empty."""
    cells = column.filled.to_pylist()
    if column.numeric or not cells or not (MEASURE.fullmatch(column.plain) or len(cells) == 1):
        return ""
    rates = all(
        STATISTIC.fullmatch(plain) or AVERAGE.fullmatch(plain) for plain in map(plain_name, cells)
    )
    return str(cells[0]) if rates else ""


def says_rates(facts: SheetFacts) -> str:
    """Return a cell of the only words in a column of measures that name rates; else empty."""
    measures = (c for c in facts.columns.values() if MEASURE.fullmatch(c.plain))
    return next((name for column in measures if (name := _rate_in(column))), "")


def holds_measures(column: ColumnFacts) -> bool:
    """Return whether a column named after a mean, a price or the like holds numbers or money."""
    return named_as_a_measure(column) and (column.numeric or column.share(_MONEY) >= _MOSTLY)
