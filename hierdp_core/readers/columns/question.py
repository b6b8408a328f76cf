"""Guesses of what columns mean, and questions with their answers where only a person can decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.report import shown_code
from hierdp_core.util.shell import flags
from hierdp_core.util.text import capital, join_and


def levels_in_words(levels: Sequence[str], *, within: bool = False) -> str:
    """Return the answer that these columns are the levels, for people.

    Args:
        levels: the columns, from the top level down.
        within: a value that occurs in several upper regions is a different region in each.

    >>> levels_in_words(["state", "county"]), levels_in_words(["county"])
    ('the levels are "state" > "county"', 'the only level is "county"')
    """
    named = " > ".join(map(shown_code, levels))
    text = f"the levels are {named}" if len(levels) > 1 else f"the only level is {named}"
    repeated = ", and a value in several upper areas stands for a different area in each"
    return text + repeated if within else text


def merged_in_words(n_areas: int, n_values: int) -> str:
    """Return how many regions an answer merges because they have the same name or code, for people.

    >>> merged_in_words(5, 2)
    '5 areas with the same name or code are merged into 2'
    """
    return f"{n_areas:,} areas with the same name or code are merged into {n_values:,}"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An answer to a question, or to an error that a setting resolves.

    Attributes:
        words: what is read with this answer, for people.
        stated: the settings that choose it, such as {"count": "people"}.
    """

    words: str
    stated: Mapping[str, Any]

    @property
    def flags(self) -> str:
        """The settings as options of the command line, quoted for the shell.

        >>> Choice(words="…", stated={"count": "p 2011", "add_up": True}).flags
        "--column 'count=p 2011' --column add_up=true"
        """
        parts = (f"{name}={_text(value)}" for name, value in self.stated.items())
        return flags("--column", parts)


def flow_choice(pairs: Sequence[tuple[str, str]], *, add_up: bool = False) -> Choice:
    """Return the answer that people go from the regions of some columns to those of others.

    Args:
        pairs: the columns of the origin and of the destination on each level, from the top down.
        add_up: rows with the same origin and destination are added up.

    >>> flow_choice([("home canton", "work canton"), ("home town", "work town")]).words
    'flows go from "home canton" > "home town" to "work canton" > "work town"'
    """
    start, end = (" > ".join(map(shown_code, names)) for names in zip(*pairs, strict=True))
    levels, destinations = zip(*pairs, strict=True)
    words = f"flows go from {start} to {end}"
    if add_up:
        words = f"{words}, and rows with the same origin and destination are added up"
    return Choice(
        words=words,
        stated={"kind": "flows", "levels": levels, "destinations": destinations}
        | ({"add_up": True} if add_up else {}),
    )


def sum_choice(*names: str) -> Choice:
    """Return the answer that columns hold the regions, each of which has several rows."""
    return Choice(
        words=f"{levels_in_words(names)}, and the rows of each area are added up",
        stated={"levels": names, "add_up": True},
    )


def same_regions(one: str, other: str) -> str:
    """Return what is unclear where two columns hold the same regions, and neither is a level."""
    return (
        f"columns {shown_code(one)} and {shown_code(other)} hold the same areas. It is not clear "
        "whether rows are flows between them or belong to one of them"
    )


def unlike_regions(one: str, other: str) -> str:
    """Return what is unclear where two columns hold regions of different kinds that do not nest."""
    return (
        f"columns {shown_code(one)} and {shown_code(other)} hold areas of different kinds. It is "
        "not clear whether rows are flows between them or belong to one of them"
    )


def overlapping_levels(names: Sequence[str]) -> str:
    """Return what is unclear where several columns may be levels but do not nest."""
    return (
        f"columns {join_and([shown_code(name) for name in names])} may each be a level, but their "
        "areas overlap. It is not clear which of them are levels"
    )


# Words whose values add up: rows that are chosen, and columns that are filled down.
_ADDING = ("keep", "leave_out", "fill_down")


def combined_choice(choice: Choice, stated: Mapping[str, Any]) -> Choice:
    """Return a choice with the settings that were stated before.

    Lists of rows and of columns to fill are joined. Rows of a column that are kept replace those
    of this column that were kept before. Any other setting of the choice replaces the one that was
    stated before.

    >>> women = Choice(words="…", stated={"keep": ("sex=F",)})
    >>> combined_choice(women, {"keep": ("year=2021",)}).stated
    {'keep': ('year=2021', 'sex=F')}
    """
    again = {pair.partition("=")[0] for pair in choice.stated.get("keep", ())}
    before = {
        word: tuple(
            pair for pair in stated.get(word, ())
            if word != "keep" or pair.partition("=")[0] not in again
        )
        for word in _ADDING
    }  # fmt: skip
    joined = {
        word: tuple(dict.fromkeys((*before[word], *value))) if word in _ADDING else value
        for word, value in choice.stated.items()
    }
    return replace(choice, stated=joined)


def choices_that_change(choices: Sequence[Choice], stated: Mapping[str, Any]) -> tuple[Choice, ...]:
    """Return the choices, joined with the stated settings, that change at least one of them.

    >>> leave_out = Choice(words="…", stated={"leave_out": ("area=",)})
    >>> choices_that_change([leave_out], {"leave_out": ("area=",)})
    ()
    """
    joined = (combined_choice(choice, stated) for choice in choices)
    return tuple(
        choice for choice in joined
        if any(stated.get(word) != value for word, value in choice.stated.items())
    )  # fmt: skip


