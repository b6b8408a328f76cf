"""Signs that a column is, or is not, a level of regions: one function for each sign."""

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from hierdp_core.readers.columns.facts import ColumnFacts, SheetFacts
from hierdp_core.readers.columns.region_columns import is_name
from hierdp_core.readers.columns.vocabulary import CODE, LABELS, PLACE, POSTAL, ROW_NUMBER

_MANY = 4  # regions that correspond one to one to others by no chance
_STEM = 4  # letters that names of one level have in common
_MIN_REPEATED = 2  # names of several regions; a single one may be a word for a total
_RECORDS = 20  # rows of a list of records

_STATES = "state|estado|entidad|bundesland|region|comunidad|voivod|wojew|oblast|都道府県"
_PROVINCES = (
    "prov|count(y|ies)|countyfp|judet|kreis|landkreis|depart|prefect|distri|fylke|kanton|canton|powiat|"
    "bezirk|zupanij|megye|kabupaten|maakond|apskrit|amphoe|dzongkhag|daerah|parlimen"
)
_TOWNS = (
    "muni|munty|commun(?!it)|comun|gemeinde|kommun|gemeente|concelho|gmina|kunta|cidade|ciudad|"
    "市区町村|市町村"
)
# Begins the names of columns that a list of areas without a header added to a table without one.
FROM_A_LIST = "list column "
# How levels are called, from the top: beginnings of words, and whole words.
_WARDS = (
    "parish|freguesia|village|barrio|barangay|buurt|ortsteil|kebele|gewog|tambon|fokontany|"
    "kelurahan|desa|mukim|mahalle|parroquia|corregimiento"
)
_TIERS = tuple(
    re.compile(f"{begins}|({whole.replace(' ', '|')})(_|$)")
    for begins, whole in (
        ("country|nation|paese", "pais pays staat nuts0 nuts_0"),
        (_STATES, "uf reg rgn ccaa"),
        (_PROVINCES, "lan dep dept dstr il nuts3 nuts_3"),
        ("sub_?(county|distr)|arrond|taluk|tehsil|upazila|thana|woreda|kecamatan", "ilce"),
        (_TOWNS, "obec city town ville mun council camp savivaldybe"),
        (_WARDS, "ward block tract wijk sector"),
    )
)  # fmt: skip


def tier_of(column: ColumnFacts) -> int:
    """Return the position, from the top, of the level that a column is about: see `tier_named`."""
    return tier_named(column.plain)


def tier_named(plain: str) -> int:
    """Return the position, from the top, of the level that a name is about; -1 for none or several.

    Levels at the same position may be in any order.

    >>> tier_named("tx_prov_descr_nl") == tier_named("county") > tier_named("state")
    True
    >>> tier_named("cd_rgn_refnis") < tier_named("cd_dstr_refnis")
    True
    >>> tier_named("commune") == tier_named("comuna"), tier_named("community")
    (True, -1)
    >>> tier_named("comunidad")  # a region in Spain, and a village elsewhere
    -1
    """
    tiers = {
        tier for tier, pattern in enumerate(_TIERS)
        if any(pattern.match("_".join(plain.split("_")[k:])) for k in range(plain.count("_") + 1))
    }  # fmt: skip
    lowest = max(tiers, default=-1)
    return lowest if len(tiers) == 1 or tiers == {2, 3} else -1


def of_other_tiers(one: ColumnFacts, other: ColumnFacts) -> bool:
    """Return whether the names of two columns state two different levels."""
    tiers = tier_of(one), tier_of(other)
    return min(tiers) >= 0 and tiers[0] != tiers[1]


def place_points(column: ColumnFacts) -> int:
    """Return points for a name: 2 for a word for regions and 1 for a word for codes."""
    return 2 * bool(PLACE.search(column.plain)) + bool(CODE.fullmatch(column.plain))


def named_after_places(column: ColumnFacts, *, bare: bool = True) -> bool:
    """Return whether the name, without words such as "code" or "name", has a word for regions.

    Args:
        column: facts about the column.
        bare: what is returned if no other words are left.
    """
    kept = [word for word in column.plain.split("_") if word not in LABELS]
    return bool(PLACE.search("_".join(kept))) if kept else bare


