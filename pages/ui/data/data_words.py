"""The sentences of Your data."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hierdp_core.readers import Finding
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.formats.registry import titles
from hierdp_core.readers.report import choose
from hierdp_core.readers.roles import Role
from hierdp_core.tables import KINDS as TABLE_KINDS
from hierdp_core.util.text import (
    amount,
    capital,
    counted,
    join_and,
    join_or,
    paragraph,
    several,
    whole,
)

PUBLIC, SYNTHETIC, CONFIDENTIAL = "public", "synthetic", "confidential"
WHAT = {
    PUBLIC: "Public: anyone may see them",
    SYNTHETIC: "Synthetic: they describe no real people",
    CONFIDENTIAL: "Confidential, and I am in a secure environment",
}
UPLOADED = {
    PUBLIC: "You described it as public data.",
    SYNTHETIC: "You described it as synthetic data, which describe no real people.",
    CONFIDENTIAL: "You described it as confidential data.",
}
OWN_TABLE = "Your own table."
ASK = "How sensitive are these data?"
FIRST = "Answer this first, then upload a file."
THEN_USE = "To use these data, state above how sensitive they are."
PROMISE = (
    "Files are processed on the machine that runs this app, in a separate process, and nothing is "
    "sent elsewhere. The table is kept only in this session, not in shared caches, addresses or "
    "logs. It is deleted when you delete it or when the session ends."
)
TRUSTED = (
    "This app shows true values. Use confidential data only where you may open the file itself. "
    "Treat screenshots, and the files and pictures that you download here, like the data."
)
PATH_HELP = "For files too large to upload."
ROWS = {
    "region": "an area",
    "person": "a person",
    "group": "a group",
    "pair": "an origin and destination",
    "trip": "a trip",
}
KINDS = {name: kind.kind_words for name, kind in TABLE_KINDS.items()}
COLUMNS = {
    ("counts", "count"): "Counts",
    ("group-sizes", "size"): "Size of the group",
    ("group-sizes", "count"): "Number of groups",
    ("group-sizes", "group"): "The person's group",
    ("flows", "count"): "Size of the flow",
}
REPEAT = "Command-line equivalent"
REPEAT_HOW = (
    "Save these lines as view.toml in the folder of these files. Then run `hierdp simulate "
    "view.toml` there."
)
USABLE = "The table can be used."
FINDINGS = {"correction": "Corrected automatically", "note": "Notes"}
CHANGE_COLUMNS = "Change column settings"
APPLY = "Apply"
UPLOAD_AGAIN = "Upload the file again, because it was not kept."
REGIONS_HELP = (
    "A file that lists all areas and was not made from the records. It is a lookup table with the "
    "codes of all levels, as in the table, or a file of boundaries. Without a list, the areas are "
    "those that occur in the records. A single record can then add an area, and the privacy "
    "guarantee does not cover which areas occur. A release of confidential data requires a list."
)
LIST_COLUMNS_HELP = (
    "The columns of the list of areas that hold the codes of the levels, from the top level "
    "down, separated by commas. Leave this empty if they have the same names as in the table."
)
MAX_SIZE_HELP = (
    "Choose a size without looking at the data. Larger groups are counted as groups of this size. "
    "If it is 0, the largest size in the table is used, and the privacy guarantee does not cover "
    "that size. If each size has a column of its own, the largest size is the last of them, and "
    "it is public once you state the columns."
)
EMPTY_GROUPS_HELP = (
    "Whether the table counts groups without members, such as vacant housing units. If it does "
    "not, the guarantee of most mechanisms does not cover a person who is the only member of a "
    "group. The page *What ε means* shows what is covered."
)
EXAMPLES = "Example files"
EXAMPLES_HELP = "Small synthetic tables that show the formats."
EXAMPLE_FILES = {
    "counts.csv": "state,county,people\nNorth,Alder,5210\nNorth,Birch,3140\nSouth,Cedar,7420\n",
    "persons-in-households.csv": (
        "state,county,household_id,age\nNorth,Alder,1,34\nNorth,Alder,1,36\nNorth,Alder,2,71\n"
        "North,Birch,3,25\nSouth,Cedar,4,40\nSouth,Cedar,4,8\n"
    ),
    "households-by-size.csv": (
        "county,households_1,households_2,households_3_or_more\nAlder,820,990,640\nBirch,410,560,380\n"
    ),
    "flows.csv": "origin,destination,commuters\nAlder,Birch,120\nBirch,Alder,95\nAlder,Alder,900\n",
    "lookup.csv": "county,county_name,state\nA1,Alder,North\nB1,Birch,North\nC1,Cedar,South\n",
}
ROLES_TITLE = "What each column is for"
ROLES_HELP = (
    "Choose what a column is for. The files are then read again, and everything that you have not "
    "chosen is detected again. Level 1 is the top level."
)
ROLES = {
    "": "Not used",
    "levels": "Area, level {place}",
    "destinations": "Destination, level {place}",
    "names": "Name of the area, level {place}",
    "count": "Counts",
    "size": "Size of the group",
    "sizes": "Number of groups of one size",
    "group": "The person's group, such as a household",
    "parts": "Part of the counts, added up",
    "parent": "The area above",
}
ROW = "Row"
ROWS_AND_NUMBERS = "Rows and numbers"
ROW_CHOICES = {
    "thousands": (
        "Thousands separator",
        {"": "As detected", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"},
    ),
    "missing": (
        "Missing counts",
        {"": "are errors", "zero": "count as 0", "left out": "their rows are left out"},
    ),
    "brackets": (
        "Numbers in brackets",
        {"": "are errors", "kept": "are read like other numbers", "missing": "are missing counts"},
    ),
    "units": (
        "Words after numbers",
        {"": "are errors", "left out": "are left out"},
    ),
    "totals": (
        "Rows of totals",
        {
            "": "must equal the sum of their rows",
            "left out": "are left out",
            "none": "there are none",
        },
    ),
    "outline": (
        "Several levels in one column",
        {
            "": "As detected",
            "indent": "lower levels are indented",
            "sums": "upper levels are sums",
            "none": "there is one level",
        },
    ),
    "headings": (
        "Rows with only a name",
        {"": "As detected", "areas": "are areas that contain the rows below"},
    ),
    "blocks": (
        "Several columns of one size",
        {"": "As detected", "added up": "are added up"},
    ),
    "matrix": (
        "Matrix of flows",
        {
            "": "As detected",
            "origins": "its rows are origins",
            "destinations": "its rows are destinations",
        },
    ),
}
ROW_PAIRS = {"keep": "Only rows with", "leave_out": "Leave out rows with"}
PAIRS_HELP = "One per line, as COLUMN=VALUE, such as year=2021."
NAMES = "Names and sizes"
COLUMN_LISTS = {
    "names": "Columns of names: one for the last level, or one per level",
    "sizes": "Columns with the number of groups of each size",
    "parts": "Columns whose sum is the count",
    "fill_down": "Columns in which a blank cell repeats the cell above",
    "split": "Columns whose names contain the area above",
}
TEXTS = {
    "level_names": "Names of the levels, separated by commas",
    "prefix": "Code lengths by level, such as 2, 5, if each code begins with the code above it",
    "root": "Name of the whole area",
    "root_level": "Level of the whole area, such as country",
    "unit": "What is counted, such as people",
    "sheet": "Sheet of the workbook",
    "encoding": "Encoding of a text file, such as cp1250",
    "times": "Multiplier, such as 1000",
    "groups": "Name of the groups, such as households",
}
ROOT = ("total", 1)  # the level and number of areas of a root that is in no file
NO_MECHANISM = "Tables of this kind are not supported by any mechanism yet."


def loaded(title: str) -> str:
    """Return what is in the session.

    >>> loaded("counties.csv")
    'In this session: **counties.csv**.'
    """
    return f"In this session: **{escaped(title)}**."


def takes() -> str:
    """Return the formats that can be uploaded.

    >>> takes().partition(".")[0], "GeoPackage or zipped shapefile, or a table" in takes()
    ('A table as CSV, Parquet, Excel, OpenDocument, PX, JSON, Stata or SPSS', True)
    """
    return (
        f"A table as {join_or(titles('table'))}. It holds counts, group sizes or flows. Counts "
        "have one row per area or per person. Group sizes have one row per household, one row per "
        "person with the code of the household, one row per area and size, or one column per size. "
        "Flows have one row per trip, or an origin, a destination and a count in each row. For a "
        "map, add boundaries as "
        f"{join_or(titles('boundaries'))}, or a table with the latitude and longitude of each "
        "area. If the table has only the codes of the lowest level, add a lookup table that gives "
        "the area above each code."
    )


def repeat_settings(mechanism: str) -> str:
    """Return settings for a simulation of the data, as lines of TOML.

    >>> print(repeat_settings("tree-dp"))
    mechanism = "tree-dp"
    epsilon = 1
    """
    return f'mechanism = "{mechanism}"\nepsilon = 1'


def choice(answer: Choice) -> str:
    """Return the label of a button that states an answer.

    >>> choice(Choice(words='column "n" holds the counts', stated={"count": "n"}))
    'Column "n" holds the counts'
    """
    return escaped(capital(answer.words))


def role(chosen: Role) -> str:
    """Return what a column is for, in words.

    >>> role(Role(word="levels", place=2)), role(Role())
    ('Area, level 2', 'Not used')
    """
    return ROLES[chosen.word].format(place=chosen.place)


def more_columns(n: int) -> str:
    """Return how many columns have no control of their own.

    >>> more_columns(1200)
    'The table has 1,200 more columns, which are not used.'
    """
    if n == 1:
        return "The table has one more column, which is not used."
    return f"The table has {whole(n)} more columns, which are not used."


def preview_caption(*, faulty: bool) -> str:
    """Return the caption of the preview."""
    if faulty:
        return "The first rows of the file, and those with errors."
    return "The first rows of the file."


def more_findings(n: int) -> str:
    """Return how many findings a list leaves out; empty if none.

    >>> more_findings(0), more_findings(1)
    ('', 'One more is not shown here.')
    """
    if n <= 0:
        return ""
    return "One more is not shown here." if n == 1 else f"{whole(n)} more are not shown here."


def faults(errors: int, questions: int) -> str:
    """Return what has to be done before the table can be used.

    >>> faults(3, 0)
    'Correct 3 errors before you use the table.'
    >>> faults(0, 1)
    'Answer the question before you use the table.'
    """
    tasks = []
    if questions:
        tasks.append("answer the question" if questions == 1 else f"answer {questions} questions")
    if errors:
        tasks.append("correct the error" if errors == 1 else f"correct {errors} errors")
    return f"{capital(join_and(tasks))} before you use the table."


def levels_of(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the levels of a table, without a root that is in no file."""
    named = [level for level in summary["levels"] if (level["level"], level["regions"]) != ROOT]
    return named or list(summary["levels"])


