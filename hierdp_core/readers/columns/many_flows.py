"""Totals among any number of origins or destinations, even where many parts are unpublished.

The rows of the flows are origins, and the columns are destinations, or the reverse. A part of a
total is a row whose flow is in no column larger than the total's. A row mostly has more flows to
the column of its own code than any other row has, so that few rows may be parts of a total. Flows
are kept as a list of pairs, so that there may be thousands of rows and columns.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_COMPARISONS = 400_000_000  # flows that are compared with those of rows that may be totals
_MIN_TOTAL = 50  # smallest sum of flows that counts as evidence
_MIN_PLACES = 5  # least number of columns in which a total has flows
_MIN_PUBLISHED = 0.8  # least proportion of a total that its published parts make up
_MIN_INSIDE = 0.4  # the same for parts that are known by the flows within them, or by their codes
_HALF = 0.5  # least proportion of the total's flow to a part that flows within it
_CHOSEN = 0.5  # least multiple of a row in `equal_shares` if it is a part
_MIN_WITHIN = 10  # least flow within a part that is known by it
_MIN_PARTS = 3  # least number of parts that are known by the flows within them
_FEW = 0.5  # largest number of codes of a rarer form, as a proportion of those of the usual one
_MOST_LEVELS = 4  # largest number of levels of totals: their sum is at most this multiple
_MOST_SOLVED = 1_500  # largest number of rows among which parts are chosen by their numbers
_SURE = 6.0  # minus the decimal logarithm of the probability of a coincidence
_TWO = float(np.log10(2))


@dataclass(frozen=True, eq=False, kw_only=True)
class PairSums:
    """The flows of each pair that is listed.

    Attributes:
        row, column: shape (n_pairs,), the positions of the origins and destinations, or the
            reverse, in the order of `row`.
        value: shape (n_pairs,), the flows.
        shape: the numbers of rows and columns.
    """

    row: IntArray
    column: IntArray
    value: FloatArray
    shape: tuple[int, int]

    @property
    def turned(self) -> "PairSums":
        """The flows in the opposite direction."""
        return pair_sums(self.column, self.row, self.value, (self.shape[1], self.shape[0]))

    @property
    def dense(self) -> FloatArray:
        """The flows as a matrix, with 0 for pairs that are not listed."""
        matrix = np.zeros(self.shape)
        matrix[self.row, self.column] = self.value
        return matrix


def pair_sums(
    row: IntArray, column: IntArray, value: FloatArray, shape: tuple[int, int]
) -> PairSums:
    """Return the sum of the flows of each pair."""
    pair, inverse = np.unique(row * shape[1] + column, return_inverse=True)
    return PairSums(
        row=pair // shape[1],
        column=pair % shape[1],
        value=np.bincount(inverse, weights=value, minlength=len(pair)).astype(np.float64),
        shape=shape,
    )


def sums_among_many(
    flows: PairSums, codes: Sequence[str], others: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Return the rows that are sums of other rows, and those that seem to be, in their order.

    Rows are tried from the smallest up, so that parts are not sums themselves. A row seems to be a
    sum if some of its parts are unpublished, and the sum of the published ones is in no column
    larger than its flow.

    Args:
        flows: the flows from each row.
        codes: the code of each row.
        others: the code of each column.
    """
    n_rows = flows.shape[0]
    whole = np.bincount(flows.row, weights=flows.value, minlength=n_rows).astype(np.float64)
    starts = np.searchsorted(flows.row, np.arange(n_rows + 1))
    step = float(np.gcd.reduce(flows.value.astype(np.int64), axis=None))
    slack = step if step > 1 else 0.0
    position = {code: k for k, code in enumerate(others)}
    own_column = np.array([position.get(code, -1) for code in codes], dtype=np.int64)
    within = _within(flows, own_column)
    longer = _longer_codes(codes)
    lengths = np.array([len(code) for code in codes])
    usual = lengths == np.bincount(lengths).argmax()
    sums: list[int] = []
    likely: list[int] = []
    is_sum = np.zeros(n_rows, dtype=np.bool_)
    for row in _candidates(flows, whole, codes):
        own_pairs = slice(starts[row], starts[row + 1])
        columns, own = flows.column[own_pairs], flows.value[own_pairs]
        if (own > 0).sum() < _MIN_PLACES:
            continue
        inside = _inside(flows, columns, own, slack) & ~is_sum
        inside[row] = False
        parts = np.flatnonzero(inside)
        if len(parts) < 2 or whole[parts].sum() < _MIN_INSIDE * whole[row]:
            continue
        if _adds_up(own, _matrix(flows, starts, parts, columns), slack):
            sums.append(row)
        else:
            everywhere = np.zeros(flows.shape[1])
            everywhere[columns] = own
            to_part = np.where(own_column >= 0, everywhere[own_column], 0.0)
            mostly = (within >= _MIN_WITHIN + 2 * slack) & (within >= _HALF * to_part)
            inside &= _inside(flows, np.arange(flows.shape[1]), everywhere, slack)
            known = np.flatnonzero(inside & mostly & (to_part > 0))
            if len(known) >= _MIN_PARTS:
                usual_rows = (whole <= whole[row]) & ~is_sum
                usual_rows[row] = False
                largest = _largest(flows, usual_rows)
                known = known[within[known] >= largest[own_column[known]]]
            below = np.array(longer.get(row, ()), dtype=np.int64)
            below = below[(whole[below] > 0) & ~is_sum[below]]
            below = below[:0] if not inside[below].all() else below
            ways = [(known, _MIN_PARTS), (known[usual[known]], _MIN_PARTS), (below, 2)]
            if any(
                len(way) >= least and _may_be_parts(everywhere, flows, starts, way, slack)
                for way, least in ways
            ):
                likely.append(row)
        is_sum[[*sums, *likely]] = True
    if not sums and not likely:
        likely = _of_another_form(flows, codes, slack)
    return sorted(sums), sorted(likely)


