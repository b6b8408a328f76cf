"""Columns of numbers that belong together: parts of a total, or the same count in several years."""

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from hierdp_core.readers.columns.facts import SheetFacts
from hierdp_core.readers.columns.vocabulary import (
    TOTAL_WORDS,
    open_class_in,
    plain_name,
    size_in,
    words,
)

_YEAR = re.compile(r"(?<![0-9])(1[89]|20)[0-9]{2}(?![0-9])")
_MALE = words(
    """
    male males men man m h boys hommes homme hombres hombre varones homens maschi uomini mannlich
    manner mann mannen maend menn miehet mezczyzni muzi ferfi ferfiak moski muskarci barbati erkek
    laki_laki lelaki lalaki nam vyrai viriesi mehed gizonak 男 男性 남 남자 мужчины мужской чоловіки
    мъже ανδρες זכרים ذكور ذكر पुरुष ชาย
    """
)
_FEMALE = words(
    """
    female females women woman f w girls femmes femme mujeres mujer mulheres femmine donne weiblich
    frauen frau vrouwen kvinder kvinnor kvinner naiset kobiety zeny no nok zenske zene femei kadin
    kadın perempuan wanita babae nu moterys sievietes naised emakumeak 女 女性 여 여자 женщины
    женский жінки жени γυναικες נקבות اناث انثى إناث महिला สตรี หญิง
    """
)
URBAN = words(
    """
    urban urbaine urbain urbana urbano urbanas urbanos stadt stadtisch stadtische city town towns
    towny urbane stedelijk miasto miejska miejski mestska varos varosi kaupunki linn kent kota
    perkotaan городское городская город міська міське 城镇 市部
    """
)
RURAL = words(
    """
    rural rurale rurala rurales rurais rurali land landlich landliche country village villages
    landelijk wies wiejska wiejski venkov venkovska kozseg kozsegi maaseutu maa kir desa perdesaan
    сельское сельская село сільська сільське 乡村 郡部
    """
)
_NUMBER_OF_COLUMN = re.compile("^[a-z]{1,2}[0-9]{1,3}_")
_MIN_SAME = 6  # rows in which numbers add up by no chance
_NEARLY_ALL_RANGES = 0.7  # of the values of a column; others are totals or unknown
_NEARLY_ALL = 0.9  # proportion of the rows
_ROUNDED = 10  # difference of rounded parts from a total, in people
_OTHER_SEX = 0.01  # proportion of people of another sex
_MIN_NUMBERED = 3  # numbered columns, or months, that belong together
_NUMBERED = re.compile(r"(.*?[^0-9]|)([1-9][0-9]?)([A-Za-z]{0,3})")
_MONTHS = 12  # months of a year
_MONTH = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*|mai|maj|marz|okt(ober)?|dez(ember)?|"
    r"janv(ier)?|fevr(ier)?|avr(il)?|juin|juil(let)?|aout|ene(ro)?|abr(il)?|ago(sto)?|dic(iembre)?|"
    r"fev(ereiro)?|mar(co|ch|zo)|set(embro)?|out(ubro)?|gen(naio)?|mag(gio)?|giu(gno)?|lug(lio)?|"
    r"ott(obre)?|q[1-4]|t[1-4]|(1[0-2]|[1-9])月"
)
_RANGE = re.compile(
    r"([^0-9]{0,20}?)([0-9]{1,3})\s?(?:[-–—~_]|[^\W\d_]{1,4})\s?([0-9]{1,3})([^0-9]{0,20})"
)
_ONE_END = re.compile(r"[^0-9]{0,25}([0-9]{1,4})[^0-9]{0,25}")
_ONE_NUMBER = re.compile(r"([0-9]{1,2})(?![0-9.,])[^0-9]{0,25}")
_MIN_AGES = 12  # columns for single ages; fewer may be sizes of groups
_MIN_RANGES = 3  # ranges that follow each other by no chance, with those of all above or below
_SHORTEST_END = 3  # letters of a word for a sex at the end of another word
_MIN_CROSSED = 4  # columns for combinations of two categories
_MAX_WORDS = 4  # words of a name that name a value of the first category
_ALL = words("both persons everyone ensemble t tot")
_MIN_GLUED = 4  # letters of a word with which another one may end
_MIN_STEM = 3  # letters before it
PARTITIONS = ((_MALE, _FEMALE), (URBAN, RURAL))
# Letters that stand for men and women in some languages, if no longer word is found.
_LETTERS = tuple((frozenset(one), frozenset(other)) for one, other in (
    ("l", "p"), ("h", "m"), ("m", "k"), ("m", "z"), ("m", "v"), ("m", "n"), ("e", "k"), ("f", "n"),
))  # fmt: skip
_THIRD = words(
    """
    intersex diverse divers diverses nonbinary non_binary third_gender third transgender trans
    transgenders hijra other others otro otros otra autre autres andere anderes outros altri x
    unknown not_stated indeterminate unspecified
    """
)


