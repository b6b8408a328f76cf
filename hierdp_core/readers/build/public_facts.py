"""Which facts that mechanisms treat as public were stated, and which come from the file."""

from collections.abc import Collection

from hierdp_core.readers.columns.layout import Layout
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.report import Notebook
from hierdp_core.tables import Fact, Table
from hierdp_core.util.text import by_number, counted

COUNTED, NOT_COUNTED = "counted", "not counted"

# The settings that determine how regions nest. What they say follows from the rows if it is
# guessed, even if the columns of the levels are stated: a single code decides whether all codes
# begin with those of an upper level.
_OF_LEVELS = (
    "levels", "destinations", "parent", "prefix", "fill", "outline", "within", "split", "root",
    "root_level", "headings",
)  # fmt: skip
# The settings that say what is counted, of which a layout has some; without them, a row is counted.
_OF_COUNTS = ("count", "parts", "size", "group")
# The settings that say which rows and cells are counted, which a guess takes from the rows.
_OF_ROWS = ("keep", "leave_out", "add_up", "fill_down", "areas", "matrix", "blocks")
# They follow from the names of the columns, unless a prefix makes levels of a system of codes.
_NAMES = "level_names"

# For each fact: the id of the finding, what happens, and how to state the fact instead.
_FINDINGS = {
    Fact.REGIONS: (
        "regions-from-data",
        "the list of areas is taken from this file, and a single record can change it",
        (
            "Give a list that was not made from the data, such as a lookup table or boundaries "
            "(--regions FILE, or “List of areas” on the page Your data)."
        ),
    ),
    Fact.LEVELS: (
        "levels-from-data",
        "the levels are guessed from the columns of this file",
        (
            "State what the columns mean (--column {word}=…, or “Change column settings” on the "
            "page Your data, where “Apply” states the settings that are shown)."
        ),
    ),
    Fact.MAX_SIZE: (
        "max-size-from-data",
        "the maximum group size is taken from this file, and a single record can change it",
        (
            "State one without looking at the data (--column largest=N, or “Maximum group size” on "
            "the page Your data). Larger groups are counted as groups of this size."
        ),
    ),
    Fact.COUNTS: (
        "counts-from-data",
        (
            "what is counted is guessed from the columns of this file, and a single record can "
            "change it"
        ),
        "State it (--column {word}=…, or “Change column settings” on the page Your data).",
    ),
    Fact.ROUNDING: (
        "rounded-counts",
        (
            "the numbers are multiplied by {times:,}, so they were rounded before, and a single "
            "record can change a count by more than 1"
        ),
        "Give the counts themselves, as whole numbers.",
    ),
    Fact.EMPTY_GROUPS: (
        "empty-groups-from-data",
        "whether empty groups are counted is taken from this file",
        (
            f"State it (--column empty_groups={COUNTED}, or --column 'empty_groups={NOT_COUNTED}', "
            "or “Empty groups” on the page Your data)."
        ),
    ),
}

_SIZES_REMEDY = (
    "State which columns hold the sizes (--column sizes=…, or “Change column settings” on the page "
    "Your data)."
)

_COVERED = {
    Fact.REGIONS: "which areas occur in it",
    Fact.LEVELS: "what the levels reveal about the data",
    Fact.MAX_SIZE: "this size",
    Fact.EMPTY_GROUPS: "whether there are empty groups",
    Fact.COUNTS: "which numbers are used",
    Fact.ROUNDING: "a change by more than 1",
}


def with_public_facts(
    table: Table,
    layout: Layout,
    notes: Notebook,
    *,
    guessed: Collection[str],
    listed: bool,
    confidential: bool,
) -> Table:
    """Return the table with a record of what was taken from the data, and report each such fact.

    Args:
        table: as it was built.
        layout: what its columns mean.
        notes: receives the findings, which are errors if the data are confidential.
        guessed: the settings of the layout that no one stated or confirmed.
        listed: the regions come from a list of their own.
        confidential: facts from the records may not be treated as public.
    """
    taken = set()
    if not listed:
        taken.add(Fact.REGIONS)
    of_levels = (*_OF_LEVELS, _NAMES) if layout.prefix else _OF_LEVELS
    nesting = [word for word in of_levels if word in guessed]
    if nesting:
        taken.add(Fact.LEVELS)
    counted = None
    counting = [word for word in _OF_COUNTS if getattr(layout, word)]
    chosen = [word for word in counting or ["row"] if word in guessed]
    chosen = [] if layout.sizes else chosen
    chosen += [word for word in _OF_ROWS if word in guessed]
    if chosen:
        taken.add(Fact.COUNTS)
    if layout.times > 1:
        taken.add(Fact.ROUNDING)
    if table.has_groups:
        if "sizes" in guessed or not (layout.sizes or layout.largest):
            taken.add(Fact.MAX_SIZE)
        counted, seen = _empty_groups(table, layout, notes)
        if seen or ("sizes" in guessed and not layout.empty_groups):
            taken.add(Fact.EMPTY_GROUPS)
    facts = Fact.ordered(taken)
    for fact in facts:
        id, what, remedy = _FINDINGS[fact]
        if fact is Fact.LEVELS:
            remedy = remedy.format(word=nesting[0])
        elif fact is Fact.COUNTS:
            remedy = remedy.format(word=chosen[0])
        elif fact is Fact.ROUNDING:
            what = what.format(times=layout.times)
        elif "sizes" in guessed:
            remedy = _SIZES_REMEDY if fact in (Fact.MAX_SIZE, Fact.EMPTY_GROUPS) else remedy
        if confidential:
            notes.fault(id, what, remedy)
        else:
            uncovered = f"The privacy guarantee does not cover {_COVERED[fact]}"
            notes.note(id, f"{what}. {uncovered}", remedy)
    return table.with_facts(facts, empty_groups=counted)


def _empty_groups(table: Table, layout: Layout, notes: Notebook) -> tuple[bool, bool]:
    """Return whether empty groups are counted, and whether that was taken from the records."""
    n_empty = int(table.values[0, 0])
    there = bool(n_empty)
    stated = layout.empty_groups or _by_layout(layout)
    if stated == NOT_COUNTED and there:
        notes.fault(
            "empty-groups",
            f"{counted(n_empty, 'group')} {by_number(n_empty, 'has', 'have')} size 0, but empty "
            "groups are stated to be not counted",
            f'Leave them out, or state empty_groups = "{COUNTED}".',
            choices=(Choice(words="Empty groups are counted", stated={"empty_groups": COUNTED}),),
        )
    are_counted = stated == COUNTED if stated else there
    if not are_counted:
        group = table.domain.group
        notes.note(
            "no-empty-groups",
            f"empty {group} are not counted, so the released number of {group} of size 0 is always "
            f"0. When the only member of a group leaves, the number of {group} changes. If this "
            "number is treated as public, the guarantee does not cover that person",
            f"Measure the number as well (coc-opt with totals=private), or count empty {group} as "
            "size 0.",
        )
    return are_counted, not stated


def _by_layout(layout: Layout) -> str:
    """Return whether the columns imply that empty groups are counted; empty where they do not."""
    if layout.sizes:
        return COUNTED if layout.first_size == 0 else NOT_COUNTED
    return NOT_COUNTED if layout.row == "person" else ""
