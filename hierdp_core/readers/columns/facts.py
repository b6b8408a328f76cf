"""What can be measured about the columns of a table, each fact computed once."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hierdp_core.readers.columns.codes import bare_codes
from hierdp_core.readers.columns.vocabulary import (
    FLAG,
    LEVEL_OF_ROW,
    LEVEL_WORDS,
    MAX_LEVELS_OF_ROWS,
    MISSING,
    TOTAL_WORDS,
    YEAR,
    plain_name,
    region_of_total,
)
from hierdp_core.readers.formats.sheet import Sheet, Text, as_mask
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_TELLING = 4  # digits of a number that is a code
_FEW_CODES = 3
_SHARED = 0.5  # of the codes of two columns that hold regions of the same level
_LOOKED_AT = 50_000  # rows that a guess is made from
_MAX_BANDS = 200
_MIN_BANDS = 3
_MOSTLY = 0.6  # of the cells
_BAND = re.compile(
    r"[^0-9]{0,15}([0-9]{1,3})[ _]?(?:[-–—~]|[^\W\d_]{1,4})[ _]?([0-9]{1,3})[^0-9]{0,15}"
)
_LETTERED = re.compile("[0-9]{1,2} ?[a-h]")
_GAPS = " \u00a0\u202f'’"  # between thousands
_GROUPED = f"([0-9]{{1,3}}([{_GAPS},.][0-9]{{3}})+|[0-9]{{1,2}}(,[0-9]{{2}})*,[0-9]{{3}})"
GROUPED = f"^{_GROUPED}$"  # a number with marks between its thousands
_CLOCK = r"([01]?[0-9]|2[0-4]):[0-5][0-9](:[0-5][0-9]([.,][0-9]+)?)?"
_DAY = (
    r"((1[89]|20)[0-9]{2}[-/.][01]?[0-9][-/.][0-3]?[0-9]|"
    r"[0-3]?[0-9][-/.][0-3]?[0-9][-/.](1[89]|20)?[0-9]{2})"
)
_MOMENT = f"^({_CLOCK}|{_DAY}([ T]{_CLOCK}Z?)?)$"  # a time of day, a day, or both
_WHOLE = f"^[+\\-−]?([0-9]+|{_GROUPED})([.,]0+)?{FLAG}?$"
_NUMBER = f"^[+\\-−]?[0-9]*[.,]?[0-9][0-9.,{_GAPS}]*([eE][+-]?[0-9]+)?{FLAG}?%?$"


def sample_rows(sheet: Sheet) -> Sheet:
    """Rows from all over a long sheet: what is guessed from them is checked against all."""
    step = -(-sheet.n_rows // _LOOKED_AT)
    return sheet if step <= 1 else sheet.take(np.arange(sheet.n_rows) % step == 0)


class ColumnFacts:
    """One column.

    Attributes:
        name, plain: as it stands in the header, and in small letters.
        text: its cells, shape (n_rows,).
    """

    def __init__(self, name: str, text: Text) -> None:
        self.name, self.plain, self.text = name, plain_name(name), text

    @cached_property
    def different(self) -> Text:
        return pc.unique(self.text)

    @cached_property
    def distinct(self) -> int:
        return len(self.different)

    @cached_property
    def distinct_filled(self) -> int:
        return self.distinct - int(as_mask(pc.equal(self.different, "")).any())

    @cached_property
    def filled(self) -> Text:
        """The different cells that hold something, marks of missing values left out."""
        blank = pc.equal(self.different, "")
        missing = pc.match_substring_regex(self.different, f"^{MISSING}$")
        return self.different.filter(pc.invert(pc.or_(blank, missing)))

    @cached_property
    def blank(self) -> bool:
        return self.distinct == 1 and self.different[0].as_py() == ""

    def share(self, pattern: str) -> float:
        """The share of different filled cells that `pattern` matches."""
        if len(self.filled) == 0:
            return 0.0
        return float(as_mask(pc.match_substring_regex(self.filled, pattern)).mean())

    @cached_property
    def numeric(self) -> bool:
        return self.share(_NUMBER) > 0.5 and not self.lettered

    @cached_property
    def lettered(self) -> bool:
        """All cells are numbers with a letter from a on, such as classes 5a, 5b and 6a."""
        cells = self.filled.to_pylist()
        letters = {cell[-1:] for cell in cells}
        return {"a", "b"} <= letters and all(map(_LETTERED.fullmatch, cells))

    @cached_property
    def whole(self) -> float:
        """The share of cells that may be whole numbers."""
        return self.share(_WHOLE)

    @cached_property
    def fractions(self) -> bool:
        """Some of the numbers are no whole ones."""
        return self.numeric and self.share(_NUMBER) - self.whole > 0.1

    @cached_property
    def leading_zeros(self) -> bool:
        return self.share("^0[0-9]+$") > 0

    @cached_property
    def coded(self) -> bool:
        """Most cells hold digits and no blanks."""
        return self.share("^[^ ]*[0-9][^ ]*$") > 0.5

    @cached_property
    def years(self) -> bool:
        return self.share("^(19|20)[0-9]{2}(-[0-9]{2}(-[0-9]{2})?)?$") == 1.0 and (
            bool(YEAR.fullmatch(self.plain)) or self.distinct <= 3
        )

    @cached_property
    def moments(self) -> bool:
        """The cells are days or times of day."""
        return self.share(_MOMENT) == 1.0

    @cached_property
    def numbered_apart(self) -> bool:
        """No two filled cells are alike, as with the numbers of records."""
        return self.distinct_filled == int(as_mask(pc.not_equal(self.text, "")).sum()) > 0

    @cached_property
    def bands(self) -> bool:
        """The cells are ranges of numbers of which each begins after another ends, as ages are."""
        matches = map(_BAND.fullmatch, self.filled.to_pylist()[:_MAX_BANDS])
        ranges = {(int(m[1]), int(m[2])) for m in matches if m is not None}
        ends = {upper for lower, upper in ranges if lower < upper}
        follow = sum(lower - 1 in ends for lower, _ in ranges)
        enough = len(ends) >= _MIN_BANDS and len(ranges) >= _MOSTLY * self.distinct_filled
        return enough and follow >= len(ranges) - 1

    @cached_property
    def one_level(self) -> bool:
        """All cells are the same word for a level of regions, such as "municipality"."""
        return self.distinct_filled == 1 and all(map(names_level, self.filled.to_pylist()))

    @cached_property
    def level_of_row(self) -> bool:
        """The cells say of which level a row is, such as "county", or the name says so."""
        if not 1 < self.distinct_filled <= MAX_LEVELS_OF_ROWS:
            return False
        return bool(LEVEL_OF_ROW.fullmatch(self.plain)) or all(
            names_level(cell) for cell in self.filled.to_pylist()
        )

    @cached_property
    def values(self) -> FloatArray:
        """The cells as numbers, shape (n_rows,); NaN for others."""
        plain = pc.replace_substring_regex(self.text, f"^([0-9].*[0-9]|[0-9]){FLAG}$", r"\1")
        bare = pc.replace_substring_regex(plain, f"[{_GAPS}]", "")
        grouped = "^([0-9]{1,3}([.,][0-9]{3})+|[0-9]{1,2}(,[0-9]{2})*,[0-9]{3})$"
        joined = pc.replace_substring_regex(bare, "[.,]", "")
        bare = pc.if_else(pc.match_substring_regex(bare, grouped), joined, bare)
        bare = pc.replace_substring_regex(bare, ",", ".")
        plain = pc.match_substring_regex(bare, r"^[+-]?[0-9]*\.?[0-9]+$")
        numbers = pc.cast(pc.if_else(plain, bare, pa.scalar(None, pa.string())), pa.float64())
        return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)

    @cached_property
    def counts_rows(self) -> bool:
        """The cells are 0, 1, 2 … or 1, 2, 3 … in the order of the rows, some blank at most."""
        filled = as_mask(pc.not_equal(self.text, ""))
        values = self.values[filled]
        if len(values) < 2 or self.distinct_filled != len(values):
            return False
        return bool((np.diff(values) == 1).all() and values[0] in (0, 1))

    @cached_property
    def rises(self) -> bool:
        """Each cell is a larger number than the one above it."""
        return len(self.text) > 2 and bool((np.diff(self.values) > 0).all())

    @cached_property
    def index(self) -> IntArray:
        """A number for each different cell, shape (n_rows,)."""
        return index_of(self.text)


class SheetFacts:
    """The columns of a table, and how they lie in each other."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sample_rows(sheet)
        self.sampled = self.sheet is not sheet
        pairs = zip(self.sheet.names, self.sheet.columns, strict=True)
        self.columns = {name: ColumnFacts(name, text) for name, text in pairs}
        self._keys: dict[tuple[str, ...], int] = {}

    @property
    def n_rows(self) -> int:
        return self.sheet.n_rows

    def __getitem__(self, name: str) -> ColumnFacts:
        return self.columns[name]

    def different(self, names: Sequence[str]) -> int:
        """How many different rows the columns `names` have."""
        wanted = tuple(sorted(set(names)))
        if not wanted:
            return min(self.n_rows, 1)
        if len(wanted) == 1:
            return self[wanted[0]].distinct
        if wanted not in self._keys:
            self._keys[wanted] = len(np.unique(self.key(wanted)))
        return self._keys[wanted]

    def key(self, names: Sequence[str]) -> IntArray:
        """A number for each different row of the columns `names`, shape (n_rows,)."""
        key = np.zeros(self.n_rows, dtype=np.int64)
        for name in names:
            index = self[name].index
            _, key = np.unique(key * (int(index.max()) + 1) + index, return_inverse=True)
        return np.asarray(key, dtype=np.int64)

    def one_row_each(self, names: Sequence[str]) -> bool:
        """Whether no two rows are alike in the columns `names`."""
        return self.different(names) == self.n_rows

    def within(self, fine: Sequence[str], coarse: str) -> bool:
        """Whether nearly every value of `fine` lies in one value of `coarse`, blanks aside."""
        if any(self[name].distinct_filled < self[name].distinct for name in fine):
            return self._within_filled(fine, coarse)
        own = self.different(fine)
        spare = own * 0.02 + 1 if self.n_rows > 50 else float(own > 3)
        return self.different([*fine, coarse]) <= own + spare

    def _within_filled(self, fine: Sequence[str], coarse: str) -> bool:
        """As `within`, for the rows in which no cell of `fine` is blank."""
        filled = np.ones(self.n_rows, dtype=np.bool_)
        for name in fine:
            filled &= as_mask(pc.not_equal(self[name].text, ""))
        if not filled.any():
            return False
        own = len(np.unique(self.key(fine)[filled]))
        both = len(np.unique(self.key([*fine, coarse])[filled]))
        spare = own * 0.02 + 1 if self.n_rows > 50 else float(own > 3)
        return both <= own + spare

    def twins(self, one: str, other: str) -> bool:
        """Whether two columns go together one to one."""
        if self[one].distinct != self[other].distinct:
            return False
        return self.different([one, other]) == self[one].distinct


