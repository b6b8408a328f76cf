"""The meaning of the columns of a table, as settings that a TOML file can hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

from hierdp_core.exceptions import ChoiceError
from hierdp_core.readers.columns.layout_words import column_values, value_of_word
from hierdp_core.tables import KINDS as TABLE_KINDS
from hierdp_core.util.text import a, by_number, counted, join_and, join_or

KINDS = tuple(TABLE_KINDS)

# For each kind of table, what one row can be, and the columns of such a row, each with the question
# that is asked if it is missing. Regions with groups may instead have one column per size.
COLUMNS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "counts": {"region": {"count": "Which column holds the counts?"}, "person": {}},
    "group-sizes": {
        "region": {"size": "", "count": ""},
        "group": {"size": "Which column holds the size of a group?"},
        "person": {"group": "Which column holds the group of each person?"},
    },
    "flows": {"pair": {"count": "Which column holds the trips?"}, "trip": {}},
}
ROWS = {kind: tuple(rows) for kind, rows in COLUMNS.items()}
LISTS = (
    "levels", "destinations", "names", "level_names", "sizes", "prefix", "list_columns", "keep",
    "leave_out", "parts", "fill_down", "split",
)  # fmt: skip
# A column can be named in one of these settings only.
ONE_ROLE = ("levels", "destinations", "parent", "count", "parts", "size", "group", "sizes")
# Settings that have an effect for one kind of table only.
OF_KIND: Mapping[str, tuple[str, ...]] = {
    "group-sizes": (
        "size", "group", "sizes", "first_size", "top_coded", "largest", "empty_groups", "blocks",
        "groups", "occupied", "people",
    ),
    "flows": ("destinations", "matrix"),
}  # fmt: skip
# Settings that have an effect for some kinds of rows only.
OF_ROWS: Mapping[str, tuple[str, ...]] = {
    "count": ("region", "pair"), "parts": ("region", "pair"), "size": ("region", "group"),
    "group": ("person",), "sizes": ("region",), "first_size": ("region",), "blocks": ("region",),
}  # fmt: skip
OUTLINES = ("", "indent", "sums", "none")
MISSING = ("", "zero", "left out")
TOTALS = ("", "left out", "none")
BRACKETS = ("", "kept", "missing")
UNITS = ("", "left out")
MATRICES = ("", "origins", "destinations")
AREAS = ("", "columns")
BLOCKS = ("", "added up")
HEADINGS = ("", "areas")
_KNOWN = {
    "missing": MISSING,
    "brackets": BRACKETS,
    "units": UNITS,
    "totals": TOTALS,
    "outline": OUTLINES,
    "matrix": MATRICES,
    "areas": AREAS,
    "blocks": BLOCKS,
    "headings": HEADINGS,
}


RECORDS = ("person", "group", "trip")  # what a row may be, other than a region or a pair


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How to read a table: its kind, what a row is, and what its columns mean.

    Attributes:
        kind: "counts", "group-sizes" or "flows".
        row: what one row is: "region", "person", "group", "pair" or "trip".
        levels: the columns of codes, from the top level down; for flows, those of the origin. With
            `parent` there is one column. With `prefix` the columns are joined to one code.
        destinations: the columns of codes of the destination of a flow, as many as `levels`.
        parent: the column with the code of the region above.
        prefix: the length of the code on each level, if a code begins with the code above it.
        fill: the length to which codes of digits are filled with zeros; 0 to leave them unchanged.
        outline: how one column holds regions of several levels: "indent" if lower levels are
            indented or marked, "sums" if upper rows are the sums of those below or above them.
            "none" states that all rows are one level, whatever they look like.
        within: a code identifies a region only within the region above it.
        names: columns of names: one for each level, or one for the last level. For flows, one for
            each level of origins and then one for each level of destinations. With
            outline = "sums", a row has the name in the last of them that is filled.
        level_names: the names of the levels, without the root.
        root: the name of the whole, such as "Utopia"; empty for the usual name.
        root_level: the name of the level of the whole, such as "country".
        count: the column of counts.
        parts: columns whose sum is the count, such as men and women, instead of `count`.
        size: the column with the size of a group.
        group: the column that identifies the group of a person.
        sizes: columns with the number of groups of each size, in increasing order.
        first_size: the size of the first of these columns.
        top_coded: the last size includes larger groups.
        largest: the stated maximum group size; larger groups count as groups of this size. If
            it is 0, the largest size is taken from the data.
        empty_groups: "counted" or "not counted"; empty if it is not stated.
        add_up: several rows of one region are added up.
        thousands: the separator of thousands.
        times: the factor by which numbers are multiplied before they are rounded, such as 1000 for
            numbers in thousands; 0 if numbers are whole and are used as they are.
        blank_is_zero: a blank count means 0.
        missing: what a blank or suppressed count means: "zero", "left out" if its row is not read,
            or empty if it is an error.
        brackets: "kept" if numbers in brackets are read as they are, since some offices mark
            uncertain numbers like this; "missing" if brackets mean that there is no number.
        units: "left out" if words after numbers, such as "inhabitants", are ignored.
        totals: "left out" if rows of totals are not read; "none" if no row is a total, although its
            numbers suggest it; empty if totals must agree with their parts.
        keep: conditions that rows must satisfy to be read, each such as "SUMLEV=050". Of several
            values of one column, a row must have one.
        leave_out: conditions on rows that are not read, each such as "geo=EU27_2020".
        list_columns: the columns with the codes of `levels` in a list of areas; empty if they
            have the same names there.
        unit, person, groups, occupied, people: words for what is counted.
        fill_down: columns in which a blank cell repeats the cell above.
        split: columns whose names contain the region above in brackets or before them. Each of
            their parts becomes a column.
        matrix: what the rows of a matrix of flows are, "origins" or "destinations". Its columns are
            the other ones. Each pair of regions is read as one row.
        areas: "columns" if each column of numbers is a region. The table is then transposed.
        blocks: "added up" if several blocks of columns count groups of the same sizes, such as
            family and other households, and columns of one size are added up.
        headings: "areas" if rows with only a name are areas that contain the rows below. They
            become the column "heading".
        sheet: a sheet of a workbook, or "*" for all sheets with a table, one below the other.
        encoding: the encoding of a text that is not UTF-8, such as "cp1250".

    Raises:
        ChoiceError: the settings contradict each other or are incomplete.
    """

    kind: str = "counts"
    row: str = "region"
    levels: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    parent: str = ""
    prefix: tuple[int, ...] = ()
    fill: int = 0
    outline: str = ""
    within: bool = False
    names: tuple[str, ...] = ()
    level_names: tuple[str, ...] = ()
    root: str = ""
    root_level: str = ""
    count: str = ""
    parts: tuple[str, ...] = ()
    size: str = ""
    group: str = ""
    sizes: tuple[str, ...] = ()
    first_size: int = 1
    top_coded: bool = False
    largest: int = 0
    empty_groups: str = ""
    add_up: bool = False
    thousands: str = ""
    times: int = 0
    blank_is_zero: bool = False
    missing: str = ""
    brackets: str = ""
    units: str = ""
    totals: str = ""
    keep: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    list_columns: tuple[str, ...] = ()
    unit: str = ""
    person: str = ""
    groups: str = ""
    occupied: str = ""
    people: str = ""
    fill_down: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    matrix: str = ""
    areas: str = ""
    blocks: str = ""
    headings: str = ""
    sheet: str = ""
    encoding: str = ""

    def __post_init__(self) -> None:
        for name in LISTS:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _check(self)

    @property
    def has_groups(self) -> bool:
        """Whether the table counts groups of people by size."""
        return TABLE_KINDS[self.kind].has_groups

    @property
    def has_destinations(self) -> bool:
        """Whether each number is between an origin and a destination."""
        return TABLE_KINDS[self.kind].between_regions

    @property
    def words(self) -> dict[str, Any]:
        """The settings that differ from their defaults, by name."""
        default = {field.name: field.default for field in fields(self)}
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        stated = {"kind", "row", "levels"}
        return {k: v for k, v in named.items() if v != default[k] or k in stated}

    @classmethod
    def of(cls, words: Mapping[str, Any]) -> Self:
        """Return a layout from the settings of a file. A list may be one text with commas.

        With destinations, the kind is flows. If flows have a column of counts, a row is a pair.

        Raises:
            ChoiceError: a setting is unknown, or its value has the wrong type.
        """
        given = cls.parsed(words)
        if given.get("destinations"):
            given.setdefault("kind", "flows")
        if given.get("kind") == "flows" and given.get("count"):
            given.setdefault("row", "pair")
        layout = cls(**given)
        _check_effects(layout)
        return layout

    def changed(self, stated: Mapping[str, Any]) -> Self:
        """Return this layout with some settings replaced.

        Those of its settings that have no effect with the new kind or row are dropped.

        Raises:
            ChoiceError: a stated word is unknown, of the wrong kind or without effect.

        >>> sizes = {"kind": "group-sizes", "row": "group", "levels": "a", "size": "n"}
        >>> Layout.of(sizes).changed({"kind": "counts", "row": "person"}).words
        {'kind': 'counts', 'row': 'person', 'levels': ('a',)}
        """
        new = self.parsed(stated)
        own = {"kind": self.kind, "row": self.row} | new
        idle = without_effect(own["kind"], own["row"])
        kept = {word: value for word, value in self.words.items() if word not in idle}
        return self.of(kept | new)

    @classmethod
    def parsed(cls, words: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a file or of options as values. They need not form a whole layout.

        Raises:
            ChoiceError: a setting is unknown, or its value has the wrong type.
        """
        known = {field.name: field for field in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in words.items():
            if name not in known:
                raise ChoiceError(
                    f'There is no column setting "{name}". Choose {join_or(list(known))}.'
                )
            given[name] = value_of_word(name, known[name].default, value)
        return given

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        """The conditions on rows that are read, as pairs of column and value."""
        return column_values(self.keep)

    @property
    def dropped(self) -> tuple[tuple[str, str], ...]:
        """The conditions on rows that are not read, as pairs of column and value."""
        return column_values(self.leave_out)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the layout names."""
        picked = tuple(column for column, _ in (*self.kept, *self.dropped))
        single = (self.parent, self.count, self.size, self.group, *picked)
        listed = (*self.levels, *self.destinations, *self.names, *self.sizes, *self.parts)
        named = (*listed, *single)
        return tuple(dict.fromkeys(name for name in named if name))


def _check(layout: Layout) -> None:
    if layout.kind not in KINDS:
        raise ChoiceError(f'There is no kind "{layout.kind}". Choose {join_or(list(KINDS))}.')
    rows = ROWS[layout.kind]
    if layout.row not in rows:
        one = join_or([f'row = "{row}"' for row in rows])
        raise ChoiceError(f"A row of {layout.kind} cannot be {a(layout.row)}. State {one}.")
    if not layout.levels:
        raise ChoiceError('Which columns hold the areas? Give levels = ["state", "county"].')
    if layout.parent and layout.has_destinations:
        raise ChoiceError("Flows have no column of parents. Leave parent out.")
    if layout.parent and len(layout.levels) != 1:
        raise ChoiceError("With parent, levels names one column of codes. Name only one.")
    if layout.count and layout.parts:
        raise ChoiceError("State count or parts, not both.")
    if layout.parent and layout.prefix:
        raise ChoiceError("State parent or prefix, not both.")
    if layout.has_destinations and len(layout.destinations) != len(layout.levels):
        raise ChoiceError("destinations needs as many columns as levels. Name one for each level.")
    if layout.prefix and list(layout.prefix) != sorted(set(layout.prefix)):
        raise ChoiceError(
            "The lengths in prefix must increase from the top level down. Put them in this order."
        )
    check_roles(layout.words)
    if layout.has_groups:
        _check_group_sizes(layout)
    for column, question in COLUMNS[layout.kind][layout.row].items():
        if question and not getattr(layout, column) and not (column == "count" and layout.parts):
            raise ChoiceError(f'{question} Give {column} = "…".')
    n_ends = len(layout.levels) + len(layout.destinations)
    listed = layout.outline == "sums"  # each row is named by the last column that is filled
    fixed = (0, 1, len(layout.prefix or layout.levels), n_ends)
    if len(layout.names) not in fixed and not listed:
        raise ChoiceError("State one column of names for the last level, or one for each level.")
    n_levels = len(layout.prefix or layout.levels)
    counted_later = layout.parent or layout.outline not in ("", "none")
    if not counted_later and len(layout.level_names) not in (0, n_levels):
        raise ChoiceError(
            f"State as many level_names as levels, or none. There are {len(layout.level_names)} "
            f"names for {counted(n_levels, 'level')}."
        )
    if len(layout.list_columns) not in (0, len(layout.levels)):
        raise ChoiceError("State as many list_columns as levels, or none.")
    for word in ("keep", "leave_out"):
        if not all("=" in pair for pair in getattr(layout, word)):
            raise ChoiceError(f'State rows as {word} = ["COLUMN=VALUE"].')
    if layout.outline not in ("", "none") and (len(layout.levels) != 1 or layout.prefix):
        raise ChoiceError("With outline, levels names one column of codes or names. Name only one.")
    for word, known in _KNOWN.items():
        if getattr(layout, word) not in known:
            choices = join_or([f'"{choice}"' for choice in known if choice])
            raise ChoiceError(
                f'The column setting {word} cannot be "{getattr(layout, word)}". Choose {choices}.'
            )


def check_roles(words: Mapping[str, Any]) -> None:
    """Check that no column is named twice in the settings of `ONE_ROLE`.

    Raises:
        ChoiceError: two settings name the same column, or one names it twice.
    """
    roles: dict[str, str] = {}
    for word in ONE_ROLE:
        value = words.get(word, ())
        for column in filter(None, (value,) if isinstance(value, str) else value):
            if roles.get(column) == word:
                raise ChoiceError(f'The column "{column}" occurs twice in {word}. Name it once.')
            if column in roles:
                raise ChoiceError(
                    f'Both {roles[column]} and {word} name the column "{column}". Remove it from '
                    "one of them."
                )
            roles[column] = word


def without_effect(kind: str, row: str) -> frozenset[str]:
    """Return the settings that have no effect for this kind of table and row."""
    of_kind = {name for other, names in OF_KIND.items() if other != kind for name in names}
    return frozenset(of_kind | {name for name, rows in OF_ROWS.items() if row not in rows})


def _check_effects(layout: Layout) -> None:
    """Refuse settings that have no effect with the kind of the table or of its rows."""
    for kind, names in OF_KIND.items():
        if kind != layout.kind:
            _require_effect(names, layout, "kind", f'kind = "{kind}"')
    for name, rows in OF_ROWS.items():
        if layout.row not in rows:
            allowed = [f'row = "{row}"' for row in rows if row in ROWS[layout.kind]]
            _require_effect((name,), layout, "row", join_or(allowed))


def _require_effect(names: Sequence[str], layout: Layout, word: str, instead: str) -> None:
    """Refuse settings of `names`, which have no effect with the value of `word`."""
    if stated := [name for name in names if name in layout.words]:
        have, them = by_number(len(stated), "has", "have"), by_number(len(stated), "it", "them")
        raise ChoiceError(
            f'With {word} = "{getattr(layout, word)}", {join_and(stated)} {have} no effect. Remove '
            f"{them}, or state {instead}."
        )


def _check_group_sizes(layout: Layout) -> None:
    if layout.empty_groups not in ("", "counted", "not counted"):
        raise ChoiceError(
            f'The column setting empty_groups cannot be "{layout.empty_groups}". Choose "counted" '
            'or "not counted".'
        )
    if layout.row == "region" and not layout.sizes and not (layout.size and layout.count):
        raise ChoiceError(
            'Which columns hold the sizes? Give sizes = ["…"], or size = "…" and count = "…".'
        )
