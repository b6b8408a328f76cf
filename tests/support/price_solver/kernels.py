# mypy: disable-error-code="no-untyped-def, arg-type"
"""The compiled part of the tree program: one size after another, one column each.

All functions take the same arrays: `column`, the targets of one size, shape (n_nodes,);
`child_start`, `first_leaf`, `level_of` and `weights` of the tree; `ascending` and `suffix`,
every family's leaf targets in ascending order and their sums from there to the end;
`guess`, the value last met at each inner node, where the next search begins.

Prices are of one of the two kinds of `prices`. `cap` bounds the values: whoever would take
more counts as taking `cap`, which changes no value up to it. `most` is cap plus the largest
target and one: a leaf that goes so far above its target is at the cap, whatever the target.
Prices lie between `floor`, at which every subtree takes nothing, and `ceiling`, at which it
takes the cap.
"""

import numpy as np
from numba import njit

from support.price_solver.prices import (
    after,
    halfway,
    keep,
    less,
    moved,
    own_units,
    store,
    stored,
)

_MUCH = 2.0**60


@njit(cache=True, nogil=True)
def sort_families(
    start, stop, columns, child_start, first_leaf, level_of, weights, ascending, suffix
):
    n_leaves = columns.shape[1] - first_leaf
    for s in range(start, stop):
        ascending[s] = columns[s, first_leaf:]
        for node in range(first_leaf):
            a, b = child_start[node] - first_leaf, child_start[node + 1] - first_leaf
            if a >= 0:
                ascending[s, a:b].sort()
        suffix[s, n_leaves] = 0
        for i in range(n_leaves - 1, -1, -1):
            suffix[s, i] = suffix[s, i + 1] + ascending[s, i]


@njit(cache=True, nogil=True)
def _family_units(ascending, suffix, a, b, shift, cap):
    """Σ max(0, ñ + shift) over leaves a:b, which stand in ascending order."""
    low, high = a, b
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] + shift > 0:
            high = middle
        else:
            low = middle + 1
    active = b - low
    if active * float(shift) > _MUCH:
        return cap, active
    return min(suffix[low] - suffix[b] + active * shift, cap), active


# It calls itself, so its types are stated, in the order of its arguments.
_UNITS = [
    "Tuple((int64, float64))(int64, int64, " + price + ", int64, int64, int64[::1], int64[::1],"
    "int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"
    for price in ("int64", "UniTuple(int64, 2)")
]


@njit(_UNITS, cache=True, nogil=True)
def _units(
    node, weight, price, cap, most, column, child_start, first_leaf, level_of, weights, ascending,
    suffix, guess,
):  # fmt: skip
    """Units that the subtree of `node` takes at `price`, and how many more a price.

    With the node's own weight that is V_τ, with weight 0 it is V_φ: the children alone.
    The node's own v-th unit costs w(2(v − ñ) − 1), so the children may ask for what is left of
    the price: V is the largest v with V_φ(price − w(2(v − ñ) − 1)) ≥ v. The surplus of
    left over right falls by at least one a unit, which brackets V from any first look.
    """
    if node >= first_leaf:
        units = column[node] + min(own_units(price, weight), most)
        if units > 0:
            return min(units, cap), 0.5 / weight
        return 0, 0.0
    a, b = child_start[node], child_start[node + 1]
    below = weights[level_of[node] + 1]
    low, high = 0, cap
    v = guess[node]
    tries, rate = 0, 0.0
    while True:
        left = price
        if weight != 0:
            left = after(price, weight, 2 * (v - column[node]) - 1)
        units, rate = 0, 0.0
        if a >= first_leaf:
            shift = min(own_units(left, below), most)
            units, active = _family_units(
                ascending, suffix, a - first_leaf, b - first_leaf, shift, cap
            )
            rate = active / (2.0 * below)
        else:
            for child in range(a, b):
                more, faster = _units(
                    child, below, left, cap, most, column, child_start, first_leaf, level_of,
                    weights, ascending, suffix, guess,
                )  # fmt: skip
                units = min(units + more, cap)
                rate += faster
        if weight == 0:
            return units, rate
        surplus = units - v
        if surplus >= 0:
            low = max(low, v)
            high = min(high, v + surplus)
        else:
            low = max(low, v + surplus)
            high = min(high, v - 1)
        if low >= high:
            break
        tries += 1
        if tries > 6 and tries % 2:
            v = (low + high + 1) >> 1
        else:
            step = np.int64(np.floor(surplus / (1.0 + 2.0 * weight * rate)))
            v = min(max(v + step, low + 1), high)
    guess[node] = low
    return low, 0.0 if rate == 0.0 else 1.0 / (2.0 * weight + 1.0 / rate)