def _of_another_form(flows: PairSums, codes: Sequence[str], slack: float) -> list[int]:
    """Return the rows whose codes have a rarer form, if they seem to be the sums of the others.

    They have at least the flows of all other rows together, in every column.
    """
    forms = [_form(code) for code in codes]
    usual, n_usual = Counter(forms).most_common(1)[0]
    rare = np.array([form != usual for form in forms])
    if not 0 < rare.sum() <= _FEW * n_usual or n_usual < _MIN_PLACES:
        return []
    of_rare, of_usual = (
        np.bincount(
            flows.column[rare[flows.row] == one],
            weights=flows.value[rare[flows.row] == one],
            minlength=flows.shape[1],
        )
        for one in (True, False)
    )
    compared = of_usual > 0
    # The rows may be totals of several levels, so that they have several times the flows.
    enough = of_usual.sum() * _MOST_LEVELS >= of_rare[compared].sum()
    more = of_rare[compared] + slack * n_usual / 2 >= of_usual[compared]
    return (
        np.flatnonzero(rare).tolist()
        if enough and compared.sum() >= _MIN_PLACES and more.all()
        else []
    )


def _form(code: str) -> str:
    """Return the form of a code: a letter for each run of letters, and a 0 for each digit.

    >>> _form("E06000001"), _form("DE2"), _form("North West")
    ('a00000000', 'a0', 'a a')
    """
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "0", code))


def _within(flows: PairSums, own_column: IntArray) -> FloatArray:
    """Return the flow of each row to the column of its own code, shape (n_rows,)."""
    inner = flows.column == own_column[flows.row]
    return np.bincount(
        flows.row[inner], weights=flows.value[inner], minlength=flows.shape[0]
    ).astype(np.float64)


def _largest(flows: PairSums, rows: BoolArray) -> FloatArray:
    """Return the largest flow from some of the rows to each column, shape (n_columns,)."""
    largest = np.zeros(flows.shape[1])
    chosen = rows[flows.row]
    np.maximum.at(largest, flows.column[chosen], flows.value[chosen])
    return largest


def _longer_codes(codes: Sequence[str]) -> dict[int, list[int]]:
    """Return the positions of the codes that begin with each code, if there are at least two.

    Two or more zeros at the end of a code are not counted, if digits are left.

    >>> _longer_codes(["NO", "NO1", "NO2", "01000", "01001", "01002"])
    {0: [1, 2], 3: [4, 5]}
    """
    position = {code: k for k, code in enumerate(codes)}
    stems = {
        stem: k
        for k, code in enumerate(codes)
        if code.endswith("00") and any(map(str.isdigit, stem := code.rstrip("0")))
    }
    longer: dict[int, list[int]] = {}
    for k, code in enumerate(codes):
        for length in range(1, len(code)):
            above = position.get(code[:length], stems.get(code[:length], k))
            same = len(codes[above]) in (length, len(code))
            if above != k and same:
                longer.setdefault(above, []).append(k)
    return {above: own for above, own in longer.items() if len(own) > 1}


def _may_be_parts(
    total: FloatArray, flows: PairSums, starts: IntArray, parts: IntArray, slack: float
) -> bool:
    """Return whether rows together exceed a total in no column, and reach `_MIN_INSIDE` of it."""
    added = _added(flows, starts, parts)
    over = added - total - slack * (len(parts) + 1) / 2
    return bool((over <= 0).all() and added.sum() >= _MIN_INSIDE * total.sum())


