"""Totals among the origins and destinations of flows, recognised by their numbers alone.

A table may list flows of the world and of regions beside those of countries, at one end or at both.
An end is a total if its flows are the sums of those of some other ends, to every place at the
other side.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.readers.columns.sums import CERTAIN, nested_sums
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_MOST_ENDS = 300  # origins or destinations among which sums of any others are looked for
_TIMES = (2, 3, 4)  # lists of flows in one table: all flows as a multiple of those of the whole
_MOST_PARTS = 400  # parts of one sum
_MIN_PLACES = 3  # places at the other side to which both a total and its parts have flows
_MIN_TOTAL = 50  # smallest sum of flows that counts as evidence
_SURE = 6.0  # minus the decimal logarithm of the probability of a coincidence
_MIN_LISTS = 1000  # smallest sum of one of several lists of flows
_FEW_ENDS = 120  # ends of which each may be a sum
_LARGE = 0.3  # proportion of more ends that are large
_TWO = float(np.log10(2))


@dataclass(frozen=True, kw_only=True)
class FlowTotals:
    """Codes at each end of flows whose rows are sums of other rows.

    Attributes:
        origins: the codes of origins.
        destinations: the codes of destinations.
    """

    origins: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.origins or self.destinations)


def totals_of_flows(
    origins: Sequence[str], destinations: Sequence[str], values: FloatArray
) -> FlowTotals:
    """Return the origins and destinations that are sums of others.

    Args:
        origins: the code of the origin of each row.
        destinations: the code of the destination of each row.
        values: shape (n_rows,), the trips.
    """
    start, starts = _numbered(origins)
    end, ends = _numbered(destinations)
    if not len(values):
        return FlowTotals()
    if max(len(starts), len(ends)) > _MOST_ENDS:
        return FlowTotals(
            origins=_simple_share(start, starts, values),
            destinations=_simple_share(end, ends, values),
        )
    shape = (len(starts), len(ends))
    trips = np.zeros(shape)
    np.add.at(trips, (start, end), np.nan_to_num(values))
    listed = np.zeros(shape, dtype=np.bool_)
    listed[start, end] = True
    sums = FlowTotals(
        origins=tuple(starts[k] for k in _sums(trips, listed, starts)),
        destinations=tuple(ends[k] for k in _sums(trips.T, listed.T, ends)),
    )
    return sums or _separate_lists(trips, listed, starts, ends)


def _numbered(codes: Sequence[str]) -> tuple[IntArray, list[str]]:
    """Return the position of each code in a list of the distinct ones, and this list."""
    position = {code: k for k, code in enumerate(dict.fromkeys(codes))}
    return np.array([position[code] for code in codes], dtype=np.int64), list(position)


def _simple_share(place: IntArray, codes: Sequence[str], values: FloatArray) -> tuple[str, ...]:
    """Return the code that has exactly a half, a third or a quarter of all flows, if there is one.

    Args:
        place: shape (n_rows,), the position in `codes` of the code of each row.
        codes: the codes of one end.
        values: shape (n_rows,), the trips.
    """
    sums = np.bincount(place, weights=np.nan_to_num(values), minlength=len(codes))
    largest = int(np.argmax(sums))
    whole = sums[largest] >= _MIN_LISTS and sums.sum() / sums[largest] in _TIMES
    return (codes[largest],) if whole else ()


def _sums(trips: FloatArray, listed: BoolArray, codes: Sequence[str]) -> list[int]:
    """Return the rows of a matrix that are sums of other rows, in the order of the rows.

    Rows are compared in the columns in which the sum has a number. They are tried from the smallest
    up, so that parts are no sums themselves. Codes of the most usual length come first among equal
    rows.
    """
    whole = trips.sum(axis=1)
    usual = Counter(map(len, codes))
    order = sorted(
        range(len(codes)), key=lambda k: (whole[k], -usual[len(codes[k])], -listed[k].sum())
    )
    likely = _likely_sums(whole, codes)
    parts: list[int] = []
    sums: list[int] = []
    same: list[int] = []
    for row in order:
        if whole[row] <= 0:
            continue
        columns = np.flatnonzero(listed[row])
        own = trips[row, columns]
        n_parts = 0
        if parts and likely[row] and (own > 0).sum() >= _MIN_PLACES:
            below = trips[np.array(parts)][:, columns]
            inside = (below <= own).all(axis=1) & below.any(axis=1)
            n_parts = _parts_in(own, below[inside])
        if n_parts > 1:
            sums.append(row)
        elif n_parts == 1:
            same.append(row)
        else:
            parts.append(row)
    if sums:
        return sorted([*sums, *same])
    nesting = nested_sums(trips.astype(np.int64))
    return np.flatnonzero(nesting.is_sum).tolist() if nesting.chance <= CERTAIN else []


def _likely_sums(whole: FloatArray, codes: Sequence[str]) -> BoolArray:
    """Return which ends may be sums, shape (n_ends,): of many, only large ones and unusual codes.

    Args:
        whole: shape (n_ends,), the flows of each.
        codes: their codes.
    """
    lengths = np.array([len(code) for code in codes])
    if len(codes) <= _FEW_ENDS:
        return np.asarray(whole >= _MIN_TOTAL, dtype=np.bool_)
    unusual = lengths != np.bincount(lengths).argmax()
    large = whole >= np.quantile(whole, 1 - _LARGE)
    return np.asarray((whole >= _MIN_TOTAL) & (large | unusual), dtype=np.bool_)


def _parts_in(total: FloatArray, rows: FloatArray) -> int:
    """Return how many of some rows add up to a total; 0 where none do or it may be chance.

    By chance, a sum is equal to a number of this size in every column with a probability of one
    over the product of these numbers, for each of the subsets of the rows.
    """
    n_rows, n_columns = rows.shape
    if not 1 <= n_rows <= min(n_columns, _MOST_PARTS) or (rows.sum(axis=0) < total).any():
        return 0
    # Small numbers are as good evidence as large ones, so each column and row has equal weight.
    weighted = rows / (total + 1)
    size = np.linalg.norm(weighted, axis=1)
    weighted /= size[:, np.newaxis]
    try:
        solution = np.linalg.solve(weighted @ weighted.T, weighted @ (total / (total + 1))) / size
    except np.linalg.LinAlgError:
        return 0
    chosen = solution > 0.5
    n_parts = int(chosen.sum())
    if not n_parts or (np.abs(solution - chosen) > 0.3).any():
        return 0
    difference = np.abs(rows[chosen].sum(axis=0) - total)
    slack = float(min(n_parts, difference.max()))
    if (difference > slack).any():
        return 0
    evidence = np.log10((total + 1) / (2 * slack + 1)).clip(min=0).sum()
    return n_parts if evidence - _TWO * len(rows) > _SURE else 0


def _separate_lists(
    trips: FloatArray, listed: BoolArray, starts: Sequence[str], ends: Sequence[str]
) -> FlowTotals:
    """Return the codes of all but the longest of several lists of flows with equal sums.

    An example are flows between countries, flows between regions and one flow of the whole world.
    No flow goes from a code of one list to a code of another.
    """
    group = {("from", code): k for k, code in enumerate(starts)}
    codes = dict.fromkeys((*starts, *ends))
    root = {code: code for code in codes}

    def top(code: str) -> str:
        while root[code] != code:
            root[code] = root[root[code]]
            code = root[code]
        return code

    for start, end in np.argwhere(listed).tolist():
        root[top(starts[start])] = top(ends[end])
    sums: Counter[str] = Counter()
    for code in starts:
        sums[top(code)] += int(trips[group["from", code]].sum())
    sizes = Counter(top(code) for code in codes)
    if len(sizes) < 2:
        return FlowTotals()
    (longest, n_longest), *others = sizes.most_common()
    equal = {one for one, n in others if n < n_longest and sums[one] == sums[longest]}
    if not equal or sums[longest] < _MIN_LISTS:
        return FlowTotals()
    return FlowTotals(
        origins=tuple(code for code in starts if top(code) in equal),
        destinations=tuple(code for code in ends if top(code) in equal),
    )
