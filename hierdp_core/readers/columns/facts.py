"""Facts about the columns of a table. Each is computed once, when a rule first needs it."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.chains import chained_codes, parts_of_codes
from hierdp_core.readers.columns.codes import bare_codes
from hierdp_core.readers.columns.vocabulary import (
    CODE,
    FLAG,
    LEVEL_OF_ROW,
    LEVEL_WORDS,
    MAX_LEVELS_OF_ROWS,
    MISSING,
    MONTH_NAMES,
    MONTHS,
    PERSON,
    PLACE,
    STOCK,
    TOTAL_WORDS,
    WEIGHT,
    YEAR,
    is_known_name,
    plain_name,
    region_of_total,
)
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_MIN_CODE_DIGITS = 4  # with fewer digits, numbers may be equal by chance
_FEW_CODES = 3  # codes that two columns must each have for a comparison
_SHARED = 0.5  # proportion of codes that two columns of one level have in common
_LARGEST_EXACT = 2**53  # floats represent all integers up to it
_ROWS_OF_A_YEAR = 3  # on average, if only values tell that they are years
_SAMPLE_ROWS = 50_000  # rows of the sample that a guess uses
_MOST_MONTHS = 12
_MAX_STOCKS = 6  # starts and ends of years
_MAX_BANDS = 200  # cells that are checked for ranges
_MIN_BANDS = 3  # ranges of ages or the like
_MOSTLY = 0.6  # proportion of the cells that are ranges; others are words such as "all ages"
_BAND = re.compile(
    r"[^0-9]{0,15}([0-9]{1,3})[ _]?(?:[-–—~]|[^\W\d_]{1,4})[ _]?([0-9]{1,3})[^0-9]{0,15}"
)
_IN_NUMBERS = re.compile(r" ?[(](no[.]|nos[.]|number|#)[)]$", re.IGNORECASE)  # what is counted
_LETTERED = re.compile("[0-9]{1,2} ?[a-h]")
_GAPS = " \u00a0\u202f'’"  # between thousands
_GROUPED = f"([1-9][0-9]{{0,2}}([{_GAPS},.][0-9]{{3}})+|[1-9][0-9]?(,[0-9]{{2}})*,[0-9]{{3}})"
GROUPED = f"^{_GROUPED}$"  # a number with marks between its thousands
_CLOCK = (
    r"([01]?[0-9]|2[0-4])[:hH][0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?( ?[AaPp]\.?[Mm]\.?)?"
    r"(Z| ?[+-][0-9]{2}:?[0-9]{2})?"
)
_MONTH = (  # the first letters of the months, also in the languages of other offices
    r"(?i:jan|ene|gen|sty|led|jän|feb|fév|fev|lut|úno|mar|mär|mrt|maa|mai|may|maj|mag|mei|apr|avr|abr|"
    r"kwi|dub|jun|jui|giu|haz|jul|lug|lip|aug|aoû|aou|ago|sep|set|wrz|oct|okt|out|ott|paź|nov|nob|"
    r"dec|dez|déc|dic|des|gru|pro)"
)
_DAY = (
    r"((1[89]|20)[0-9]{2}[-/.][01]?[0-9][-/.][0-3]?[0-9]|"
    r"[0-3]?[0-9][-/.] ?[0-3]?[0-9][-/.] ?(1[89]|20)?[0-9]{2}\.?|"
    rf"[0-3]?[0-9][-. ]{{0,2}}{_MONTH}[^\W\d]{{0,7}}[-. ]{{0,2}}((1[89]|20)?[0-9]{{2}})?|"
    rf"{_MONTH}[^\W\d]{{0,7}}[-. ]{{1,2}}[0-3]?[0-9],? (1[89]|20)[0-9]{{2}})"
)
_MONTH_OF_YEAR = rf"^{_MONTH}[^\W\d]{{0,8}}[-./ ]{{0,2}}(de |del )?(19|20)[0-9]{{2}}$"
_WORD_AND_YEAR = (  # "Anul 2022", "Census 2011"
    r"(?i)^(year|anul|año|ano|anno|année|jahr|rok|tahun|år|vuosi|yıl|fy|census|recensement|zensus|"
    r"censo|censimento|rgph) ?(19|20)[0-9]{2}$"
)
_YEAR_AND_MONTH = "^(19|20)[0-9]{2}(0[1-9]|1[0-2])$"  # 202405
_SCHOOL_YEAR = re.compile(r"((?:19|20)[0-9]{2})[-/ ]?((?:19|20)?[0-9]{2})")  # 202324, 2023/24
_MOMENT = f"^({_CLOCK}|{_DAY}(,?[ T]{_CLOCK})?)$"  # a time of day, a day, or both
_RANDOM_ID = "^[{(]?([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4,12}){2,4}|[0-9A-Fa-f]{24,64})[)}]?$"
_ADDRESS = (  # of mail or of a page in the web, or a point given by its coordinates
    r"(?i)^([^\s@]+@[^\s@]+\.[a-z]{2,}|(https?://|www\.)\S+|"
    r"(POINT ?)?\(?-?[0-9]{1,3}\.[0-9]{3,}[,; ]+-?[0-9]{1,3}\.[0-9]{3,}\)?)$"
)
_MOSTLY_ADDRESSES = 0.9  # of the filled cells
_SHORT_RANDOM_ID = "^[0-9A-Fa-f]{6,64}$"  # of one length, below a name for identifiers of rows
_ID_NAME = re.compile(r"_id|_?uuid|_?guid|_?hash|_?object_?id|_?record_?id", re.IGNORECASE)
_OF_A_MEMBER = re.compile("_of_(the_)?(household_)?(member|person|respondent|individual)s?$")
_DAY_NAME = re.compile(r"(.*_)?(date|datum|fecha|dt|jour)(_.*)?|[a-z]+date|data_.*")
_FIRST_SERIAL, _LAST_SERIAL = 10_000, 80_000
_WHOLE = f"^[+\\-−]?([0-9]+|{_GROUPED})([.,]0+)?{FLAG}?$"
_PERCENTAGE = r"^%\s?[0-9.,]+$|^[+\-−]?[0-9.,]+\s?[%‰]$"
_DOTTED = r"^[0-9]+([.][0-9]+)*[.]([0-9]{1,2}|[0-9]{4,})[.][0-9.]+$"  # such as 30.63.1.05
_NUMBER = f"^[+\\-−]?[0-9]*[.,]?[0-9][0-9.,{_GAPS}]*([eE][+-]?[0-9]+)?{FLAG}?%?$"


def sample_rows(sheet: Sheet) -> Sheet:
    """Return at most 50,000 rows, spread evenly over a long sheet.

    Guesses that rest on them are checked against all rows when the table is made.
    """
    step = -(-sheet.n_rows // _SAMPLE_ROWS)
    return sheet if step <= 1 else sheet.take(np.arange(sheet.n_rows) % step == 0)


class ColumnFacts:
    """Facts about one column.

    Attributes:
        name: the name in the header.
        plain: the name in lower case with underscores, as `plain_name` returns it; the label of the
            column instead, if it has one and no word of the name is known.
        text: the cells, shape (n_rows,).
        listed: whether a list of areas names the codes, so that numbers are not counts.
    """

    def __init__(self, name: str, text: Text, label: str = "", *, listed: bool = False) -> None:
        self.name, self.text, self.listed = name, text, listed
        plain = plain_name(_IN_NUMBERS.sub(" count", name))
        self.plain = plain if not label or is_known_name(plain) else plain_name(label)
        about, member, _ = self.plain.partition("_of_")
        if member and PERSON.fullmatch(about) and _OF_A_MEMBER.search(self.plain):
            self.plain = about

    @cached_property
    def different(self) -> Text:
        """The distinct cells, blank ones included."""
        return pc.unique(self.text)

    @cached_property
    def distinct(self) -> int:
        """The number of distinct cells, blank ones included."""
        return len(self.different)

    @cached_property
    def distinct_filled(self) -> int:
        """The number of distinct cells that are not blank."""
        return self.distinct - int(as_mask(pc.equal(self.different, "")).any())

    @cached_property
    def filled(self) -> Text:
        """The distinct cells without blank ones and marks of missing values."""
        blank = pc.equal(self.different, "")
        missing = pc.match_substring_regex(self.different, f"^{MISSING}$")
        return self.different.filter(pc.invert(pc.or_(blank, missing)))

    @cached_property
    def blank(self) -> bool:
        """Whether all cells are blank."""
        return self.distinct == 1 and self.different[0].as_py() == ""

    @cached_property
    def all_missing(self) -> bool:
        """Whether all filled cells are marks for missing numbers, such as "/"."""
        return self.distinct_filled > 0 and len(self.filled) == 0

    def share(self, pattern: str) -> float:
        """Return the proportion of the distinct filled cells that match `pattern`."""
        if len(self.filled) == 0:
            return 0.0
        return float(as_mask(pc.match_substring_regex(self.filled, pattern)).mean())

    def every(self, pattern: str) -> bool:
        """Return whether there are filled cells and all of them match `pattern`.

        Most columns fail at their first cell, before the pattern is compiled for all cells.
        """
        if len(self.filled) == 0 or not re.search(pattern, self.filled[0].as_py()):
            return False
        return self.share(pattern) == 1.0

    @cached_property
    def numeric(self) -> bool:
        """Whether more than half of the distinct filled cells are numbers, not codes.

        Codes are those that a list names, and numbers with points in other places than thousands.
        """
        is_number = self.share(_NUMBER) - self.share(_DOTTED) > 0.5 and not self.listed
        return is_number and not self.lettered and not self.moments

    @cached_property
    def lettered(self) -> bool:
        """Whether all cells are a number and a letter, such as school classes 5a, 5b and 6a."""
        cells = self.filled.to_pylist()
        letters = {cell[-1:] for cell in cells}
        return {"a", "b"} <= letters and all(map(_LETTERED.fullmatch, cells))

    @cached_property
    def whole(self) -> float:
        """The proportion of the distinct filled cells that may be whole numbers."""
        return self.share(_WHOLE)

    @cached_property
    def fractions(self) -> bool:
        """Whether more than a tenth of the distinct cells are numbers with decimals."""
        return self.numeric and self.share(_NUMBER) - self.whole > 0.1

    @cached_property
    def leading_zeros(self) -> bool:
        """Whether a cell is a number with a leading zero, such as 05."""
        return self.share("^0[0-9]+$") > 0

    @cached_property
    def coded(self) -> bool:
        """Whether more than half of the distinct cells contain a digit and no space."""
        return self.share("^[^ ]*[0-9][^ ]*$") > 0.5

    @cached_property
    def years(self) -> bool:
        """Whether all cells are years or dates, and the name says so or there are at most three.

        Years that follow each other, each in several rows, need no name. The start and the end of a
        year are dates, too. So are months, such as "May 2024", and 202405 below a word for months,
        and school years, such as 202324.
        """
        if (
            len(self.filled)
            and 1 < self.distinct_filled <= _MAX_STOCKS
            and all(STOCK.fullmatch(plain_name(cell)) for cell in self.filled.to_pylist())
        ):
            return True
        if self.every(_MONTH_OF_YEAR) or self.every(_WORD_AND_YEAR):
            return True
        if YEAR.fullmatch(self.plain) and _are_school_years(self.filled.to_pylist()):
            return True
        if self.every(_YEAR_AND_MONTH) and MONTHS & {*self.plain.split("_")}:
            return True
        return self.every("^(19|20)[0-9]{2}(-[0-9]{2}(-[0-9]{2})?)?$") and (
            bool(YEAR.fullmatch(self.plain)) or self.distinct <= 3 or self._follow_each_other()
        )

    def _follow_each_other(self) -> bool:
        """Return whether years without a gap occur in several rows each, and are not codes."""
        if CODE.fullmatch(self.plain) or PLACE.search(self.plain) or not self.numeric:
            return False
        years = sorted(int(cell) for cell in self.filled.to_pylist())
        in_turn = years == [*range(years[0], years[0] + len(years))]
        return in_turn and len(self.text) >= _ROWS_OF_A_YEAR * len(years)

    @cached_property
    def month_names(self) -> bool:
        """Whether all cells are months as words, without a year."""
        if not 1 < self.distinct_filled <= _MOST_MONTHS:
            return False
        return all(plain_name(cell) in MONTH_NAMES for cell in self.filled.to_pylist())

    @cached_property
    def months(self) -> bool:
        """Whether all cells are months without a year, as words or, below such a word, numbers."""
        if not 1 < self.distinct_filled <= _MOST_MONTHS:
            return False
        named = bool(MONTHS & {*self.plain.split("_")})
        return self.month_names or (named and self.every("^(0?[1-9]|1[0-2])$"))

    @cached_property
    def moments(self) -> bool:
        """Whether all cells are days or times of day."""
        return self.every(_MOMENT)

    @cached_property
    def days(self) -> bool:
        """Whether all cells are days, with or without the year."""
        return self.every(f"^{_DAY}$")

    @cached_property
    def serial_days(self) -> bool:
        """Whether all cells are days in numbers, as spreadsheets store them, below a word for days.

        The numbers 10,000 and 80,000 stand for days in 1927 and in 2119, or in 1987 and in 2179.
        """
        if not self.numeric or not _DAY_NAME.fullmatch(self.plain):
            return False
        known = self.values[~np.isnan(self.values)]
        return bool(known.size and (known >= _FIRST_SERIAL).all() and (known <= _LAST_SERIAL).all())

    @cached_property
    def never_places(self) -> bool:
        """Whether cells are times, percentages, keys of rows, addresses or weights."""
        weights = self.numeric and not self.leading_zeros and WEIGHT.fullmatch(self.plain)
        keys = self.random_ids or self.row_keys
        return (
            self.moments
            or self.month_names
            or self.serial_days
            or self.every(_PERCENTAGE)
            or keys
            or self.addresses
            or bool(weights)
        )

    @cached_property
    def addresses(self) -> bool:
        """Whether nearly all cells are e-mail or web addresses, or pairs of coordinates."""
        matching = pc.sum(pc.match_substring_regex(self.filled, _ADDRESS)).as_py() or 0
        return matching >= max(1, _MOSTLY_ADDRESSES * len(self.filled))

    def cell(self, index: int) -> str:
        """Return the cell that has an index, as in `index`."""
        return str(self.text[int(np.flatnonzero(self.index == index)[0])].as_py())

    @cached_property
    def random_ids(self) -> bool:
        """Whether all cells are identifiers such as 3f2504e0-4f89-11d3-9a0c-0305e82c3301."""
        return len(self.filled) > 1 and self.every(_RANDOM_ID)

    @cached_property
    def row_keys(self) -> bool:
        """Whether all cells are keys such as 3f2504e0, below a name for the keys of rows."""
        if not _ID_NAME.fullmatch(self.name) or not self.every(_SHORT_RANDOM_ID):
            return False
        return len(pc.unique(pc.utf8_length(self.filled))) == 1 < self.distinct

    @cached_property
    def numbered_apart(self) -> bool:
        """Whether no two filled cells are equal, as with record numbers."""
        return self.distinct_filled == int(as_mask(pc.not_equal(self.text, "")).sum()) > 0

    @cached_property
    def bands(self) -> bool:
        """Whether the cells are consecutive ranges of numbers, such as ages 0–4, 5–9 and 10–14.

        At most one range may begin elsewhere than after the end of another one.
        """
        matches = map(_BAND.fullmatch, self.filled.to_pylist()[:_MAX_BANDS])
        ranges = {(int(m[1]), int(m[2])) for m in matches if m is not None}
        ends = {upper for lower, upper in ranges if lower < upper}
        follow = sum(lower - 1 in ends for lower, _ in ranges)
        enough = len(ends) >= _MIN_BANDS and len(ranges) >= _MOSTLY * self.distinct_filled
        return enough and follow >= len(ranges) - 1

    @cached_property
    def one_level(self) -> bool:
        """Whether all cells are the same word for a level of regions, such as "municipality"."""
        return self.distinct_filled == 1 and all(map(names_level, self.filled.to_pylist()))

    @cached_property
    def level_of_row(self) -> bool:
        """Whether the cells name the level of each row, such as "county" and "state"."""
        if not 1 < self.distinct_filled <= MAX_LEVELS_OF_ROWS:
            return False
        return bool(LEVEL_OF_ROW.fullmatch(self.plain)) or all(
            names_level(cell) for cell in self.filled.to_pylist()
        )

    @cached_property
    def values(self) -> FloatArray:
        """The cells as numbers, shape (n_rows,); NaN for cells that are not a number.

        Numbers larger than 2⁵³, such as identifiers of 21 digits, are replaced by this limit. No
        count is as large, and an integer of 64 bits could not hold them.
        """
        plain = pc.replace_substring_regex(self.text, f"^([0-9].*[0-9]|[0-9]){FLAG}$", r"\1")
        bare = pc.replace_substring_regex(plain, f"[{_GAPS}]", "")
        grouped = "^([0-9]{1,3}([.,][0-9]{3})+|[0-9]{1,2}(,[0-9]{2})*,[0-9]{3})$"
        joined = pc.replace_substring_regex(bare, "[.,]", "")
        bare = pc.if_else(pc.match_substring_regex(bare, grouped), joined, bare)
        bare = pc.replace_substring_regex(bare, ",", ".")
        plain = pc.match_substring_regex(bare, r"^[+-]?[0-9]*\.?[0-9]+$")
        numbers = pc.cast(pc.if_else(plain, bare, pa.scalar(None, pa.string())), pa.float64())
        values = np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
        return np.clip(values, -_LARGEST_EXACT, _LARGEST_EXACT)

    @cached_property
    def counts_rows(self) -> bool:
        """Whether filled cells are 0, 1, 2, … or 1, 2, 3, … in the order of the rows."""
        filled = as_mask(pc.not_equal(self.text, ""))
        values = self.values[filled]
        if len(values) < 2 or self.distinct_filled != len(values):
            return False
        return bool((np.diff(values) == 1).all() and values[0] in (0, 1))

    @cached_property
    def rises(self) -> bool:
        """Whether each number is larger than the one above it."""
        return len(self.text) > 2 and bool((np.diff(self.values) > 0).all())

    @cached_property
    def index(self) -> IntArray:
        """The distinct cells as integers from 0, shape (n_rows,)."""
        return index_of(self.text)


class SheetFacts:
    """Facts about the columns of a table and how their values relate.

    Attributes:
        sheet: the table, or a sample of its rows if it is long.
        sampled: whether `sheet` is a sample.
        columns: the facts about each column, by name.
    """

    def __init__(self, sheet: Sheet, *, sample: bool = True) -> None:
        self.sheet = sample_rows(sheet) if sample else sheet
        self.sampled = self.sheet is not sheet
        pairs = zip(self.sheet.names, self.sheet.columns, strict=True)
        labels = self.sheet.labels
        self.columns = {
            name: ColumnFacts(name, text, labels.get(name, ""), listed=name in sheet.listed)
            for name, text in pairs
        }
        self._keys: dict[tuple[str, ...], int] = {}

    @property
    def n_rows(self) -> int:
        return self.sheet.n_rows

    @property
    def texts(self) -> list[str]:
        """The columns of words, in order: without those of numbers and empty ones."""
        return [name for name, c in self.columns.items() if not c.numeric and not c.blank]

    @cached_property
    def chains(self) -> dict[str, tuple[str, ...]]:
        """The columns of codes that begin with codes of other columns, with the latter."""
        return chained_codes(self.columns)

    @cached_property
    def parts_of_codes(self) -> dict[str, tuple[int, int]]:
        """The columns of numbers that stand in one place of the longest codes, with that place."""
        return parts_of_codes(self.columns, self.chains)

    @cached_property
    def chained(self) -> frozenset[str]:
        """The columns of codes that begin with one another, on whatever level."""
        return frozenset(
            {*self.chains, *(name for above in self.chains.values() for name in above)}
        )

    def __getitem__(self, name: str) -> ColumnFacts:
        return self.columns[name]

    def different(self, names: Sequence[str]) -> int:
        """Return how many distinct combinations of values the columns `names` have."""
        columns = tuple(sorted(set(names)))
        if not columns:
            return min(self.n_rows, 1)
        if len(columns) == 1:
            return self[columns[0]].distinct
        if columns not in self._keys:
            self._keys[columns] = len(np.unique(self.key(columns)))
        return self._keys[columns]

    def key(self, names: Sequence[str]) -> IntArray:
        """Return the distinct combinations of values as integers, shape (n_rows,)."""
        key = np.zeros(self.n_rows, dtype=np.int64)
        for name in names:
            index = self[name].index
            _, key = np.unique(key * (int(index.max(initial=0)) + 1) + index, return_inverse=True)
        return np.asarray(key, dtype=np.int64)

    def merged(self, lower: str, above: Sequence[str]) -> tuple[int, int]:
        """Return how many regions have a value of `lower` that repeats, and how many values do.

        Regions are the distinct combinations of `lower` with the columns `above`.
        """
        pairs = np.unique(np.stack([self[lower].index, self.key(above)]), axis=1)
        times = np.bincount(pairs[0].astype(np.int64))
        return int(times[times > 1].sum()), int((times > 1).sum())

    def one_row_each(self, names: Sequence[str]) -> bool:
        """Return whether no two rows have equal values in the columns `names`."""
        return self.different(names) == self.n_rows

    def within(self, fine: Sequence[str], coarse: str) -> bool:
        """Return whether each combination of values of `fine` occurs with one value of `coarse`.

        Since files contain errors, a few exceptions are allowed: one if there are more than three
        combinations, and in tables of more than 50 rows another 2% of the combinations.
        Rows in which a column of `fine` is blank are ignored.
        """
        if any(self[name].distinct_filled < self[name].distinct for name in fine):
            return self._within_filled(fine, coarse)
        own = self.different(fine)
        spare = own * 0.02 * (self.n_rows > 50) + float(own > 3)
        return self.different([*fine, coarse]) <= own + spare

    def _within_filled(self, fine: Sequence[str], coarse: str) -> bool:
        """Return the same as `within` for the rows in which no cell of `fine` is blank."""
        filled = np.ones(self.n_rows, dtype=np.bool_)
        for name in fine:
            filled &= as_mask(pc.not_equal(self[name].text, ""))
        if not filled.any():
            return False
        own = len(np.unique(self.key(fine)[filled]))
        both = len(np.unique(self.key([*fine, coarse])[filled]))
        spare = own * 0.02 * (self.n_rows > 50) + float(own > 3)
        return both <= own + spare

    def twins(self, one: str, other: str) -> bool:
        """Return whether the values of two columns correspond one to one."""
        if self[one].distinct != self[other].distinct:
            return False
        return self.different([one, other]) == self[one].distinct


_FIRST_MARK = "\u0300"  # the first sign that is an accent or the like
_NO_WORD = "^[A-Za-z]?[0-9][0-9 .-]*$"  # codes of digits, of which a column may have millions


def has_words(text: Text) -> pa.Array:
    """Return which cells are more than a code of digits after at most one letter."""
    return pc.invert(pc.match_substring_regex(text, _NO_WORD))


def matches_in(text: Text, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Return the matches of whole cells with a pattern that ignores capitals.

    Arrow searches first, which is much faster than Python in a column of many names.
    """
    found = pc.match_substring_regex(text, f"^(?:{pattern.pattern})$", ignore_case=True)
    return [m for cell in text.filter(found).to_pylist() if (m := pattern.fullmatch(cell))]