def holds_sexes(cells: Sequence[str]) -> bool:
    """Return whether cells name both sexes and nothing else, apart from totals.

    >>> holds_sexes(["män", "kvinnor"]), holds_sexes(["Male", "Female", "Total"])
    (True, True)
    >>> holds_sexes(["Mann", "Weber"])
    False
    """
    plain = {plain_name(cell) for cell in cells if cell}
    known = _MALE | _FEMALE | TOTAL_WORDS
    return bool(plain & _MALE and plain & _FEMALE) and plain <= known


def year_in(name: str) -> int:
    """Return the year in the name of a column, such as 2021; 0 if there is none.

    >>> year_in("pop_2021"), year_in("2011 census"), year_in("people")
    (2021, 2011, 0)
    """
    match = _YEAR.search(name)
    return int(match[0]) if match else 0


def earlier_than(name: str, heading: str) -> bool:
    """Return whether a name has a year before those in the title of its table.

    >>> earlier_than("pop 2017", "Census 2023"), earlier_than("pop 2017", "Change, 2017 to 2023")
    (True, False)
    """
    years = [int(match[0]) for match in _YEAR.finditer(heading)]
    return bool(year_in(name) and years and year_in(name) < min(years))


def newest_first(names: Sequence[str]) -> list[str]:
    """Return the columns with the latest year first, if their names differ only in the year.

    >>> newest_first(["pop_2001", "pop_2021", "pop_2011"])
    ['pop_2021', 'pop_2011', 'pop_2001']
    """
    stems = {_YEAR.sub("", name) for name in names}
    if len(stems) == 1 and all(map(year_in, names)):
        return sorted(names, key=year_in, reverse=True)
    return list(names)


def of_other_years(facts: SheetFacts, name: str, names: Sequence[str]) -> list[str]:
    """Return columns of whole numbers whose names differ from `name` only in the year."""
    stem, year = _YEAR.sub("", name), year_in(name)
    return [
        n for n in names
        if n != name and year and year_in(n) and _YEAR.sub("", n) == stem
        and facts[n].numeric and not facts[n].fractions
    ]  # fmt: skip


def siblings_of(facts: SheetFacts, name: str, names: Sequence[str]) -> list[str]:
    """Return columns of whole numbers for the same count of another year or the other sex."""
    others = [n for n in names if n != name and facts[n].numeric and not facts[n].fractions]
    same = of_other_years(facts, name, others)
    pair = parts_in(facts, [name, *others])
    return same + [n for n in pair if n != name and name in pair]


def parts_in(facts: SheetFacts, names: Sequence[str]) -> tuple[str, ...]:
    """Return two columns that divide people by sex or regions by kind; empty if there are none.

    Their names may differ only in words for these categories. Percentages, which add up to 100 in
    every row, are ignored.
    """
    for one, other in (*PARTITIONS, *_LETTERS):
        first = _with_word(names, one)
        second = _with_word(names, other)
        shared = [stem for stem in first if stem in second and first[stem] != second[stem]]
        if len(shared) > 1:  # totals beside each sex of both kinds of regions
            shared = [stem for stem in shared if {*stem.split("_")} & TOTAL_WORDS]
        if len(shared) != 1:
            continue
        pair = (first[shared[0]], second[shared[0]])
        sums = facts[pair[0]].values + facts[pair[1]].values
        if not (np.abs(sums - 100) <= 1).all():
            return pair
    return ()


