"""Questions about records whose columns of areas are not recognisable by their names or codes.

In a survey, a column "P03" may be a district, an answer or the number of a dwelling. Words in its
cells are no evidence: the results of interviews are words too.
"""

from collections.abc import Sequence

from hierdp_core.readers.columns.codes import fit_of
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.level_rules import named_after_places
from hierdp_core.readers.columns.question import Choice, Question, levels_in_words
from hierdp_core.readers.columns.vocabulary import GROUP_ID, PERSON, ROW_NUMBER, subject_of

_MIN_ROWS = 2  # rows for each value of a level, on average
_MOST_OFFERED = 6  # answers
_MOST_LEVELS = 4  # levels of one answer
_LONG_CODE = "^.{5,}$"  # such as "AL-501"; "C2" may be a class
_MANY_LEVELS = 3  # levels that nest by no chance


def unnamed_levels_question(
    facts: SheetFacts, levels: Sequence[str], names: Sequence[str], taken: frozenset[str]
) -> Question | None:
    """Ask which columns of records are levels, where nothing says that the guessed ones are.

    Codes with names beside them, and three levels that nest, are evidence as well.

    Args:
        facts: facts about the table.
        levels: the guessed levels.
        names: the columns of the names of levels.
        taken: columns that hold something else.
    """
    named = any(name and name not in levels for name in names)
    if named or len(levels) >= _MANY_LEVELS or any(_known_as_areas(facts, name) for name in levels):
        return None
    likely = [n for n in facts.sheet.names if n in levels or _may_be_areas(facts, n, taken)]
    ways = dict.fromkeys((tuple(levels), *_chains(facts, likely)))
    if len(ways) == 1:
        return None
    ranked = sorted(ways, key=lambda way: (-len(way), way != tuple(levels)))
    return Question(
        what="no column is named after areas, and no codes are known. It is not clear which "
        "columns are levels of areas",
        choices=tuple(
            Choice(words=levels_in_words(way), stated={"levels": way})
            for way in ranked[:_MOST_OFFERED]
        ),
    )


def _known_as_areas(facts: SheetFacts, name: str) -> bool:
    """Return whether the name, the label or the codes of a column say that it holds areas.

    Such codes are of a known system, or letters and digits.
    """
    column = facts[name]
    if named_after_places(column, bare=False) or fit_of(column.text, name) is not None:
        return True
    if not column.numeric and column.coded and column.share(_LONG_CODE) == 1.0:
        return True
    subject = subject_of(column.plain)
    return bool(subject) and any(
        other != name and subject_of(facts[other].plain) == subject and facts.twins(name, other)
        for other in facts.sheet.names
    )


def _may_be_areas(facts: SheetFacts, name: str, taken: frozenset[str]) -> bool:
    """Return whether the values of a column may be areas, each with two records on average."""
    column = facts[name]
    if name in taken or column.never_places or column.years or column.fractions or column.moments:
        return False
    if any(words.fullmatch(column.plain) for words in (PERSON, GROUP_ID, ROW_NUMBER)):
        return False
    return column.distinct_filled > 1 and column.distinct * _MIN_ROWS <= facts.n_rows


def _chains(facts: SheetFacts, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each column, from the finest on, the levels down to it that nest."""
    order = sorted(names, key=lambda n: -facts[n].distinct)
    chains: list[tuple[str, ...]] = []
    for leaf in order:
        chain = [leaf]
        for name in order:
            nests = facts[name].distinct < facts[chain[0]].distinct
            if nests and len(chain) < _MOST_LEVELS and facts.within([chain[0]], name):
                chain.insert(0, name)
        chains.append(tuple(chain))
    return chains