def called_total(text: Text) -> BoolArray:
    """Return which cells are called a total, such as "Total of the province"; shape (n_rows,)."""
    encoded = text.dictionary_encode()
    worded = has_words(encoded.dictionary)
    called = np.zeros(len(encoded.dictionary), dtype=np.bool_)
    called[as_mask(worded)] = [
        _names_total(cell) for cell in encoded.dictionary.filter(worded).to_pylist()
    ]
    indices = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return np.asarray(called[indices], dtype=np.bool_)


def called_whole(codes: Sequence[Text], names: Sequence[Text]) -> BoolArray:
    """Return which rows are called the total of everything, shape (n_rows,).

    A row with the name of a state and the word "total" in place of a county is that of the state.

    Args:
        codes: the columns of codes, of which there is at least one.
        names: the columns of names beside them.
    """
    by_code = np.any([_called_all(text) for text in codes], axis=0)
    if not names:
        return np.asarray(by_code, dtype=np.bool_)
    called = np.array([called_total(text) for text in names])
    blank = np.array([as_mask(pc.equal(text, "")) for text in names])
    return np.asarray(by_code | (called.any(axis=0) & (called | blank).all(axis=0)))


def _called_all(text: Text) -> BoolArray:
    """Return which cells are called a total, and not that of one of several regions.

    "Total Region 1" is such a cell where another one is "Total Region 2".
    """
    called = called_total(text)
    parts = np.zeros(len(called), dtype=np.bool_)
    for row in np.flatnonzero(called):
        parts[row] = bool(_region_of(text[int(row)].as_py()))
    if not parts.any():
        return called
    regions = {_region_of(cell) for cell in pc.unique(text).to_pylist()} - {""}
    return called & ~parts if len(regions) > 1 else called