def other_sexes(names: Sequence[str], pair: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of persons of another sex, or of none stated, beside men and women.

    >>> other_sexes(["Male", "Female", "Intersex", "Area"], ["Male", "Female"])
    ('Intersex',)
    >>> other_sexes(["pop_m", "pop_f", "pop_x", "other_homes"], ["pop_m", "pop_f"])
    ('pop_x',)
    """
    stems = _with_word(pair[:1], _MALE)
    found = _with_word([name for name in names if name not in pair], _THIRD)
    return tuple(name for stem, name in found.items() if stem in stems)


def whole_of_sexes(facts: SheetFacts, names: Sequence[str]) -> str:
    """Return the column of all people beside columns of both sexes; empty for none.

    The sexes add up to nearly as much in nearly all rows. A few people may have another sex, and
    numbers may be rounded.
    """
    numbers = [n for n in names if facts[n].numeric]
    pair = parts_in(facts, numbers) or _numbered_pair(numbers)
    if not pair or facts.sampled:
        return ""
    both = facts[pair[0]].values + facts[pair[1]].values
    for name in names:
        whole = facts[name].values
        if name in pair or not facts[name].numeric:
            continue
        known = ~np.isnan(both) & ~np.isnan(whole) & (both > 0)
        near = np.abs(whole - both) <= np.maximum(_ROUNDED, _OTHER_SEX * both)
        if int(known.sum()) >= _MIN_SAME and float(near[known].mean()) >= _NEARLY_ALL:
            return name if np.nanmax(both[known]) > _ROUNDED**2 else ""
    return ""


def _numbered_pair(names: Sequence[str]) -> tuple[str, ...]:
    """Return the only columns of men and women whose names begin with column numbers.

    >>> _numbered_pair(["C1_COUNT_TOTAL", "C2_COUNT_MEN+", "C3_COUNT_WOMEN+"])
    ('C2_COUNT_MEN+', 'C3_COUNT_WOMEN+')
    """
    stems = {name: _NUMBER_OF_COLUMN.sub("", plain_name(name)) for name in names}
    men, women = (
        [name for name, stem in stems.items() if {*stem.split("_")} & known]
        for known in PARTITIONS[0]
    )
    return (men[0], women[0]) if len(men) == len(women) == 1 else ()


def parts_of_years(facts: SheetFacts, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return such pairs of columns for each of several years, the latest year first."""
    for one, other in PARTITIONS:
        first, second = _with_word(names, one), _with_word(names, other)
        shared = [stem for stem in first if stem in second and first[stem] != second[stem]]
        alike = {_YEAR.sub("", stem).strip("_") for stem in shared}
        if len(shared) > 1 and len(alike) == 1 and all(map(year_in, shared)):
            shared.sort(key=year_in, reverse=True)
            return [(first[stem], second[stem]) for stem in shared]
    return []


def _with_word(names: Sequence[str], known: frozenset[str]) -> dict[str, str]:
    """Return the columns with one of these words in their names, by the other words."""
    columns: dict[str, str] = {}
    for name in names:
        parts = _split_off(plain_name(name).split("_"), known)
        rest = [part for part in parts if part not in known]
        if plain_name(name) in known:
            rest = []
        elif len(rest) != len(parts) - 1:
            continue
        columns.setdefault("_".join(rest), name)
    return columns


def _split_off(parts: list[str], known: frozenset[str]) -> list[str]:
    """Return the words of a name, of which the last is split if it ends with one of these words.

    >>> _split_off(["alunnimaschi"], frozenset({"maschi"})), _split_off(["formal"], frozenset("l"))
    (['alunni', 'maschi'], ['formal'])
    """
    if known & {*parts}:
        return parts
    ends = [w for w in known if len(w) >= _MIN_GLUED and parts[-1].endswith(w)]
    end = max(ends, key=len, default="")
    stem = parts[-1].removesuffix(end)
    return [*parts[:-1], stem, end] if end and len(stem) >= _MIN_STEM else parts


def numbered_in(names: Sequence[str]) -> tuple[str, ...]:
    """Return columns whose names differ only in numbers from 1 up, as those of sizes do.

    >>> numbered_in(["size__2", "size__1", "size__3", "area"])
    ('size__1', 'size__2', 'size__3')
    >>> numbered_in(["T1_1PH", "T1_2PH", "T1_3PH", "T1_1PP"])
    ('T1_1PH', 'T1_2PH', 'T1_3PH')
    """
    stems: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        if match and match[1].strip():
            stems.setdefault((match[1], match[3]), {})[int(match[2])] = name
    for numbered in stems.values():
        if len(numbered) >= _MIN_NUMBERED and sorted(numbered) == [*range(1, len(numbered) + 1)]:
            return tuple(numbered[k] for k in sorted(numbered))
    return ()


def open_ended(names: Sequence[str], sizes: Sequence[str]) -> str:
    """Return the column of larger groups beside columns of sizes from 1 up; empty for none.

    >>> open_ended(["size 1", "size 2", "size 3+", "total"], ["size 1", "size 2"])
    'size 3+'
    """
    match = _NUMBERED.fullmatch(sizes[0]) if sizes else None
    stem, end = (match[1], match[3]) if match else ("", "")
    for name in names:
        if not (name.startswith(stem) and name.endswith(end)):
            continue
        rest = name.removeprefix(stem).removesuffix(end)
        larger = re.fullmatch("(?:GE|ge)_?([0-9]{1,2})", rest)
        size = size_in(f"household {larger[1]}+" if larger else f"household {rest}")
        if size and size[1] and size[0] in (len(sizes), len(sizes) + 1) and name not in sizes:
            return name
    return ""


def months_in(names: Sequence[str]) -> tuple[str, ...]:
    """Return columns of the months or quarters of one year, whose names differ only in these.

    Single months of several years are dates at which the same things are counted, so they are
    ignored.

    >>> months_in(["May 2023", "June 2023", "July 2023", "beds"])
    ('May 2023', 'June 2023', 'July 2023')
    >>> months_in(["Nov-22", "Feb-23", "May-23", "Aug-23"])
    ()
    """
    stems: dict[str, list[str]] = {}
    for name in names:
        words_of = plain_name(name).split("_")
        months = [word for word in words_of if _MONTH.fullmatch(word)]
        if len(months) == 1:
            stems.setdefault(" ".join(w for w in words_of if w not in months), []).append(name)
    longest = max(stems.values(), key=len, default=[])
    alike = {re.sub("[0-9]", "", stem) for stem in stems}
    if len(alike) < len(stems) and len(longest) < _MONTHS:
        return ()
    return tuple(longest) if len(longest) >= _MIN_NUMBERED else ()


def overlapping_ranges(cells: Sequence[str]) -> tuple[str, str] | None:
    """Return two cells whose ranges of numbers overlap, as ages do in several groupings; else None.

    Most cells must be ranges. A limit that two ranges share is not an overlap.

    >>> overlapping_ranges(["0-14", "15-64", "65+", "18 and over"])
    ('15-64', '18 and over')
    >>> overlapping_ranges(["0-14", "15-64", "65+", "All ages"]) is None
    True
    """
    ranges: dict[str, tuple[float, float]] = {}
    for cell in cells:
        open_class = open_class_in(cell)
        if band := _RANGE.fullmatch(cell.strip()):
            ranges[cell] = (float(band[2]), float(band[3]))
        elif open_class is not None:
            ranges[cell] = (float(open_class), np.inf)
    if len(ranges) < _NEARLY_ALL_RANGES * len(cells):
        return None
    for (one, (low, high)), (other, (least, most)) in combinations(ranges.items(), 2):
        if min(high, most) > max(low, least):
            return one, other
    return None


def ranges_in(names: Sequence[str]) -> tuple[str, ...]:
    """Return columns of consecutive ranges, such as ages, with those of all below and all above.

    >>> ranges_in(["area", "0-4", "5-9", "10-14", "15 and over"])
    ('0-4', '5-9', '10-14', '15 and over')
    >>> ranges_in(["M 0-4", "M 5-9", "M 10-14", "M 15+", "F 0-4", "F 5-9", "F 10-14", "F 15+"])
    ('M 0-4', 'M 5-9', 'M 10-14', 'M 15+', 'F 0-4', 'F 5-9', 'F 10-14', 'F 15+')
    >>> ranges_in(["all 0-4", "all 5-9", "women 0-4", "women 5-9"])
    ()
    """
    series: dict[tuple[str, str], dict[int, tuple[int, str]]] = {}
    for name in names:
        match = _RANGE.fullmatch(name.strip())
        if match and int(match[2]) < int(match[3]):
            ends = series.setdefault((match[1], match[4]), {})
            ends[int(match[2])] = (int(match[3]), name)
    if len(series) == 2:
        return _ranges_by_sex(names)
    if len(series) != 1:
        return ()
    (ranges,) = series.values()
    starts = sorted(ranges)
    if len(starts) < 2 or any(ranges[one][0] + 1 != other for one, other in pairwise(starts)):
        return ()
    single = {int(m[1]): n for n in names if (m := _ONE_END.fullmatch(n.strip()))}
    first, last = starts[0], ranges[starts[-1]][0]
    below = single.get(first, single.get(first - 1, "")) if first > 0 else ""
    above = single.get(last + 1, single.get(last, ""))
    listed = (below, *(ranges[start][1] for start in starts), above)
    whole = tuple(dict.fromkeys(name for name in listed if name))
    return whole if len(whole) >= _MIN_RANGES else ()


def _ranges_by_sex(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of ranges for both sexes, if these are the same ranges; else empty."""
    men, women = (
        ranges_in([n for n in names if {*plain_name(n).split("_")} & known])
        for known in PARTITIONS[0]
    )
    return (*men, *women) if men and len(men) == len(women) else ()


def classes_in(names: Sequence[str]) -> tuple[str, ...]:
    """Return columns of consecutive numbers and ranges from 0 or 1 to an open class.

    >>> classes_in(["area", "0", "1", "2", "3-4", "5+"])
    ('0', '1', '2', '3-4', '5+')
    >>> classes_in(["1 barn", "2 børn", "3 børn og derover"])
    ('1 barn', '2 børn', '3 børn og derover')
    >>> classes_in(["1", "2", "4+"]), classes_in(["1 km", "2 km", "3 km"])
    ((), ())
    """
    classes: dict[int, tuple[float, str]] = {}
    for name in map(str.strip, names):
        open_class = open_class_in(name)
        if band := _RANGE.fullmatch(name):
            low, high = int(band[2]), float(band[3])
        elif open_class is not None:
            low, high = open_class, np.inf
        elif one := _ONE_NUMBER.fullmatch(name):
            low, high = int(one[1]), float(one[1])
        else:
            continue
        if low in classes:
            return ()
        classes[low] = (high, name)
    starts = sorted(classes)
    if len(starts) < _MIN_RANGES or starts[0] > 1 or classes[starts[-1]][0] < np.inf:
        return ()
    if any(classes[one][0] + 1 != other for one, other in pairwise(starts)):
        return ()
    return tuple(classes[start][1] for start in starts)


def single_ages(names: Sequence[str]) -> tuple[str, ...]:
    """Return columns with bare numbers from 0 or 1 up as names, which are probably ages.

    >>> len(single_ages(["area", *map(str, range(20))])), single_ages(["1", "2", "3"])
    (20, ())
    """
    numbered = {int(n): n for n in names if re.fullmatch("[0-9]{1,3}", n.strip())}
    numbers = sorted(numbered)
    if len(numbers) < _MIN_AGES or numbers != [*range(numbers[0], numbers[0] + len(numbers))]:
        return ()
    above = [n for n in names if (m := _ONE_END.fullmatch(n.strip())) and n not in numbered.values()
             and int(m[1]) in (numbers[-1], numbers[-1] + 1)]  # fmt: skip
    return (*(numbered[k] for k in numbers), *above[:1]) if numbers[0] <= 1 else ()


def _apart(plain: str) -> str:
    """Return a word that ends with one for a sex as two words; others are unchanged.

    >>> _apart("localwomen"), _apart("women")
    ('local_women', 'women')
    """
    if "_" in plain or plain in _MALE | _FEMALE:
        return plain
    ends = [
        word for word in _MALE | _FEMALE
        if len(word) >= _SHORTEST_END and plain.endswith(word)
    ]  # fmt: skip
    longest = max(ends, key=len, default="")
    return f"{plain.removesuffix(longest)}_{longest}" if longest else plain


def crossed_in(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns for all combinations of two categories, if these are all columns.

    Each name begins with a value of one category and ends with one of the other. None is a word
    for a total, so that each person is counted in one of the columns.

    >>> crossed_in(["sex1_age00", "sex1_age20", "sex2_age00", "sex2_age20"])
    ('sex1_age00', 'sex1_age20', 'sex2_age00', 'sex2_age20')
    >>> crossed_in(["men rural", "men urban", "women rural"]), crossed_in(["a_1", "a_2", "a_3"])
    ((), ())
    >>> len(crossed_in(["LOCALMEN", "LOCALWOMEN", "FOREIGNMEN", "FOREIGNWOMEN"]))
    4
    """
    split = [_apart(plain_name(name)).split("_") for name in names]
    if len(names) < _MIN_CROSSED or any({*parts} & (TOTAL_WORDS | _ALL) for parts in split):
        return ()
    for n_first in range(-_MAX_WORDS, _MAX_WORDS + 1):
        if n_first == 0 or any(len(parts) <= abs(n_first) for parts in split):
            continue
        pairs = {(tuple(parts[:n_first]), tuple(parts[n_first:])) for parts in split}
        one, other = ({pair[k] for pair in pairs} for k in (0, 1))
        if min(len(one), len(other)) > 1 and len(one) * len(other) == len(pairs) == len(names):
            return tuple(names) if not any(map(year_in, names)) else ()
    return ()
