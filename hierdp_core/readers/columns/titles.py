"""What the title of a table says about a column of numbers whose name does not.

Many offices print "Population by district" above a column named "2022" or "All ages".
"""

import re

from hierdp_core.readers.columns.count_rules import MARGIN, Ranking, count_points
from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.vocabulary import COUNT, plain_name, words

_MIN_POINTS = 1.0  # points of a column without its title
# Words that say how a number is written rather than what it counts.
_VAGUE = words("n value values num number total totale insgesamt count counts frequency freq units")
_MEASURES = re.compile(
    r"(.*_)?(rate|rates|density|densite|dichte|densita|densidad|percent|percentage|per_cent|prozent|"
    r"share|anteil|index|average|mean|median|change|growth|income|km2|area|flache)(_.*)?"
)


def column_named_by_title(facts: SheetFacts, ranking: Ranking) -> str:
    """Return the name of the only column of integers if the title names what is counted.

    The text is empty for any other table, for a column without a name, and for titles that name a
    measure, such as a rate.
    """
    if len(ranking.rivals) != 1 or not counts_in_title(facts.sheet.heading):
        return ""
    name = ranking.rivals[0]
    column = facts[name]
    alone = [
        n
        for n in facts.sheet.names
        if facts[n].numeric and count_points(facts[n]) > _MIN_POINTS - MARGIN
    ]
    whole = column.whole > 0.95 and not column.leading_zeros and not column.counts_rows
    if name.startswith("column "):
        return ""  # the line above may have been its header
    return name if alone == [name] and whole and count_points(column) >= _MIN_POINTS else ""


def counts_in_title(heading: str) -> bool:
    """Return whether a title names people or things that are counted, rather than a measure.

    >>> counts_in_title("Population estimates by district / 2022")
    True
    >>> counts_in_title("Population density"), counts_in_title("Table 3: number of values")
    (False, False)
    """
    plain = plain_name(heading)
    named = set(plain.split("_")) & (COUNT - _VAGUE)
    stems = any(stem in plain for stem in ("bevolkerung", "einwohner", "befolkning", "population"))
    return bool(named or stems) and not _MEASURES.fullmatch(plain)