def _region_of(cell: str) -> str:
    """Return the region that a total is of, by its name; empty for words for totals alone."""
    bare = _bare(cell)
    return "" if bare in _totals() else region_of_total(bare)


def _names_total(cell: str) -> bool:
    """Return whether a cell has only words for totals, or is the total of a level."""
    bare = _bare(cell)
    if not bare:
        return False
    # "Total of the province" is the total of the one that the row stands in.
    part = region_of_total(bare)
    of_level = part in LEVEL_WORDS or part.split("_")[0] in LEVEL_WORDS
    return bare in _totals() or set(bare.split("_")) <= _totals() or of_level


@cache
def _totals() -> frozenset[str]:
    """Return the words for totals as `_bare` writes them."""
    return frozenset(map(_bare, TOTAL_WORDS))


def _bare(cell: str) -> str:
    return re.sub(r"\W+", "_", _without_accents(cell).lower()).strip("_").replace("ł", "l")


def _without_accents(cell: str) -> str:
    if cell.isascii():
        return cell
    split = unicodedata.normalize("NFKD", cell)
    bare = "".join(
        sign
        for sign in split
        if sign < _FIRST_MARK or not unicodedata.category(sign).startswith("M")
    )
    return unicodedata.normalize("NFC", bare)  # syllables of Korean were split into letters


