"""Totals among the origins and destinations of flows, recognised by their numbers alone.

A table may list flows of the world and of regions beside those of countries, at one end or at both.
An end is a total if its flows are the sums of those of some other ends, to every region at the
other side.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hierdp_core.readers.columns.many_flows import equal_shares, pair_sums, sums_among_many
from hierdp_core.readers.columns.sums import CERTAIN, nested_sums
from hierdp_core.util.arrays import BoolArray, FloatArray, IntArray

_MOST_ENDS = 300  # origins or destinations among which sums of any others are looked for
_TIMES = (2, 3, 4)  # lists of flows in one table: all flows as a multiple of those of the whole
_MOST_PARTS = 400  # parts of one sum
_MIN_PLACES = 3  # regions at the other side to which both a total and its parts have flows
_MIN_TOTAL = 50  # smallest sum of flows that counts as evidence
_SURE = 6.0  # minus the decimal logarithm of the probability of a coincidence
_MIN_LISTS = 1000  # smallest sum of one of several lists of flows
_FEW_ENDS = 120  # ends of which each may be a sum
_FEW_ROUNDED = 40  # the same for rounded numbers, which take longer to compare
_MOST_ROUNDED = 12  # rounded sums that are looked for among more ends
_MOST_BOUNDED = 60  # rows that may be rounded or partly unpublished parts of a sum
_HALF = 0.5
_LARGE = 0.3  # proportion of more ends that are large
_MIN_PUBLISHED = 0.8  # proportion of a total that published parts have at least
_TWO = float(np.log10(2))


@dataclass(frozen=True, kw_only=True)
class FlowTotals:
    """Codes at each end of flows whose rows are sums of other rows.

    Attributes:
        origins: the codes of origins.
        destinations: the codes of destinations.
        sure: whether the sums agree exactly. Otherwise some parts may be unpublished, and the ends
            may be regions that only have more flows than others.
    """

    origins: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    sure: bool = True

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
    values = np.nan_to_num(values).clip(min=0)
    flows = pair_sums(start, end, values, (len(starts), len(ends)))
    exact, likely = FlowTotals(), FlowTotals()
    if max(len(starts), len(ends)) <= _MOST_ENDS:
        trips = flows.dense
        listed = np.zeros(flows.shape, dtype=np.bool_)
        listed[flows.row, flows.column] = True
        exact = FlowTotals(
            origins=tuple(starts[k] for k in _sums(trips, listed, starts)),
            destinations=tuple(ends[k] for k in _sums(trips.T, listed.T, ends)),
        ) or _separate_lists(trips, listed, starts, ends)  # fmt: skip
    if exact:
        return exact
    from_sums, from_likely = sums_among_many(flows, starts, ends)
    to_sums, to_likely = sums_among_many(flows.turned, ends, starts)
    if max(len(starts), len(ends)) > _MOST_ENDS:
        exact = FlowTotals(
            origins=tuple(starts[k] for k in from_sums),
            destinations=tuple(ends[k] for k in to_sums),
        )
    if exact and not (from_likely or to_likely):
        return exact
    likely = FlowTotals(
        origins=tuple(starts[k] for k in sorted((*from_sums, *from_likely))),
        destinations=tuple(ends[k] for k in sorted((*to_sums, *to_likely))),
        sure=False,
    )
    return likely or FlowTotals(
        origins=_simple_share(start, starts, values),
        destinations=_simple_share(end, ends, values),
    )


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
    sums = np.bincount(place, weights=values, minlength=len(codes))
    largest = int(np.argmax(sums))
    whole = sums[largest] >= _MIN_LISTS and sums.sum() / sums[largest] in _TIMES
    return (codes[largest],) if whole else ()


def _sums(trips: FloatArray, listed: BoolArray, codes: Sequence[str]) -> list[int]:
    """Return the rows of a matrix that are sums of other rows, in the order of the rows.

    Rows are compared in the columns in which the sum has a number. They are tried from the smallest
    up, so that parts are not sums themselves. Codes of the most usual length come first among equal
    rows.
    """
    whole = trips.sum(axis=1)
    usual = Counter(map(len, codes))
    order = sorted(
        range(len(codes)), key=lambda k: (whole[k], -usual[len(codes[k])], -listed[k].sum())
    )
    step = float(np.gcd.reduce(trips.astype(np.int64), axis=None))
    likely = _likely_sums(whole, codes, rounded=step > 1)
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
            inside = (below <= own + (step > 1) * step).all(axis=1) & below.any(axis=1)
            n_parts = _parts_in(own, below[inside], step)
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


def _likely_sums(whole: FloatArray, codes: Sequence[str], *, rounded: bool) -> BoolArray:
    """Return which ends may be sums, shape (n_ends,): of many, only large ones and unusual codes.

    Args:
        whole: shape (n_ends,), the flows of each.
        codes: their codes.
        rounded: numbers are rounded, which takes longer to compare.
    """
    lengths = np.array([len(code) for code in codes])
    enough = whole >= _MIN_TOTAL
    if len(codes) <= (_FEW_ROUNDED if rounded else _FEW_ENDS):
        return np.asarray(enough, dtype=np.bool_)
    unusual = lengths != np.bincount(lengths).argmax()
    n_large = _MOST_ROUNDED if rounded else round(_LARGE * len(codes))
    likely = (whole >= np.sort(whole)[-n_large]) | (unusual & (not rounded))
    return np.asarray(enough & likely, dtype=np.bool_)


def _parts_in(total: FloatArray, rows: FloatArray, step: float) -> int:
    """Return how many of some rows add up to a total; 0 where none do or it may be chance.

    Numbers may be rounded to multiples of `step`. Small parts may be unpublished, so that the rest
    is less than the total in some columns. By chance, a sum is equal to a number of this size with
    a probability of about one over the number, for each of the subsets of the rows.
    """
    n_rows, n_columns = rows.shape
    if not 1 <= n_rows <= min(n_columns, _MOST_PARTS):
        return 0
    if rows.sum() < _MIN_PUBLISHED * total.sum():
        return 0
    ways = (equal_shares, _bounded_shares) if n_rows <= _MOST_BOUNDED else (equal_shares,)
    return next((n for way in ways if (n := _checked(total, rows, way(total, rows), step))), 0)


def _checked(total: FloatArray, rows: FloatArray, shares: FloatArray, step: float) -> int:
    """Return how many rows have a share of more than a half; 0 where they are not the total."""
    chosen = shares > _HALF
    n_parts = int(chosen.sum())
    if not n_parts:
        return 0
    left = total - rows[chosen].sum(axis=0)
    slack = step * (n_parts + 1) / 2 if step > 1 else 0.0
    most = (1 - _MIN_PUBLISHED) * total.sum() + slack * len(total)
    if (left < -slack).any() or left.sum() > most:
        return 0
    evidence = np.log10((total + 1) / (2 * slack + 1)).clip(min=0)[np.abs(left) <= slack].sum()
    return n_parts if evidence - _TWO * len(rows) > _SURE else 0


def _bounded_shares(total: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the shares of the rows, between 0 and 1, that are nearest to a total.

    They are known even where numbers are rounded or some parts are unpublished.
    """
    from scipy.optimize import lsq_linear

    scale = np.sqrt(total + 1)
    solution = lsq_linear((rows / scale).T, total / scale, bounds=(0, 1)).x
    return np.asarray(solution, dtype=np.float64)


def _separate_lists(
    trips: FloatArray, listed: BoolArray, starts: Sequence[str], ends: Sequence[str]
) -> FlowTotals:
    """Return the codes of all but the longest of several lists of flows with equal sums.

    An example is a file with flows between countries, flows between regions and one flow of the
    whole world. No flow goes from a code of one list to a code of another.
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
