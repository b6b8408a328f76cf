"""Numbers in thousands or other units, as a title or a column states, and the question."""

import re
from collections.abc import Collection, Iterable, Sequence

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.question import Choice, Question

_THOUSAND = (
    r"thousands?|thous\.|"
    r"thsd\.?|[1１] ?[,.]? ?000s?|['’‘`´]?000s|['’‘`´]000|in 1 ?000|tausend|tsd\.?|milliers?|"
    r"miles|migliaia|milhares|duizend|duizendtal(len)?|tusen(tals)?|tusinde|tuhat|tuhansia|tys\.?|"
    r"tis\.?|тыс\.?|тысяч|ribu|bin kişi|mii|ezer|tūkst\.?|tuhandetes|χιλιάδες|"
    r"тис\.|тисяч|хил\.|хиляди|хиљ\.|хиљада|илјади|мың|мянга|мян\.|tisuć[ae]|hilj\.|tisoč[aei]?|mijë|"
    r"þúsund(ir)?|ming kishi|min nəfər|elfu|maelfu|"
    r"[בל]?אלפי(ם)?|بال[أآ]لاف|هزار نفر|হাজার|हज़ार|हजार|ათასი|հազար|"
    r"千人|千户|千世帯|천명|بالألف|nghìn|ngàn|พันคน"
)
# What stands beside a number that begins or ends a class of sizes: "1000+", "500-1000".
_OPEN_CLASS = (
    r" ?\+| (and|or|und|oder|et|ou|y|o|i|e|en|og|och|ja) (over|more|above|mehr|plus|más|mais|"
    r"więcej|più|meer|mere|mer|enemmän)"
)

_UNIT = re.compile(
    "(units?|uom|unit_of_measure|unit_measure|unit_mult|scalar_factor|power_?code|einheit)(_.*)?"
)
_MULTIPLIER = re.compile("unit_mult(iplier)?|scalar_factor|power_?code")
_POWERS = {"2": "hundreds", "3": "thousands", "4": "in 10 000", "6": "millions"}
_UNIT_LINE = re.compile(
    r"\b(units?|einheit|unité|unidade?|unità|eenheid|enhet)\b ?[:：]|(单位|單位|単位|단위) ?[:：]",
    re.IGNORECASE,
)
_SHORT_NOTE = 60  # characters; longer notes explain something else
_NUMBERED = re.compile(r"[0-9] ?(thousand|tausend|mil|milli|lakh|万)", re.IGNORECASE)  # of a count
_SCALES = (
    (100_000, re.compile(r"(?<![^\W\d])(lakhs?|लाख)(?![^\W\d])", re.IGNORECASE)),
    (10_000, re.compile(
        r"万人|万户|萬人|만명|[:：(（]\s*[万萬만](?=$|[\s)）])|"
        r"(?<![\w,.])(in|x|×) ?10[ ,.]?000(?![,.]?\d)",
        re.IGNORECASE,
    )),
    (1_000_000, re.compile(
        r"(?<![^\W\d])(millions?|mio\.?|millionen|millones|milhões|milioni|mln\.?|млн\.?|百万人)(?![^\W\d])",
        re.IGNORECASE,
    )),
    (100, re.compile(r"[(]in hundreds[)]|[(]hundreds[)]|^(in )?hundreds$|"
                     r"(?<![^\W_])(in |x ?|× ?)100(?![,. ]?\d)", re.IGNORECASE)),
    (1_000, re.compile(r"(?<!\w)mil (pessoas|personas|habitantes|unidades|hogares|domic[ií]lios)|"
                       r"[(]em mil[)]|[(]mil[)]", re.IGNORECASE)),
    (1_000, re.compile(rf"(?<![^\W_])(?<![,.<>≥≤])(?<!\d[-–—])(?<!\d [-–—] )({_THOUSAND})"
                       rf"(?![^\W_]|,\d|{_OPEN_CLASS}|以上)", re.IGNORECASE)),
)  # fmt: skip


