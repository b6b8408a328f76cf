"""From which of two columns to which people move, by the words of their names."""

import re
from dataclasses import dataclass

from hierdp_core.readers.columns.ends import end_of
from hierdp_core.readers.columns.named_ends import end_in
from hierdp_core.readers.columns.vocabulary import DESTINATION, ORIGIN, plain_name

_MIN_WORD = 6  # letters of a word for a destination; shorter ones are ambiguous
# Words for where people live, and for where they work, study or are treated, as whole words or as
# the beginnings of compounds.
_HOME = re.compile(
    r"(^|_)(bosted|bopael|bostad|bopaal|wohn|woon|resid|domicil|zamieszk|asuin|home|rsdcran|kiindul)"
    r"|(^|_)(leerling|pupil|student|patient|elev|alumn|schuler|uczen|uczn|client|klient|employee|"
    r"passenger|visitor|viajero|member|versicherte|assicurat)"
)
_AWAY = re.compile(
    r"(^|_)(arbeids|arbeits|arbejd|arbets|work|trabaj|trabalh|travail|lavor|werk|pracy|tyo|dclt|"
    r"l_dclt|dcetu|schul|skole|school|escuela|scuola|vestiging|"
    r"instelling|hospital|klini|provider|establish|etablissement|employer|szkol|plant|site|store)"
)
# Words for where people were before they moved, and for where they are since.
_BEFORE = re.compile(
    r"(^|_)(herkunft|herkomst|fraflytt|utflytt|previous|former|anterior|anterieur|precedent|vorher|"
    r"origen|origin|origem|provenan|proceden|vertrek|from|fra|dcran|l_dcran|odjazd|asal(?=_|$)|depart(?!ement))"
)
_SINCE = re.compile(
    r"(^|_)(ziel|bestem|destin|tilflytt|innflytt|inflytt|arriv|llegad|chegad|erkez|przyjazd|"
    r"current|actual|atual|tujuan|to_)"
)
_FROM_TO = re.compile(r"(?:^|_)(?:from|von|fra|fran|desde)_(.+?)_(?:to|nach|til|till|hasta)_(.+)")
_CORNER = re.compile(r"\s*(?:[\\/|→]|->)\s*")  # between what rows and what columns are
# Short words of an origin and of a destination that say so only in two names that else are equal.
_PAIRS = frozenset(
    {
        ("out", "in"), ("from", "to"), ("fra", "til"), ("fran", "till"), ("von", "nach"),
        ("van", "naar"), ("z", "do"), ("de", "a"), ("da", "a"), ("desde", "hasta"), ("ab", "zu"),
        ("ut", "inn"), ("ut", "in"), ("uit", "in"), ("aus", "ein"), ("old", "new"),
        ("leaving", "entering"), ("left", "joined"), ("ex", "nuovo"),
        ("emigration", "immigration"), ("avant", "apres"), ("before", "after"), ("vor", "nach"),
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Direction:
    """The likely direction of the flows between the regions of two columns.

    Attributes:
        turned: the second column holds the origins.
        clear: the names of both columns say so, and not only that of one.
    """

    turned: bool
    clear: bool


def direction_of(one: str, other: str, count: str = "") -> Direction | None:
    """Return from which of two columns people move to the other; None if no word says it.

    Args:
        one: the name of a column.
        other: the name of another column.
        count: the name of the column of counts, which may say from where to where people move.

    >>> direction_of("arbeidsstedskommune", "bostedskommune")
    Direction(turned=True, clear=True)
    >>> direction_of("area a", "area b", "flow from area b to area a, estimate")
    Direction(turned=True, clear=True)
    >>> direction_of("wohngemeinde", "gemeinde"), direction_of("code", "code_2")
    (Direction(turned=False, clear=False), None)
    >>> direction_of("InArea", "OutArea"), direction_of("birth_town", "residence_town")
    (Direction(turned=True, clear=True), Direction(turned=False, clear=False))
    """
    turned = _of_count(one, other, count)
    if turned is None:
        turned = _of_short_words(one, other)
    if turned is not None:
        return Direction(turned=turned, clear=True)
    points = [_points(name) for name in (one, other)]
    if points[0] == points[1]:
        return None
    return Direction(turned=points[1] > points[0], clear=points[0] * points[1] < 0)


def likely_directions(one: str, other: str) -> tuple[tuple[str, str], ...]:
    """Return from which column to which other one people may move, the likely direction first.

    The opposite direction is left out if the names of both columns state the direction.

    >>> likely_directions("home town", "work town"), likely_directions("town a", "town b")
    ((('home town', 'work town'),), (('town a', 'town b'), ('town b', 'town a')))
    """
    direction = direction_of(one, other)
    likely = (other, one) if direction is not None and direction.turned else (one, other)
    return (likely,) if direction is not None and direction.clear else (likely, likely[::-1])


def direction_of_a_corner(name: str) -> Direction | None:
    """Return the direction that the corner of a matrix states for its rows and columns, else None.

    >>> direction_of_a_corner(r"Residence \\ Workplace")
    Direction(turned=False, clear=True)
    >>> direction_of_a_corner("Area"), direction_of_a_corner("Men / Women")
    (None, None)
    """
    ends = _CORNER.split(name.strip())
    direction = direction_of(*ends) if len(ends) == 2 and all(ends) else None
    return direction if direction is not None and direction.clear else None


def only_different_words(one: str, other: str) -> tuple[str, str] | None:
    """Return the words in which two names of equally many words differ; None unless in one word.

    >>> only_different_words("town of pupil", "town of school"), only_different_words("a_b", "b_a")
    (('pupil', 'school'), None)
    """
    parts = [plain_name(name).split("_") for name in (one, other)]
    if len(parts[0]) != len(parts[1]):
        return None
    differ = [(own, theirs) for own, theirs in zip(*parts, strict=True) if own != theirs]
    return differ[0] if len(differ) == 1 else None


def named_as_destination(start: str, end: str) -> bool:
    """Return whether the name of a column is another one and words for a destination.

    >>> named_as_destination("town", "town destination"), named_as_destination("town", "town to")
    (True, False)
    """
    plain, whole = plain_name(start), plain_name(end)
    rest = whole.removeprefix(f"{plain}_")
    long = len(rest) >= _MIN_WORD and rest != whole
    return bool(long and re.fullmatch(DESTINATION, rest)) and end_in(start, ORIGIN) is None


def _of_count(one: str, other: str, count: str) -> bool | None:
    """Return whether the name of the counts says that the second column holds the origins."""
    match = _FROM_TO.search(plain_name(count))
    if match is None:
        return None
    parts = [{*plain_name(name).split("_")} for name in (one, other)]
    own, theirs = parts[0] - parts[1], parts[1] - parts[0]
    start, end = ({*part.split("_")} for part in match.groups())
    for turned, origin, destination in ((False, own, theirs), (True, theirs, own)):
        if origin & start and destination & end and not (origin & end or destination & start):
            return turned
    return None


def _of_short_words(one: str, other: str) -> bool | None:
    """Return whether two names differ in words such as "out" and "in", and which stands first."""
    pair = only_different_words(one, other)
    if pair in _PAIRS:
        return False
    return True if pair is not None and pair[::-1] in _PAIRS else None


def _points(name: str) -> int:
    """Return points for the places of a column, higher for those where people are earlier.

    Points are positive for places where people lived before or live, and negative for places where
    they are now, work or are treated. They are 0 if the name does not say it.
    """
    plain, end = plain_name(name), end_of(name)
    before = bool(_BEFORE.search(plain)) or (end is not None and end.before)
    home = bool(_HOME.search(plain)) or (end is not None and end.home)
    since = bool(_SINCE.search(plain))
    away = bool(_AWAY.search(plain)) or (end is not None and not (before or home))
    return 2 * before + home - 2 * since - (away and not since)