def count_of_area(counted_things: str) -> str:
    """Return what the count of an area is."""
    return f"The count of an area is the number of {escaped(counted_things)}."


def total(summary: Mapping[str, Any]) -> str:
    """Return the content of the table in one sentence."""
    levels = join_and([counted(level["regions"], level["level"]) for level in levels_of(summary)])
    kind = KINDS[summary["kind"]].capitalize()
    total_words = escaped(amount(summary["total"], summary["quantity"]))
    return f"{kind}: **{total_words}** in {escaped(levels)}."


def fault(finding: Finding) -> str:
    """Return what is wrong, where, and what to do. The answers to a question are its buttons."""
    if finding.asks:
        return paragraph(
            f"**{escaped(capital(finding.about('The file')))}.**", choose(len(finding.choices))
        )
    where = _where(finding)
    return paragraph(
        f"**{escaped(capital(finding.about('The file')))}.**",
        f"{escaped(where)}." if where else "",
        escaped(_here(finding.remedy)),
    )


def correction(finding: Finding) -> str:
    """Return what was corrected or noted, and what to do if it is not as intended."""
    what, where = _what(finding), _where(finding)
    return escaped(paragraph(f"{what}: {where}." if where else f"{what}.", _here(finding.remedy)))


def _here(remedy: str) -> str:
    """Return a remedy with the controls of this page, without the options of the command line.

    >>> _here("State it (--column largest=N, or “Maximum group size” on the page Your data).")
    'State it (“Maximum group size” on this page).'
    """
    return re.sub(r"\(--[^“”]*, or (“[^”]+”) on the page Your data\)", r"(\1 on this page)", remedy)


def _what(finding: Finding) -> str:
    return capital(finding.about("The file"))


def _where(finding: Finding) -> str:
    more = [f"and {whole(finding.more)} more"] if finding.more else []
    return several([*finding.places, *more])


def listed(lines: Iterable[str]) -> str:
    """Return lines as a list."""
    return "\n".join(f"- {line}" for line in lines)


def escaped(text: str) -> str:
    """Return `text` so that Markdown shows it unchanged."""
    return "".join(f"\\{c}" if c in r"\`*_{}[]()#+-!|<>$~:" else c for c in text)
