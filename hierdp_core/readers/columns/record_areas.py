"""Records whose guessed level may not be a region: a result, or a number that starts again.

The name of a level of records usually says that it holds regions, or its codes belong to a known
system. Without such evidence, the finest column of words or codes may be an attribute, such as the
result of an interview, or a number within a cluster, such as that of a dwelling. Every column that
may hold regions is offered then.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import pyarrow.compute as pc

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.level_rules import FROM_A_LIST
from hierdp_core.readers.columns.measure import MAX_CHOICES
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.record_rules import weights_in
from hierdp_core.readers.columns.region_columns import (
    RegionColumns,
    about_something_else,
    numbers_of_names,
)
from hierdp_core.readers.columns.vocabulary import CODE, COUNT, PLACE
from hierdp_core.readers.report import shown_code

_MIN_ROWS = 12  # records; fewer are examples
_ROWS_OF_EACH = 3  # rows for each region, on average
_NEARLY_ALL = 0.9  # proportion of the rows that two columns identify
_MIN_UPPER = 3  # values of a column below which numbers start again
_SHORTEST = 3  # digits of codes of regions; two digits may be months
_LONG = 4  # digits of a code that may begin with the codes of its upper levels
_DIGITS = re.compile(r"[0-9]+")
_SPLITS = {4: (2, 4), 5: (2, 5), 6: (2, 4, 6), 7: (2, 4, 7), 8: (2, 5, 8), 9: (2, 5, 9)}


def unsupported_level_question(
    facts: SheetFacts, places: RegionColumns, taken: frozenset[str]
) -> Question | None:
    """Ask which columns hold regions, where neither names nor codes support the guessed level.

    Args:
        facts: facts about the records.
        places: the guessed columns of regions.
        taken: columns that hold something else.
    """
    levels = tuple(places.words["levels"])
    if facts.n_rows < _MIN_ROWS or any(_named(facts, n) for n in (*levels, *_labels(places))):
        return None
    others = _candidates(facts, [n for n in facts.sheet.names if n not in taken], levels)
    others = [n for n in others if not _starts_again(facts, n, others)]
    if not {*others} - {*levels}:
        return None
    leaf = levels[-1]
    leaves = _likely_first(facts, others, levels)
    by_prefix = [choice for name in leaves for choice in _by_prefix(facts, name)]
    by_columns = [choice for name in leaves for choice in _ways(facts, name, others)]
    listed = [
        choice for choice in by_columns
        if len(choice.stated["levels"]) > 1
        and any(name.startswith(FROM_A_LIST) for name in choice.stated["levels"])
    ]  # fmt: skip
    choices = (*listed, *by_prefix, *(choice for choice in by_columns if choice not in listed))
    what = f"neither its name nor its codes show that column {shown_code(leaf)} holds areas"
    if leaf not in others:
        what = f"{what}, and its values start again in each area of another column"
    return Question(
        what=f"{what}. It is not clear which columns hold the areas",
        choices=choices[:MAX_CHOICES],
    )


def _labels(places: RegionColumns) -> tuple[str, ...]:
    return tuple(name for name in places.words.get("names", ()) if name)


def _named(facts: SheetFacts, name: str) -> bool:
    """Return whether a name has a word for regions, or for codes without any other word."""
    return name in facts.columns and bool(
        PLACE.search(facts[name].plain) or CODE.fullmatch(facts[name].plain)
    )


def _candidates(facts: SheetFacts, names: Sequence[str], levels: Sequence[str]) -> list[str]:
    """Return the columns that may hold regions, by their values and by what others are within them.

    Plain numbers may be regions only if none is missing and they nest with another candidate.
    """
    free = [
        n for n in names
        if n in levels or not (about_something_else(facts, n) or facts[n].plain in COUNT)
    ]  # fmt: skip
    weights = weights_in(facts, free)
    numbered = numbers_of_names(facts, free)
    likely = [
        n for n in free
        if n not in weights and not facts[n].blank and not facts[n].fractions
        and not facts[n].years and not facts[n].never_places
        and 1 < facts[n].distinct_filled <= facts.n_rows // _ROWS_OF_EACH
    ]  # fmt: skip
    sure = [
        n for n in likely
        if not facts[n].numeric or (facts[n].leading_zeros and _length(facts, n) >= _SHORTEST)
        or n in numbered
    ]  # fmt: skip
    return [
        n for n in likely
        if n in sure
        or (facts[n].distinct == facts[n].distinct_filled
            and any(_nest(facts, n, other) for other in likely if other != n))
    ]  # fmt: skip


def _length(facts: SheetFacts, name: str) -> int:
    """Return the number of characters of the longest cell."""
    return max(map(len, facts[name].filled.to_pylist()), default=0)


def _nest(facts: SheetFacts, one: str, other: str) -> bool:
    """Return whether the finer of two columns lies within the coarser, with several values each."""
    fine, coarse = sorted((one, other), key=lambda n: -facts[n].distinct)
    return facts[fine].distinct > facts[coarse].distinct > 1 and facts.within([fine], coarse)


def _starts_again(facts: SheetFacts, name: str, others: Sequence[str]) -> bool:
    """Return whether numbers identify nearly every record below another column, but not alone."""
    if not facts[name].every("^[0-9]+$"):
        return False
    return any(
        facts[upper].distinct >= _MIN_UPPER
        and _rank_of_number(facts, upper) < _rank_of_number(facts, name)
        and not _nest(facts, name, upper)
        and facts.different([upper, name]) >= _NEARLY_ALL * facts.n_rows
        and not any(_nest(facts, name, third) for third in others if third not in (name, upper))
        for upper in others
        if upper != name
    )


def _rank_of_number(facts: SheetFacts, name: str) -> tuple[int, int]:
    """Return the rank of a column: numbers that start again are shorter, or stand later."""
    return -_length(facts, name), facts.sheet.names.index(name)


def _likely_first(facts: SheetFacts, names: Sequence[str], levels: Sequence[str]) -> list[str]:
    """Return the lowest levels to offer: those below most others first, the guessed one last."""

    def rank(name: str) -> tuple[bool, int, bool, int]:
        above = sum(
            _nest(facts, name, n) for n in names if facts[n].distinct < facts[name].distinct
        )
        return (name in levels and not above, -above, not facts[name].coded, -facts[name].distinct)

    return sorted(names, key=rank)


def _ways(facts: SheetFacts, leaf: str, names: Sequence[str]) -> list[Choice]:
    """Return the answers with one lowest level: below each chain of others, and alone."""
    above = [
        n for n in sorted(names, key=lambda n: -facts[n].distinct)
        if facts[n].distinct < facts[leaf].distinct and facts.within([leaf], n)
    ]  # fmt: skip
    chains: list[tuple[str, ...]] = []
    while above:
        chain = [leaf]
        for name in above:
            if facts.within([chain[0]], name) and not facts.twins(chain[0], name):
                chain.insert(0, name)
        chains.append(tuple(chain))
        above = [n for n in above if n not in chain]
    ways = dict.fromkeys((*chains, (leaf,)))
    return [Choice(words=levels_in_words(way), stated={"levels": way}) for way in ways]


def _by_prefix(facts: SheetFacts, name: str) -> list[Choice]:
    """Return the answer that codes of one length begin with the codes of their upper levels."""
    codes = pc.unique(facts[name].filled)
    lengths = {len(code) for code in codes.to_pylist()}
    if len(lengths) != 1 or not facts[name].every(f"^{_DIGITS.pattern}$"):
        return []
    length = lengths.pop()
    split = _SPLITS.get(length, ()) if length >= _LONG else ()
    n_codes = [len(pc.unique(pc.utf8_slice_codeunits(codes, 0, end))) for end in split]
    if not split or not all(upper < lower for upper, lower in pairwise([1, *n_codes])):
        return []
    shown = ", ".join(map(str, split))
    return [
        Choice(
            words=f"codes of column {shown_code(name)} begin with those of the areas above "
            f"(lengths {shown})",
            stated={"levels": (name,), "prefix": split},
        )
    ]