def _candidates(flows: PairSums, whole: FloatArray, codes: Sequence[str]) -> list[int]:
    """Return the rows of at least `_MIN_TOTAL` that may be sums, the smallest first.

    Of very many, those with codes of unusual length are taken first, then the largest.
    """
    most = max(_COMPARISONS // max(len(flows.value), 1), 20)
    lengths = np.array([len(code) for code in codes])
    unusual = lengths != np.bincount(lengths).argmax()
    order = np.lexsort((-whole, ~unusual))
    chosen = order[whole[order] >= _MIN_TOTAL][:most]
    return sorted(chosen.tolist(), key=lambda row: float(whole[row]))


def _inside(flows: PairSums, columns: IntArray, own: FloatArray, slack: float) -> BoolArray:
    """Return which rows have no larger flow than one row, in the columns that this one lists."""
    most = np.full(flows.shape[1], np.inf)
    most[columns] = own + slack
    listed = np.isfinite(most)[flows.column] & (flows.value > 0)
    n_rows = flows.shape[0]
    larger = np.bincount(flows.row[flows.value > most[flows.column]], minlength=n_rows)
    shared = np.bincount(flows.row[listed], minlength=n_rows)
    return np.asarray((larger == 0) & (shared > 0), dtype=np.bool_)


def _matrix(flows: PairSums, starts: IntArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """Return the flows of some rows in some columns, shape (len(rows), len(columns))."""
    position = np.full(flows.shape[1], -1, dtype=np.int64)
    position[columns] = np.arange(len(columns))
    matrix = np.zeros((len(rows), len(columns)))
    for k, row in enumerate(rows.tolist()):
        pairs = slice(starts[row], starts[row + 1])
        at = position[flows.column[pairs]]
        matrix[k, at[at >= 0]] = flows.value[pairs][at >= 0]
    return matrix


def _added(flows: PairSums, starts: IntArray, rows: IntArray) -> FloatArray:
    """Return the sum of some rows, shape (n_columns,)."""
    added = np.zeros(flows.shape[1])
    for row in rows.tolist():
        pairs = slice(starts[row], starts[row + 1])
        added[flows.column[pairs]] += flows.value[pairs]
    return added


def _adds_up(total: FloatArray, rows: FloatArray, slack: float) -> bool:
    """Return whether some of the rows add up to a total, and not by coincidence.

    Args:
        total: shape (n_columns,), its flows.
        rows: shape (n_rows, n_columns), the flows of rows that are larger in no column.
        slack: the rounding of a flow.
    """
    if rows.sum() < _MIN_PUBLISHED * total.sum():
        return False
    if _is_sum(total, rows, slack):
        return True
    if len(rows) > min(_MOST_SOLVED, rows.shape[1]):
        return False
    chosen = rows[equal_shares(total, rows) > _CHOSEN]
    return len(chosen) < len(rows) and _is_sum(total, chosen, slack, choices=len(rows))


def _is_sum(total: FloatArray, rows: FloatArray, slack: float, choices: int = 0) -> bool:
    """Return whether rows add up to a total in enough columns, and exceed it in none.

    A random sum equals a number n with a probability of about 1/n. With c rows to choose from,
    there are 2^c subsets, so `_TWO * choices` is subtracted from the evidence.
    """
    if len(rows) < 2:
        return False
    rounding = slack * (len(rows) + 1) / 2
    left = total - rows.sum(axis=0)
    if (left < -rounding).any():
        return False
    if left.sum() > (1 - _MIN_PUBLISHED) * total.sum() + rounding * len(total):
        return False
    digits = np.log10((total + 1) / (2 * rounding + 1)).clip(min=0)
    return float(digits[np.abs(left) <= rounding].sum()) - _TWO * choices > _SURE


def equal_shares(total: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the multiples of the rows that add up to a total, shape (n_rows,); 0 where unknown.

    Small numbers are as good evidence as large ones, so each column and row has equal weight.
    """
    weighted = rows / (total + 1)
    size = np.linalg.norm(weighted, axis=1)
    weighted /= np.where(size > 0, size, 1.0)[:, np.newaxis]
    try:
        solution = np.linalg.solve(weighted @ weighted.T, weighted @ (total / (total + 1)))
    except np.linalg.LinAlgError:
        return np.zeros(len(rows))
    return np.asarray(solution / np.where(size > 0, size, 1.0), dtype=np.float64)
