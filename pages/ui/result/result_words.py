"""The words of the page Result in parts."""

import math

from hierdp_core.util.escaping import in_markdown
from hierdp_core.util.text import capital, confidence, counted, join_and, number, plural, whole
from pages.ui.shell import words

FOLDER = "Folder of the simulation, or of the package of a release"
TABLE = "Folder of the exact table, for true counts and errors"
NOTHING = (
    "This page needs the folder of a simulation or release in parts. Start the app with `hierdp "
    "--result DIR`, or with `hierdp --paths` to enter the folder on this page. For a simulation, "
    "the exact table can be named as well, with `--table DIR`."
)
NOT_ALONE = (
    "Other machines can connect to this app, so it shows no simulation or release in parts. Start "
    "it without `--host`. Then only this machine can connect to it."
)
OPENS = "Select a row to open the area."
CODE = "Find an area"
CODE_HELP = (
    "The name of an area, if areas have names, or the code of any area, such as 48201. If areas of "
    "several levels have this code, the one at the highest level opens."
)
BADGE = "Contains true values: not for publication"
WITHOUT_TABLE = (
    "No exact table was given, so there are no true counts and no errors. To see them, start the "
    "app with `hierdp --result DIR --table DIR`. If this page has a field for the folder of the "
    "exact table, fill it in instead."
)
RELEASED = "Released numbers with margins of error"
MARGINS = (
    "The numbers are released estimates with noise, apart from facts that are treated as public. A "
    "number that is not above its margin of error may be small because of noise. Its interval is "
    "then less reliable than stated."
)
MARGINS_BY_LEVEL = "Margins of error at every level"
MARGINS_BY_LEVEL_NOTE = (
    "For each level and each range of released numbers, the table shows the median margin and two "
    "proportions: of numbers without a margin, and of numbers whose margin is at most 10% of the "
    "number."
)
EVERY_LEVEL = "Error at every level"
EVERY_LEVEL_NOTE = (
    "These are the errors of one simulated release. The typical error is the median over areas of "
    "the error divided by the true count."
)
ALL_LEVELS = "Compute the error at every level"


def several(name: str, codes: list[str]) -> str:
    """Return the request for a code, if several areas have the name."""
    few = f"{join_and(codes[:5])} and {len(codes) - 5} more" if len(codes) > 5 else join_and(codes)
    return f"{len(codes):,} areas are called {name}. Type the code of one of them: {few}."


def finding(
    name: str, true: float, error: float, below: tuple[str, float] | None, *, sizes: bool
) -> str:
    """Return the title: the error of an area's count in this simulation.

    Args:
        name: the name of the area.
        true: the true count of the area.
        error: released minus true, or the total error over sizes.
        below: the level below and its typical relative error; None if the area has fewer than two
            sub-areas.
        sizes: whether an area has several numbers, by size.

    >>> finding("Texas", 8e6, -8, ("county", 0.0004), sizes=False)
    'Texas: the count is 0.0001% off in this simulation, and its counties are typically 0.04% off'
    >>> finding("block 17", 0, 2, None, sizes=False)
    'Block 17: the true count is 0'
    """
    return words.area_finding(
        name,
        abs(error) / true if true else math.nan,
        below,
        subject=f"the {'distribution over sizes' if sizes else 'count'}",
        off="off in this simulation",
        exact="exact in this simulation",
    )


def released_only(name: str, released: float) -> str:
    """Return the title of an area without a true count."""
    return f"{capital(words.place(name))}: {whole(released)} released in this simulation"


def released_title(name: str, value: float, margin: float | None) -> str:
    """Return the title of an area of a release.

    >>> released_title("Texas", 29145, 12)
    'Texas: 29,145 released, with a margin of error of 12'
    >>> released_title("Texas", 29145, 0)
    'Texas: 29,145, which is treated as public and exact'
    >>> released_title("block 17", 0, None)
    'Block 17: 0 released, with a margin of error that is not known'
    """
    place = capital(words.place(name))
    if margin is None:
        return f"{place}: {whole(value)} released, with a margin of error that is not known"
    if margin == 0:
        return f"{place}: {whole(value)}, which is treated as public and exact"
    return f"{place}: {whole(value)} released, with a margin of error of {whole(margin)}"


def released_by_size(name: str, groups: float) -> str:
    """Return the title of an area of a release of group sizes.

    >>> released_by_size("Texas", 29145), released_by_size("block 17", 1).partition(",")[0]
    ('Texas: 29,145 groups, released by size with margins of error', 'Block 17: 1 group')
    """
    place, number_of = capital(words.place(name)), counted(int(groups), "group")
    return f"{place}: {number_of}, released by size with margins of error"


def groups_by_size(name: str) -> str:
    """Return the title of the released numbers of groups by size."""
    return f"Groups of {words.place(name)} by size"


def largest(level: str, name: str) -> str:
    """Return the title of the largest released numbers below an area.

    >>> largest("state", "United States")
    'Largest states of the United States'
    """
    return f"Largest {plural(level)} of {words.place(name)}"


def interval(level: float) -> str:
    """Return the meaning of the columns of an interval.

    >>> interval(0.9)
    'The 90% interval goes from “From” to “To”.'
    """
    return f"The {confidence(level)} interval goes from “From” to “To”."


def margin_map(level: str, name: str) -> str:
    """Return the title of the map of margins."""
    return f"Margins of error relative to the released numbers, by {level} of {words.place(name)}"


def subtitle(level: str, above: str, *, true: float, released: float, unit: str) -> str:
    """Return the line below the title: the kind of area, its true and its released count."""
    kind = words.kind_of_area(level, above)
    return (
        f"{in_markdown(kind)}. The true number of {in_markdown(unit)} is **{whole(true)}**. The "
        f"simulated release has {whole(released)}."
    )


def sub_areas(n: int, level: str, name: str) -> str:
    """Return the heading of the sub-areas of an area."""
    return words.areas_of(n, level, name)


def too_many(shown: int, n: int, level: str, *, exact: bool) -> str:
    """Return which areas of a long list are shown.

    Args:
        shown: the number of areas shown.
        n: the number of all areas.
        level: the level of the areas.
        exact: whether their true counts are known.

    >>> too_many(20, 254, "county", exact=False).split(". ")[0]
    '20 of 254 counties are shown, those with the largest released numbers'
    """
    which = "relative errors" if exact else "released numbers"
    return (
        f"{shown:,} of {n:,} {plural(level)} are shown, those with the largest {which}. To open "
        f"another one, type its name or code under “{CODE}”."
    )


def sizes(name: str, group: str) -> str:
    """Return the title of the chart of sizes."""
    return f"{capital(group)} of {words.place(name)} by size"


def level_line(mean_abs: float, areas: int, unit: str) -> str:
    """Return the line below the error of a level."""
    which = f"average error {number(mean_abs)} {unit}"
    return f"typical area; {which}" if areas > 1 else which