def names_level(cell: str) -> bool:
    """Return whether a cell consists of words for levels of regions.

    >>> names_level("Sub-District"), names_level("Stadtkreis/Landkreis"), names_level("Leeds")
    (True, True, False)
    """
    parts = [plain_name(part) for part in re.split("[/,;()]", cell) if part.strip()]
    return bool(parts) and all(part in LEVEL_WORDS for part in parts)


def index_of(text: Text) -> IntArray:
    """Return the distinct codes as integers from 0, shape (n_rows,)."""
    encoded = bare_codes(text).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def follows(code: IntArray, name: IntArray) -> bool:
    """Return whether each code occurs with one name; both are integers, shape (n_rows,)."""
    pairs = len(np.unique(code * (int(name.max()) + 1) + name))
    return pairs == len(np.unique(code))


def _are_school_years(cells: Sequence[str]) -> bool:
    """Return whether cells name a year and the next one, such as "202324" and "2023/24".

    >>> _are_school_years(["202223", "2023/24", "1999-2000"]), _are_school_years(["202425", "2025"])
    (True, False)
    """
    matches = [_SCHOOL_YEAR.fullmatch(cell) for cell in dict.fromkeys(cells)]
    return bool(matches) and all(
        m is not None and (int(m[1]) + 1 - int(m[2])) % 100 == 0 for m in matches
    )


def share_codes(one: ColumnFacts, other: ColumnFacts) -> bool:
    """Return whether at least half of the codes of each column occur in the other one.

    Numbers of fewer than four digits are ignored, because they agree by chance.
    """
    codes, others = pc.unique(one.filled), pc.unique(other.filled)
    if min(len(codes), len(others)) < _SHARED * max(len(codes), len(others)):
        return False
    long_enough = [
        not code.isdigit() or len(code) >= _MIN_CODE_DIGITS for code in codes.to_pylist()
    ]
    codes = codes.filter(pa.array(long_enough, pa.bool_()))
    if len(codes) < _FEW_CODES or len(others) < _FEW_CODES:
        return False
    shared = int(as_mask(pc.is_in(codes, value_set=others)).sum())
    return shared >= _SHARED * max(len(codes), len(others))
