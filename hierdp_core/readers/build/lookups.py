"""Lookup tables with the parents and names of regions, joined to the table of counts by code."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.code_names import coded_names, codes_in
from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts, share_codes
from hierdp_core.readers.columns.joined_names import column_of
from hierdp_core.readers.columns.named_ends import end_in
from hierdp_core.readers.columns.no_counts import lists_fields
from hierdp_core.readers.columns.official import official_file
from hierdp_core.readers.columns.question import Choice
from hierdp_core.readers.columns.vocabulary import (
    CATEGORY,
    CODE,
    DESTINATION,
    LABELS,
    MEASURE,
    ORIGIN,
    PERSON,
    PLACE,
    YEAR,
    plain_name,
    says_name,
)
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.readers.report import Notebook, shown_code, shown_codes

_LEAST_SHARED = 0.8  # of the codes of the table that a lookup must know
_LEAST_REPEATED = 3  # different codes that two columns have in common by no chance
_LEAST_DESCRIBED = 3  # columns that another table lists by no chance
_MOST_STEPS = 8  # levels of a list of codes
_MIN_FIRST = 2  # characters of the code of an upper level
_MIN_CHECKED = 5  # digits of a code without its check digit
_SHOWN = 5
JOINED = "joined codes"  # a column that exists while two tables are joined by two columns
_UNNAMED = re.compile("column [0-9]+")


@dataclass(frozen=True, kw_only=True)
class Join:
    """Two columns that hold the same codes.

    Attributes:
        own: the column of the table.
        other: the column of the lookup, in which each code occurs once.
        bare: whether codes match only without their leading zeros.
        shared: the proportion of the table's codes that the lookup knows.
        cut: digits at the end of the lookup's codes that the table's codes lack: a check digit.
        named: whether the cells of the table hold a name behind the code, as in "0301 Oslo".
        first: how many characters of the table's codes are the code of an upper level that the
            lookup lists; 0 if it lists the codes themselves.
    """

    own: str
    other: str
    bare: bool
    shared: float
    cut: int = 0
    named: bool = False
    first: int = 0

    def codes_of(self, sheet: Sheet) -> Text:
        """Return the codes of the table that are joined, shape (n_rows,)."""
        codes = sheet.column(self.own)
        codes = codes_in(codes) if self.named else codes
        codes = _codes(codes, self.bare)
        return pc.utf8_slice_codeunits(codes, 0, self.first) if self.first else codes


def find_join(sheet: Sheet, lookup: Sheet) -> Join | None:
    """Return the columns that share the most codes; None if the lookup lacks too many codes.

    The column of the table holds regions, or has the same name in the lookup.
    """
    areas = _official_areas(sheet)
    joins = _by_whole_codes(sheet, lookup, areas)
    if not any(join.own == join.other for join in joins):
        joins += _without_check_digits(sheet, lookup, areas)
    return _most_specific(sheet, joins or _within_cells(sheet, lookup))


def public_join(sheet: Sheet, lookup: Sheet) -> Join | list[str]:
    """Return the join by the only column of the same name, which no record of the table decides.

    Zeros before codes are ignored unless codes of the lookup differ only by them.

    Returns:
        the join; if there is no such column or there are several, the names of these.
    """
    names = [n for n in lookup.names if n in sheet.names and _each_once(lookup.column(n))]
    if len(names) != 1:
        return names
    (name,) = names
    bare = _each_once(_codes(lookup.column(name), bare=True))
    return Join(own=name, other=name, bare=bare, shared=1.0)


def _most_specific(sheet: Sheet, joins: Sequence[Join]) -> Join | None:
    # Among columns that share all codes, the one with the most different codes is most specific.
    return max(
        joins,
        key=lambda j: (
            not j.cut,
            j.shared,
            not j.bare,
            len(pc.unique(sheet.column(j.own))),
            j.own == j.other,
        ),
        default=None,
    )


def _by_whole_codes(sheet: Sheet, lookup: Sheet, areas: frozenset[str]) -> list[Join]:
    """Return the joins by whole codes, with and without their leading zeros."""
    return [
        join
        for bare in (False, True)
        for other in lookup.names
        if _each_once(_codes(lookup.column(other), bare))
        for own in sheet.names
        if (own in areas if areas else own == other or _may_hold_areas(own))
        and (join := _shared(sheet, own, lookup, other, bare)) is not None
    ]


def _without_check_digits(sheet: Sheet, lookup: Sheet, areas: frozenset[str]) -> list[Join]:
    """Return the joins by codes to which the lookup adds one digit, with which they are checked.

    All codes of either column must have the same number of digits, and at least five.
    """
    joins = []
    for other in lookup.names:
        digits = _digits(lookup.column(other))
        if digits <= _MIN_CHECKED or not _each_once(_cut(lookup.column(other), 1)):
            continue
        for own in sheet.names:
            if _digits(sheet.column(own)) != digits - 1:
                continue
            if own in areas if areas else _may_hold_areas(own):
                found = _shared(sheet, own, lookup, other, False, cut=1)
                joins += [found] if found else []
    return joins


def _within_cells(sheet: Sheet, lookup: Sheet) -> list[Join]:
    """Return the joins by a code before a name, or by the first characters of codes.

    The lookup then lists the regions themselves, or those of an upper level, whose codes begin the
    longer ones of the table. Its codes have one length of at least two characters.
    """
    joins: list[Join] = []
    for own in sheet.names:
        if not _may_hold_areas(own):
            continue
        text = sheet.column(own)
        named = coded_names(text)
        lengths = pc.unique(pc.utf8_length(pc.unique(codes_in(text) if named else text)))
        shortest = pc.min(lengths).as_py() or 0
        for other in lookup.names:
            if not _each_once(lookup.column(other)):
                continue
            found = None
            if named:
                found = _shared(sheet, own, lookup, other, False, named=True)
            width = _width(lookup.column(other))
            if found is None and _MIN_FIRST <= width < shortest:
                found = _shared(sheet, own, lookup, other, False, named=named, first=width)
            joins += [found] if found else []
    return joins


def _width(codes: Text) -> int:
    """Return how many characters all codes with a digit have; 0 if their lengths differ."""
    filled = pc.unique(codes.filter(pc.not_equal(codes, "")))
    lengths = pc.unique(pc.utf8_length(filled)).to_pylist()
    coded = pc.all(pc.match_substring_regex(filled, "^[A-Z]{0,3}[0-9]+[A-Z]?$")).as_py()
    return int(lengths[0]) if coded and len(lengths) == 1 else 0


def _digits(codes: Text) -> int:
    """Return how many digits all codes have; 0 if their lengths differ or some are not digits."""
    filled = pc.unique(codes.filter(pc.not_equal(codes, "")))
    if not pc.all(pc.match_substring_regex(filled, "^[0-9]+$")).as_py():
        return 0
    lengths = pc.unique(pc.utf8_length(filled)).to_pylist()
    return int(lengths[0]) if len(lengths) == 1 else 0


def _cut(codes: Text, digits: int) -> Text:
    return pc.utf8_slice_codeunits(codes, 0, -digits) if digits else codes


def _official_areas(sheet: Sheet) -> frozenset[str]:
    """Return the columns of regions of an official file; empty for other files."""
    known = official_file(sheet)
    layout = None if known is None else known.layout
    return frozenset() if layout is None else frozenset((*layout.levels, *layout.destinations))


def _may_hold_areas(name: str) -> bool:
    """Return whether a column is not named after a category, a trait of persons or a year."""
    plain = plain_name(name)
    others = any(rule.fullmatch(plain) for rule in (CATEGORY, PERSON, MEASURE, YEAR))
    return not others or bool(CODE.fullmatch(plain) or PLACE.search(plain))


def _names_areas(name: str) -> bool:
    """Return whether the name of a column has a word for areas, beside words such as "code".

    >>> _names_areas("bydel_kode"), _names_areas("sex_name"), _names_areas("name")
    (True, False, False)
    """
    own = "_".join(word for word in plain_name(name).split("_") if word not in LABELS)
    return bool(own and PLACE.search(own))


def is_lookup(sheet: Sheet) -> bool:
    """Return whether a table has no columns of numbers except codes, so that it has no counts."""
    facts = SheetFacts(sheet)
    return all(
        not column.numeric or column.leading_zeros or bool(CODE.fullmatch(column.plain))
        for column in facts.columns.values()
    )


def describes_columns(lookup: Sheet, sheet: Sheet) -> bool:
    """Return whether `lookup` lists fields, or the names of the columns of `sheet`."""
    names = pa.array(sheet.names)
    return lists_fields(lookup.names) or (
        any(
            int(as_mask(pc.is_in(names, value_set=column)).sum()) * 2 >= len(names)
            for column in map(pc.unique, lookup.columns)
        )
        and len(names) >= _LEAST_DESCRIBED
    )


def describes_official(sheet: Sheet, lookup: Sheet) -> bool:
    """Return whether a table beside an official file numbers the fields of its records."""
    known = official_file(sheet)
    numbers = [str(place) for place in range(1, len(sheet.names) + 1)]
    return known is not None and any(
        _codes(column, bare=True).to_pylist() == numbers for column in lookup.columns
    )


def _codes(text: Text, bare: bool) -> Text:
    return pc.replace_substring_regex(text, "^0+([0-9])", r"\1") if bare else text


def shared_pair(sheet: Sheet, lookup: Sheet) -> tuple[str, str] | None:
    """Return two columns that both tables have, which identify the areas of the lookup together.

    An example is the codes of states and those of counties, which start again in each state. Only
    the names of the columns of the table decide, so that no record can.
    """
    names = [n for n in lookup.names if n in sheet.names]
    if len(names) != 2 or any(_each_once(lookup.column(name)) for name in names):
        return None
    if not _each_once(joined_codes_of(lookup, names)):
        return None
    return names[0], names[1]


def joined_codes_of(sheet: Sheet, names: Sequence[str]) -> Text:
    """Return the codes of several columns, joined by slashes, shape (n_rows,)."""
    return pc.binary_join_element_wise(*(sheet.column(name) for name in names), "/")


def with_joined_codes(sheet: Sheet, names: Sequence[str]) -> Sheet:
    """Return the table with the joined codes of several columns in a column `JOINED`."""
    return sheet.with_column(JOINED, joined_codes_of(sheet, names))


def _each_once(codes: Text) -> bool:
    filled = codes.filter(pc.not_equal(codes, ""))
    return len(filled) > 1 and len(pc.unique(filled)) == len(filled)


def _shared(
    sheet: Sheet,
    own: str,
    lookup: Sheet,
    other: str,
    bare: bool,
    *,
    cut: int = 0,
    named: bool = False,
    first: int = 0,
) -> Join | None:
    join = Join(own=own, other=other, bare=bare, shared=1.0, cut=cut, named=named, first=first)
    codes = pc.unique(join.codes_of(sheet))
    codes = codes.filter(pc.not_equal(codes, ""))
    if len(codes) < 2:
        return None
    known = as_mask(
        pc.is_in(codes, value_set=pc.unique(_cut(_codes(lookup.column(other), bare), cut)))
    )
    shared = float(known.mean())
    if shared < _LEAST_SHARED:
        return None
    return replace(join, shared=shared)


def join_lookup(
    sheet: Sheet,
    lookup: Sheet,
    join: Join,
    notes: Notebook,
    *,
    left_out: Sequence[str] = (),
    named: Collection[str] = (),
) -> Sheet:
    """Return the table with the columns of the lookup; codes that it lacks are errors.

    Where a second column holds the same codes, as the origins and destinations of flows do, the
    columns are joined to both. In a confidential table, only names decide this: the columns are
    joined to the other end of a trip, and to all columns for which the settings name a joined one.

    Args:
        sheet, lookup, join: the two tables, and the columns by which they are joined.
        notes: receives the findings.
        left_out: rows that a person leaves out, as "COLUMN=VALUE", which may have other codes.
        named: the columns that the settings name.
    """
    lookup = _with_names_of_its_own(sheet, lookup, join)
    taken = [
        n for n in lookup.names
        if n != join.other and n not in sheet.names and not _is_blank(lookup.column(n))
    ]  # fmt: skip
    if join.first and join.other not in sheet.names:
        taken.insert(0, join.other)  # the codes of the level above
    before = sheet.names
    ends, nested = _further_joins(sheet, lookup, join, taken, named, notes)
    own = {name: name for name in taken}
    if len(taken) == 1 and _only_describes(lookup.column(taken[0]), taken[0]):
        own = {taken[0]: column_of(taken[0], join.own)}
    sheet = _with_columns(sheet, lookup, join, own, left_out, notes)
    repeated = [
        new for new in own.values()
        if not notes.confidential and _repeats_a_column(sheet, before, new)
    ]  # fmt: skip
    sheet = sheet.without(repeated)
    taken = [n for n in taken if own[n] not in repeated]
    for name in [n for n in taken if _names_parents(lookup, join.other, n)]:
        sheet = _with_ancestors(sheet, lookup, join.other, name, confidential=notes.confidential)
        sheet = _with_names_of_parents(sheet, lookup, join.other, name)
    for end in (*ends, *nested):
        added = {name: column_of(name, end.own) for name in taken}
        sheet = _with_columns(sheet, lookup, end, added, left_out, notes)
    if join.cut:
        notes.repair(
            "check-digit",
            f"codes of column {shown_code(join.other)} were joined without their last digit, which "
            f"column {shown_code(join.own)} of the table does not have",
        )
    added_names = [n for n in sheet.names if n not in before]
    if not (join.first or join.named) and any(_names_areas(name) for name in added_names):
        columns = {join.own, *(end.own for end in (*ends, *nested))}
        sheet = replace(sheet, listed=sheet.listed | columns)
    by = (
        "the two columns that both have"
        if join.other == JOINED
        else f"column {shown_code(join.other)}"
    )
    notes.note(
        "joined",
        f"was joined to the table by {by}, which added "
        f"{shown_codes(added_names if nested else taken, shown=20) or 'no new column'}",
    )
    if join.first or join.named:
        notes.note("joined-part", _part_in_words(join))
    return sheet


def _repeats_a_column(sheet: Sheet, names: Sequence[str], new: str) -> bool:
    """Return whether a new column repeats one of the columns `names` wherever it is filled.

    A list that is joined by the names of areas has their codes, which the table may have as well.
    """
    cells = sheet.column(new)
    filled = as_mask(pc.not_equal(cells, ""))
    if 2 * np.count_nonzero(filled) < sheet.n_rows or len(pc.unique(cells)) < _LEAST_REPEATED:
        return False
    return any(
        bool((as_mask(pc.equal(cells, sheet.column(name))) | ~filled).all()) for name in names
    )


def _with_names_of_its_own(sheet: Sheet, lookup: Sheet, join: Join) -> Sheet:
    """Return a lookup without a header, whose columns have other names than those of the table.

    Both then have a "column 3", which becomes "list column 3" in the lookup.
    """
    same = {n for n in lookup.names if _UNNAMED.fullmatch(n) and n in sheet.names} - {join.other}
    names = tuple(f"list {n}" if n in same else n for n in lookup.names)
    return replace(lookup, names=names)


def _part_in_words(join: Join) -> str:
    """Return which part of the cells of the table was joined."""
    column = shown_code(join.own)
    if not join.first:
        return f"codes at the beginning of the cells of column {column} were joined"
    return (
        f"the first {join.first} characters of column {column} were joined, as the codes of the "
        "areas above"
    )


def _levels_above(sheet: Sheet, lookup: Sheet, join: Join) -> list[Join]:
    """Return the joins by columns of upper levels whose codes the lookup lists as well.

    Only a lookup without parents is joined to them, since it then has names alone.
    """
    texts = [n for n in lookup.names if n != join.other]
    if len(texts) != 1 or join.cut or join.first or join.named:
        return []
    facts = SheetFacts(sheet)
    return [
        level for name in sheet.names
        if name != join.own and facts[name].distinct < facts[join.own].distinct
        and _may_hold_areas(name) and facts.within([join.own], name)
        and (level := _shared(sheet, name, lookup, join.other, join.bare)) is not None
        and level.shared == 1.0
    ]  # fmt: skip


def _only_describes(text: Text, name: str) -> bool:
    """Return whether a column of words has a name that does not say what it describes."""
    plain = plain_name(name)
    column = ColumnFacts(name, text)
    return not (column.numeric or column.coded or says_name(plain) or PLACE.search(plain))


def _is_blank(text: Text) -> bool:
    return bool(pc.all(pc.equal(text, "")).as_py())


def _further_joins(
    sheet: Sheet,
    lookup: Sheet,
    join: Join,
    taken: Sequence[str],
    named: Collection[str],
    notes: Notebook,
) -> tuple[list[Join], list[Join]]:
    """Return the joins by other ends of flows, and those by columns of upper levels.

    Args:
        sheet, lookup, join: the two tables, and the columns by which they are joined.
        taken: the columns of the lookup that are joined.
        named: the columns that the settings name.
        notes: states whether the table is confidential.
    """
    if not notes.confidential:
        ends = _further_ends(sheet, lookup, join)
        return ends, [] if ends else _levels_above(sheet, lookup, join)
    others = [
        replace(join, own=name) for name in sheet.names
        if name != join.own
        and (_are_ends(join.own, name) or any(column_of(n, name) in named for n in taken))
    ]  # fmt: skip
    return others, []


def _further_ends(sheet: Sheet, lookup: Sheet, join: Join) -> list[Join]:
    """Return the joins by other columns that hold the same codes and do not nest with the first."""
    facts, official = SheetFacts(sheet), _official_areas(sheet)
    return [
        end for name in sheet.names
        if name != join.own
        and (share_codes(facts[join.own], facts[name]) or _are_ends(join.own, name)
             or {join.own, name} <= official)
        and not facts.within([join.own], name) and not facts.within([name], join.own)
        and (end := _shared(sheet, name, lookup, join.other, join.bare, cut=join.cut)) is not None
    ]  # fmt: skip


def _are_ends(one: str, other: str) -> bool:
    """Return whether two columns are named as the origins and the destinations of flows.

    >>> _are_ends("Pickup Area", "Dropoff Area"), _are_ends("Area", "Dropoff Area")
    (True, False)
    """
    return any(
        (rest := end_in(start, ORIGIN)) is not None and rest == end_in(end, DESTINATION)
        for start, end in ((one, other), (other, one))
    )


def _with_columns(
    sheet: Sheet,
    lookup: Sheet,
    join: Join,
    added: Mapping[str, str],
    left_out: Sequence[str],
    notes: Notebook,
) -> Sheet:
    """Return the table with columns of the lookup under new names; unknown codes are errors.

    Args:
        sheet: the table.
        lookup: the lookup.
        join: the columns by which they are joined.
        added: the new name of each column of the lookup.
        left_out: rows that a person leaves out, as "COLUMN=VALUE".
        notes: receives the errors.
    """
    own, other = (
        join.codes_of(sheet),
        _cut(_codes(lookup.column(join.other), join.bare), join.cut),
    )
    at = pc.index_in(own, value_set=pa.array(other))
    unknown = as_mask(pc.is_null(at)) & as_mask(pc.not_equal(own, ""))
    for pair in left_out:
        column, _, value = pair.partition("=")
        if sheet.has(column):
            unknown &= ~as_mask(pc.equal(sheet.column(column), value))
    if unknown.any():
        codes = pc.unique(sheet.column(join.own).filter(pa.array(unknown))).to_pylist()
        _report_unknown(join, codes, notes)
    place = pa.array(np.asarray(pc.fill_null(at, 0).to_numpy(zero_copy_only=False)))
    known = pa.array(as_mask(pc.is_valid(at)))
    for name, new in added.items():
        cells = lookup.column(name).take(place)
        sheet = sheet.with_column(new, pc.if_else(known, cells, ""))
    return sheet


def _report_unknown(join: Join, codes: Sequence[str], notes: Notebook) -> None:
    """Report codes of the table that the lookup lacks as an error."""
    out = tuple(f"{join.own}={code}" for code in codes)
    together = join.own == JOINED
    what = (
        "two codes of the table do not occur together in the list"
        if together
        else f"a code of column {shown_code(join.own)} of the table is not in column "
        f"{shown_code(join.other)}"
    )
    remedy = (
        "Add them to the list, or correct them."
        if together
        else f'Add the code to the lookup table, or leave out its rows with leave_out = "{out[0]}".'
    )
    leave = Choice(words="Leave out the rows with these codes", stated={"leave_out": out})
    notes.fault(
        "not-in-lookup", what, remedy,
        places=[shown_code(code) for code in codes[:_SHOWN]], count=len(codes),
        choices=() if together else (leave,),
    )  # fmt: skip


def _names_parents(lookup: Sheet, code: str, name: str) -> bool:
    """Return whether a column of a list of codes holds the parent of each code."""
    above = pc.unique(lookup.column(name))
    above = above.filter(pc.not_equal(above, ""))
    if len(above) == 0 or len(above) >= lookup.n_rows:
        return False
    return bool(as_mask(pc.is_in(above, value_set=lookup.column(code))).all())


def _with_names_of_parents(sheet: Sheet, lookup: Sheet, code: str, parent: str) -> Sheet:
    """Return the table with the names that a list of codes gives to the parents, if it has any."""
    named = [
        n for n in lookup.names
        if n not in (code, parent) and says_name(plain_name(n))
        and not _is_blank(lookup.column(n))
    ]  # fmt: skip
    above = [n for n in sheet.names if n == parent or re.fullmatch(rf"{re.escape(parent)} \d", n)]
    if not named or not above:
        return sheet
    name_of = dict(
        zip(lookup.column(code).to_pylist(), lookup.column(named[0]).to_pylist(), strict=True)
    )
    for column in above:
        cells = [name_of.get(cell, "") for cell in sheet.column(column).to_pylist()]
        sheet = sheet.with_column(column_of(column, named[0]), pa.array(cells, pa.string()))
    return sheet


def _with_ancestors(
    sheet: Sheet, lookup: Sheet, code: str, name: str, *, confidential: bool
) -> Sheet:
    """Return the table with a column for each level above its parents, while all have one.

    In a confidential table, these are the levels that all codes without sub-areas have.
    """
    above = dict(zip(lookup.column(code).to_pylist(), lookup.column(name).to_pylist(), strict=True))
    cells = sheet.column(name).to_pylist()
    parents = {*above.values()}
    known = [above[c] for c in above if c and c not in parents] if confidential else cells
    for step in range(2, _MOST_STEPS):
        cells, known = ([above.get(cell, "") for cell in column] for column in (cells, known))
        if not all(known):
            break
        sheet = sheet.with_column(f"{name} {step}", pa.array(cells, pa.string()))
    return sheet