def duplicates_level(facts: SheetFacts, name: str, before: Sequence[str]) -> bool:
    """Return whether a column identifies the regions of an earlier one, as USPS and FIPS do."""
    return bool(place_points(facts[name])) and any(
        facts.twins(other, name)
        and place_points(facts[other])
        and (facts[name].distinct >= _MANY or _alike(facts[other], facts[name]))
        for other in before
    )


def _alike(one: ColumnFacts, other: ColumnFacts) -> bool:
    """Return whether two names are about one level, such as "STATE" and "STATEA".

    "hospital_service_area" and "hospital_county" are not, since their other words are different
    regions.
    """
    ends = [column.plain.partition("_")[2] for column in (one, other)]
    first, second = (
        [word for word in end.split("_") if word and word not in LABELS] for end in ends
    )
    if first and second and not {*first} & {*second}:
        about_places = [bool(PLACE.search("_".join(rest))) for rest in (first, second)]
        if all(about_places):
            return False
    stems = sorted((one.plain, other.plain), key=len)
    return len(stems[0]) >= _STEM and stems[1].startswith(stems[0][:_STEM])


def numbers_rows(column: ColumnFacts) -> bool:
    """Return whether a column only numbers the rows."""
    return column.counts_rows and bool(ROW_NUMBER.fullmatch(column.plain))


def names_above(facts: SheetFacts, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return columns of words in which each region of the finest known level has one value.

    In records with several rows for each region, a column does not nest like this by chance. Codes
    of a level above are those with which the codes of a known level begin, and those whose names
    are in a column of words.

    Args:
        facts: facts about the table.
        names: columns that may be levels.
        known: columns that are levels by their names.
    """
    if not known:
        return []
    finest = max(known, key=lambda n: facts[n].distinct)
    own = facts[finest].distinct
    return [
        n for n in names
        if n not in known and own * _MANY <= facts.n_rows and facts.within([finest], n)
        and (
            any(_begins_codes(facts, n, lower) for lower in known)
            or any(_spells_out(facts, other, n) for other in names if other not in known)
            if facts[n].coded
            else 2 * facts[n].distinct <= own and not facts[n].numeric
        )
    ]  # fmt: skip


def _spells_out(facts: SheetFacts, words: str, code: str) -> bool:
    """Return whether a column of words holds a name for each code of another one."""
    named = not facts[words].coded and not facts[words].numeric
    return named and facts[code].distinct >= _MANY and facts.twins(words, code)


def _begins_codes(facts: SheetFacts, name: str, lower: str) -> bool:
    """Return whether all codes of a level begin with the shorter codes of a column beside them."""
    column = facts[name]
    if column.distinct < _MIN_REPEATED or column.distinct_filled < column.distinct:
        return False
    _, rows = np.unique(facts[lower].index, return_index=True)
    pairs = zip(column.text.take(rows), facts[lower].text.take(rows), strict=True)
    return all(
        len(upper.as_py()) < len(code.as_py()) and code.as_py().startswith(upper.as_py())
        for upper, code in pairs
    )


def without_record_numbers(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns without those that have a different value in each record.

    Nothing is removed in short tables, or if no other column has values that occur often.
    """
    often = [n for n in names if facts[n].distinct * _MANY <= facts.n_rows]
    if facts.n_rows < _RECORDS or not often:
        return list(names)
    return [n for n in names if not facts[n].numbered_apart]


def without_postal_codes(facts: SheetFacts, names: Sequence[str]) -> list[str]:
    """Return the columns without postal codes that do not nest with a column named after regions.

    They are kept if the other columns distinguish fewer rows.
    """
    postal = {n for n in names if POSTAL.fullmatch(facts[n].plain)}
    others = [n for n in names if n not in postal and PLACE.search(facts[n].plain)]
    across = {
        n for n in postal
        if any(not facts.within([n], other) and not facts.within([other], n) for other in others)
    }  # fmt: skip
    kept = [n for n in names if n not in across]
    return kept if facts.different(kept) == facts.different(names) else list(names)


def spells_out_codes(
    facts: SheetFacts, name: str, names: Sequence[str], fixed: Sequence[str]
) -> bool:
    """Return whether names repeat, although two columns of codes distinguish all rows."""
    own = facts[name]
    if own.coded or not is_name(own) or facts.one_row_each([name, *fixed]):
        return False
    if int((np.bincount(own.index) > 1).sum()) < _MIN_REPEATED:
        return False
    codes = [n for n in names if n != name and facts[n].coded]
    return any(facts.one_row_each([*pair, *fixed]) for pair in combinations(codes, 2))