# What a person may state of a table whose numbers are not counts: it is refused.
NO_KIND = "none"
NO_COUNTS_CHOICE = Choice(
    words="the file is refused, because it holds rates, prices, codes or a description of another "
    "table, and no counts",
    stated={"kind": NO_KIND},
)
ROWS_ARE_RECORDS = "each row is one record, so rows are counted"
COUNTS_CHOICE = Choice(words="The file holds counts and is read", stated={"kind": ""})
# What a person may state about counts that cannot be read as they stand.
MISSING_CHOICES = (
    Choice(words="Leave out rows without a number", stated={"missing": "left out"}),
    Choice(words="Count missing numbers as 0", stated={"missing": "zero"}),
)
THOUSANDS_CHOICES = (
    Choice(
        words="A point separates thousands, so 1.000 is one thousand", stated={"thousands": "."}
    ),
    Choice(
        words="A comma separates thousands, so 1,000 is one thousand", stated={"thousands": ","}
    ),
)
ROUND_CHOICE = Choice(words="Round each number to a whole number", stated={"times": 1})
TIMES_CHOICE = Choice(
    words="The numbers are in thousands: multiply each by 1,000", stated={"times": 1000}
)
TOTALS_CHOICES = (Choice(words="Leave out the rows of totals", stated={"totals": "left out"}),)
KEEP_CHOICE = Choice(words="These rows are not totals: keep them", stated={"totals": "none"})
ONE_LEVEL_CHOICE = Choice(words="All rows are areas of one level", stated={"outline": "none"})
ADD_UP_CHOICES = (Choice(words="Add up the rows of each area", stated={"add_up": True}),)


def nesting_choices(
    levels: Sequence[str], level: int, *, add_up: bool, merged: tuple[int, int]
) -> tuple[Choice, ...]:
    """Return the answers where a code of a level occurs below several regions of the level above.

    The answer without the level above comes last, since it merges different regions.

    Args:
        levels: the columns of the levels, from the top level down.
        level: the position in `levels` of the level whose codes repeat.
        add_up: rows are regions, so that an answer with fewer levels also adds up their rows.
        merged: how many regions have a code that repeats, and how many such codes there are.
    """
    repeat = Choice(
        words="A code in several upper areas stands for a different area in each",
        stated={"within": True},
    )
    rows: dict[str, Any] = {"add_up": True} if add_up else {}
    if not 0 < level < len(levels):
        return (repeat,)
    lower = (*levels[: level - 1], *levels[level:])
    upper = (*levels[:level], *levels[level + 1 :])
    return (
        repeat,
        Choice(words=capital(levels_in_words(upper)), stated={"levels": upper} | rows),
        Choice(words=f"{capital(levels_in_words(lower))}, and {merged_in_words(*merged)}",
               stated={"levels": lower} | rows),
    )  # fmt: skip


def missing_group_choices(group: str) -> tuple[Choice, ...]:
    """Return the answers where persons have no value in the column `group`."""
    return (
        Choice(words="Leave out persons without a group", stated={"leave_out": (f"{group}=",)}),
        Choice(words="Count persons instead of groups",
               stated={"kind": "counts", "row": "person"}),
    )  # fmt: skip


def blank_choices(
    column: str,
    below: str = "",
    *,
    in_order: bool = True,
    mostly: bool = True,
    levels: Sequence[str] = (),
) -> tuple[Choice, ...]:
    """Return the answers where a column of regions is blank in some rows.

    The most likely answer comes first. If most cells are blank, the value probably stands only in
    the first row of a block.

    Args:
        column: the column with blank cells.
        below: the column of the last level; empty if it is not known.
        in_order: rows are in the order of the file, so that a blank cell may repeat the one above.
        mostly: most cells are blank.
        levels: the columns of all levels if the table can be read without `column`; else empty.
    """
    out = Choice(words="Leave these rows out", stated={"leave_out": (f"{column}=",)})
    rest = tuple(name for name in levels if name != column)
    without = Choice(words=capital(levels_in_words(rest)), stated={"levels": rest})
    if not in_order:
        return (without, out) if rest else (out,)
    above = Choice(
        words=f"A blank cell of column {shown_code(column)} repeats the cell above",
        stated={"fill_down": (column,)},
    )
    first: tuple[Choice, ...] = (above, out) if mostly else (out, above)
    if rest and not mostly:
        first = (without, *first)
    elif rest and rest != (below,):
        first = (*first, without)
    if below in ("", column) or (rest == (below,) and not mostly):
        return first
    only = Choice(words=capital(levels_in_words((below,))), stated={"levels": (below,)})
    return *first, only


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question about a table, with the answers among which a person chooses.

    Attributes:
        what: what is unclear and why it matters, without a full stop at the end.
        choices: the answers, at least one, the most likely first.
    """

    what: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, kw_only=True)
class Guess:
    """The result of guessing what the columns of a table mean.

    Attributes:
        layout: the layout; None if the columns do not determine one.
        reasons: one line for each decision, for people.
        question: the first question to answer. While there is one, no table is made.
        unused: columns of numbers that the layout does not use.
        title: the name of the official file that the table is; empty for other tables.
        missing: why there is no layout; empty if there is one or if a question is asked.
        caution: a limitation of the file that users must know; empty if there is none.
        cautions: what the stated settings merge, leave out or count by mistake, in sentences.
        official: the layout is that of an official file, known without looking at its rows.
    """

    layout: Layout | None
    reasons: tuple[str, ...] = ()
    question: Question | None = None
    unused: tuple[str, ...] = ()
    title: str = ""
    missing: str = ""
    caution: str = ""
    cautions: tuple[str, ...] = ()
    official: bool = False


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, tuple | list):
        return str(value)
    return ",".join(str(part).replace(",", "\\,") for part in value)