def called_total(text: Text) -> BoolArray:
    """Where a cell is a word for a total, or several such words, shape (n_rows,)."""
    encoded = text.dictionary_encode()
    called = [_names_total(cell) for cell in encoded.dictionary.to_pylist()]
    indices = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return np.array(called, dtype=np.bool_)[indices] if called else np.zeros(0, dtype=np.bool_)


def _names_total(cell: str) -> bool:
    bare = re.sub(r"\W+", "_", _without_accents(cell).lower()).strip("_").replace("ł", "l")
    if not bare:
        return False
    # "Total of the province" is the total of the one that the row stands in.
    part = region_of_total(bare)
    of_level = part in LEVEL_WORDS or part.split("_")[0] in LEVEL_WORDS
    return bare in TOTAL_WORDS or set(bare.split("_")) <= TOTAL_WORDS or of_level


def _without_accents(cell: str) -> str:
    split = unicodedata.normalize("NFKD", cell)
    return "".join(sign for sign in split if not unicodedata.category(sign).startswith("M"))


def names_level(cell: str) -> bool:
    """Whether a cell is the word for a level of regions, or several such words.

    >>> names_level("Sub-District"), names_level("Stadtkreis/Landkreis"), names_level("Leeds")
    (True, True, False)
    """
    parts = [plain_name(part) for part in re.split("[/,;()]", cell) if part.strip()]
    return bool(parts) and all(part in LEVEL_WORDS for part in parts)


def index_of(text: Text) -> IntArray:
    """A number for each different code, shape (n_rows,)."""
    encoded = bare_codes(text).dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def follows(code: IntArray, name: IntArray) -> bool:
    """Whether each code has one name."""
    pairs = len(np.unique(code * (int(name.max()) + 1) + name))
    return pairs == len(np.unique(code))


def share_codes(one: ColumnFacts, other: ColumnFacts) -> bool:
    """Whether most codes of each column are in the other; short numbers agree by chance."""
    codes, others = pc.unique(one.filled), pc.unique(other.filled)
    if min(len(codes), len(others)) < _SHARED * max(len(codes), len(others)):
        return False
    telling = [not code.isdigit() or len(code) >= _TELLING for code in codes.to_pylist()]
    codes = codes.filter(pa.array(telling, pa.bool_()))
    if len(codes) < _FEW_CODES or len(others) < _FEW_CODES:
        return False
    shared = int(as_mask(pc.is_in(codes, value_set=others)).sum())
    return shared >= _SHARED * max(len(codes), len(others))