@njit(cache=True, nogil=True)
def supply(
    start, stop, columns, child_start, first_leaf, level_of, weights,
    ascending, suffix, guess, cap, most, price, out,
):  # fmt: skip
    for s in range(start, stop):
        out[s] = _units(
            0, weights[0], price, cap, most, columns[s], child_start, first_leaf, level_of,
            weights, ascending[s], suffix[s], guess[s],
        )[0]  # fmt: skip


@njit(cache=True, nogil=True)
def _price_of_family(
    node, wanted, price, floor, ceiling, cap, most, column, child_start, first_leaf, level_of,
    weights, ascending, suffix, guess,
):  # fmt: skip
    """The least price at which the children of `node` take `wanted` ≥ 1 units or more.

    The search begins at `price`, which lies between `floor` and `ceiling`.
    """
    known_low, known_high = False, False
    low, high, stride, tries = price, price, 1.0, 0
    while True:
        units, rate = _units(
            node, 0, price, cap, most, column, child_start, first_leaf, level_of, weights,
            ascending, suffix, guess,
        )  # fmt: skip
        excess = units - wanted
        if excess >= 0:
            high, known_high = price, True
        else:
            low, known_low = price, True
        step = 0.0
        if rate > 0.0:
            step = np.ceil(abs(excess) / rate)
        if known_low and known_high:
            first, last = moved(low, 1.0), moved(high, -1.0)
            if not less(first, high):
                return high
            tries += 1
            if rate == 0.0 or (tries > 4 and tries % 2):
                price = halfway(low, high)
            else:
                price = moved(price, -step if excess >= 0 else step)
        else:
            first, last = floor, ceiling
            step = max(stride, min(64.0 * stride, step))
            price = moved(price, -step if excess >= 0 else step)
            stride *= 2.0
        if less(price, first):
            price = first
        elif less(last, price):
            price = last


@njit(cache=True, nogil=True)
def hand_down(
    start, stop, columns, child_start, first_leaf, level_of, weights,
    ascending, suffix, guess, cap, most, floor, ceiling, values,
):  # fmt: skip
    """Split every node's value over its children, from the root down."""
    prices = store(floor, first_leaf)
    for s in range(start, stop):
        column = columns[s]
        for node in range(first_leaf):
            a, b = child_start[node], child_start[node + 1]
            wanted = values[s, node]
            if wanted == 0:
                values[s, a:b] = 0
                continue
            price = stored(prices, 0)
            if node > 0:
                # What the last unit left of the price above: where the children's price lies.
                own = 2 * (wanted - column[node]) - 1
                price = after(stored(prices, node), weights[level_of[node]], own)
                if less(price, floor):
                    price = floor
                elif less(ceiling, price):
                    price = ceiling
            price = _price_of_family(
                node, wanted, price, floor, ceiling, cap, most, column, child_start, first_leaf,
                level_of, weights, ascending[s], suffix[s], guess[s],
            )  # fmt: skip
            before = moved(price, -1.0)
            spare, below = wanted, weights[level_of[node] + 1]
            for child in range(a, b):
                values[s, child] = _units(
                    child, below, before, cap, most, column, child_start, first_leaf, level_of,
                    weights, ascending[s], suffix[s], guess[s],
                )[0]  # fmt: skip
                spare -= values[s, child]
                if child < first_leaf:
                    keep(prices, child, price)
            for child in range(a, b):
                if spare == 0:
                    break
                highest = _units(
                    child, below, price, cap, most, column, child_start, first_leaf, level_of,
                    weights, ascending[s], suffix[s], guess[s],
                )[0]  # fmt: skip
                more = min(spare, highest - values[s, child])
                values[s, child] += more
                spare -= more