def scale_in(text: str) -> int:
    """Return the factor that a text states for the numbers below it; 1 if it states none.

    >>> scale_in("Population in thousands"), scale_in("Bevölkerung (1 000)"), scale_in("单位：万人")
    (1000, 1000, 10000)
    >>> scale_in("Ocupados (mil pessoas)"), scale_in("Employees (hundreds)")
    (1000, 100)
    >>> scale_in("trips_thousands"), scale_in("in_2,000"), scale_in("aantal x 100")
    (1000, 1, 100)
    >>> scale_in("Population of Thousand Oaks County 2021"), scale_in("rate per 1,000 people")
    (1000, 1)
    >>> scale_in("1000+"), scale_in("500 - 1000"), scale_in("1 000 and more"), scale_in("אלפים")
    (1, 1, 1, 1000)
    """
    bare = re.sub(r"(?i)(per|pro|pour|por|je|a[l]?|op|na|/)\s*" + _PER, " ", text)
    return next((times for times, pattern in _SCALES if pattern.search(bare)), 1)


_PER = r"(1 ?[,.]? ?000|100 ?[,.]? ?000|thousand|tausend|mille|mil\b)"


def units_of_rows(facts: SheetFacts) -> list[str]:
    """Return the units that columns state for all rows, such as "thousands PER" for "THS_PER".

    A column of multipliers in SDMX holds the power of ten, so 3 means thousands.
    """
    named = [n for n in facts.sheet.names if _UNIT.fullmatch(facts[n].plain)]
    cells = {n: facts[n].filled[0].as_py() for n in named if len(facts[n].filled) == 1}
    return [
        _POWERS.get(cell, cell)
        if _MULTIPLIER.fullmatch(facts[name].plain)
        else re.sub("^THS(_|$)", "thousands ", cell).replace("_", " ")
        for name, cell in cells.items()
    ]


def scale_of(texts: Iterable[str]) -> int:
    """Return the factor in the first text that states one; 1 if none does."""
    return next((times for text in texts if (times := scale_in(text)) > 1), 1)


def lines_of(heading: str) -> list[str]:
    """Return the lines above a table, which `heading_of` joined.

    >>> lines_of("Population by district / Thousand persons")
    ['Population by district', 'Thousand persons']
    """
    return heading.split(" / ")


def heading_with_units(heading: str, below: Iterable[Sequence[str]]) -> str:
    """Return the lines above a table, and short notes below it that state a unit.

    Args:
        heading: the lines above the table, joined.
        below: the rows that were left out as notes.

    >>> heading_with_units("Population", [("Note: figures in thousands.", ""), ("Source: census",)])
    'Population / Note: figures in thousands.'
    >>> heading_with_units("", [("Excludes about 2 thousand people in institutions",)])
    ''
    """
    texts = [cell.strip() for row in below for cell in row if cell.strip()]
    stated = [
        text
        for text in texts
        if len(text) <= _SHORT_NOTE and scale_in(text) > 1 and not _NUMBERED.search(text)
    ]
    return " / ".join(filter(None, (heading, *stated)))


def lines_of_units(names: Iterable[str]) -> list[str]:
    """Return names of columns that contain a line such as "Unit: 10,000 persons"."""
    return [name for name in names if _UNIT_LINE.search(name)]


def scale_question(heading: str, columns: Collection[str]) -> Question | None:
    """Ask a question if a title or the name of a column of numbers states a unit such as thousands.

    Args:
        heading: the lines above the table.
        columns: names of columns of numbers, and units that other columns state.
    """
    times = scale_of((*columns, *lines_of(heading)))
    if times == 1:
        return None
    return Question(
        what=f"the numbers may be in units of {times:,}, judging by a title or a column",
        choices=(
            Choice(words=f"each number is multiplied by {times:,}", stated={"times": times}),
            Choice(words="the numbers are used as they are", stated={"times": 1}),
        ),
    )
