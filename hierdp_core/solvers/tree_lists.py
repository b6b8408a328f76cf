# mypy: disable-error-code="no-untyped-def, untyped-decorator, call-overload"
"""The tree program in integers: sorted costs of the units near the price in fractions.

The v-th unit of a node of weight w costs w (v − ½ − ñ) at the node. In a region, the cost of the
v-th cheapest unit of its children is added. These are half the marginal costs of [A]. A region
lists only those units of its children whose costs lie within its window around the price in
fractions. Cheaper units are counted but not listed, and more expensive ones are left out. Costs are
relative to the price of the family, so that they are small numbers, and exact in floats if weights
are small integers.

Units of equal cost go to early children first.
"""

import numpy as np
from numba import njit

_FARTHEST = np.int64(2**62)
_NO_CAP = np.int64(2**60)
_FEW = 24
_HALF_UNIT = 16 / 12  # the square of four standard deviations of a uniform number in [−½, ½]
_BLOCK = 8
_MANY, _ALIKE = 256, 32
_ROUNDS = 60  # widenings by 4, which exceed any price of 53 bits
_WIDER = 4.0
SOLVED, NO_ROOM, LOST = 0, 1, 2
# Instead of the end of a list: no room, or costs that floats cannot tell apart.
_FULL, _ASTRAY = -1, -2
_MOST_STEPS = 1 << 22  # to the window; the prices in fractions are close to it

# Functions that only compiled code calls compile faster without wrappers for Python.
part = njit(
    cache=True, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
)


@part
def _units_at(column, a, b, step):
    """Count the units of leaves a:b up to step `step`, and those at that step.

    A leaf with target x has its v-th unit at step v − x. Return also the largest target of leaves
    without units, and the smallest of the others.
    """
    units, count, largest, least = np.int64(0), np.int64(0), -_FARTHEST, _FARTHEST
    for i in range(np.uint64(a), np.uint64(b)):  # never negative: such loops are vectorised
        x = column[i]
        inside = x + step >= 1
        units += x + step if inside else 0
        count += 1 if inside else 0
        least = min(least, x if inside else _FARTHEST)
        largest = max(largest, -_FARTHEST if inside else x)
    return units, count, largest, least


@part
def exact_product(a, b):
    """Return a × b, rounded, and the rounding error."""
    p = a * b
    c = 134217729.0 * a
    a1 = c - (c - a)
    a0 = a - a1
    c = 134217729.0 * b
    b1 = c - (c - b)
    b0 = b - b1
    return p, ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0


@part
def _relative(x, rest, weight, halves, less):
    """Return x + rest + weight × halves / 2 − less, rounded about once, whatever cancels."""
    high = np.float64(halves)
    p, e = exact_product(0.5 * weight, high)
    e += rest + 0.5 * weight * np.float64(halves - np.int64(high))
    s = x - less
    t = s - x
    e += (x - (s - t)) - (less + t)
    u = s + p
    t = u - s
    e += (s - (u - t)) + (p - t)
    return u + e


@part
def _sort_alike(cost, who, many, a, b, cost2, who2, many2):
    """Sort as `_sort` does, in two passes; return False, with no change, for too many costs."""
    known, ends = np.empty(_ALIKE), np.zeros(_ALIKE, dtype=np.int64)
    order, n = np.empty(_ALIKE, dtype=np.int64), 0
    for e in range(a, b):
        c, k = cost[e], 0
        while k < n and known[k] != c:
            k += 1
        if k == n:
            if n == _ALIKE:
                return False
            known[n] = c
            i = n
            while i > 0 and known[order[i - 1]] > c:
                order[i] = order[i - 1]
                i -= 1
            order[i] = n
            n += 1
        ends[k] += 1
        cost2[e] = k
    begin = a
    for k in order[:n]:
        ends[k], begin = begin, begin + ends[k]
    for e in range(a, b):
        which = np.int64(cost2[e])
        place = ends[which]
        who2[place], many2[place] = who[e], many[e]
        ends[which] += 1
    begin = a
    for k in order[:n]:
        for e in range(begin, ends[k]):
            cost[e], who[e], many[e] = known[k], who2[e], many2[e]
        begin = ends[k]
    return True


@part
def _sort(cost, who, many, a, b, cost2, who2, many2):
    """Sort entries a:b by cost, in a stable order.

    The entries of each child are already ascending. Few entries are sorted by insertion, more by
    merging runs. Many entries with few different costs, as with integer weights, are sorted by
    counting.
    """
    if b - a > _MANY and _sort_alike(cost, who, many, a, b, cost2, who2, many2):
        return
    block = b - a if b - a <= _FEW else _BLOCK
    i = a
    while i < b:
        for j in range(i + 1, min(i + block, b)):
            c, w, m = cost[j], who[j], many[j]
            k = j
            while k > i and cost[k - 1] > c:
                cost[k], who[k], many[k] = cost[k - 1], who[k - 1], many[k - 1]
                k -= 1
            cost[k], who[k], many[k] = c, w, m
        i += block
    runs = 2 if b - a > _FEW else 1
    while runs > 1:
        i, runs = a, 0
        while i < b:
            middle = i + 1
            while middle < b and cost[middle - 1] <= cost[middle]:
                middle += 1
            end = middle + 1
            while end < b and cost[end - 1] <= cost[end]:
                end += 1
            runs += 1
            x, y, end = i, middle, min(end, b)
            for k in range(i, end if middle < b else i):
                if x < middle and (y >= end or cost[x] <= cost[y]):
                    cost2[k], who2[k], many2[k] = cost[x], who[x], many[x]
                    x += 1
                else:
                    cost2[k], who2[k], many2[k] = cost[y], who[y], many[y]
                    y += 1
            for k in range(i, end if middle < b else i):
                cost[k], who[k], many[k] = cost2[k], who2[k], many2[k]
            i = max(end, middle)


@part
def _put_run(cost, who, many, top, node, n, begin, own, window, below, limit):
    """List the units with costs begin + own × j, j = 1…n, in the window; count those below it.

    Return the new end of the entries (negative if there is none), how many units lie below the
    window, and whether the list ends before the units do. Costs are begin + own × j for each j if
    `own` is above 0, and all equal `begin` otherwise.
    """
    if own == 0.0:
        if begin < -window:
            return top, below + n, False
        if begin > window:
            return top, below, True
        if top >= len(cost):
            return _FULL, below, False
        cost[top], who[top], many[top] = begin, node, n
        return top + 1, below, False
    j, first = np.int64(1), np.int64(1)
    if begin + own < -window:
        j = np.int64(min(max(np.ceil((-window - begin) / own), 2.0), 4e18))
        j = first = min(j, n + 1)
        while begin + own * (j - 1) >= -window and first - j < _MOST_STEPS:
            j -= 1
        while j <= n and begin + own * j < -window and j - first < _MOST_STEPS:
            j += 1
        if abs(j - first) >= _MOST_STEPS:
            return _ASTRAY, below, False
    below += j - 1
    while j <= n:
        c = begin + own * j
        if c > window or top >= limit:
            return top, below, True
        if top >= len(cost):
            return _FULL, below, False
        cost[top], who[top], many[top] = c, node, 1
        top += 1
        j += 1
    return top, below, False


@part
def _list_of_leaves(column, a, b, node, leaf, own, y, above, window, cap, cost, who, many, top):
    """List the units of a region of leaves that lie within the window of the region above.

    Return the new end of the entries (negative if there is none) and how many units lie below the
    window.
    """
    target, limit = column[node], top + cap
    step = np.int64(min(max(np.floor(y / leaf + 0.5), -(2.0**52)), 2.0**52))
    units, count, largest, least = _units_at(column, a, b, step)
    # Unit v at step k costs base + leaf (k − first) + own (v − middle).
    first, middle = step, units
    last = step - _MOST_STEPS
    x, rest = exact_product(0.5 * leaf, np.float64(2 * step - 1))
    base = _relative(x, rest, own, 2 * (units - target) - 1, above)
    while units - count > 0 and (
        base + leaf * (step - 1 - first) + own * (units - count - middle) >= -window
    ):
        units -= count
        step -= 1
        if step == last:
            return _ASTRAY, units
        if least + step < 1:
            units, count, largest, least = _units_at(column, a, b, step)
    below = units - count
    for _ in range(_MOST_STEPS):
        if count > 0:
            begin = base + leaf * (step - first) + own * (units - count - middle)
            top, below, ended = _put_run(
                cost, who, many, top, node, count, begin, own, window, below, limit
            )
            if ended or top < 0:
                return top, below
        if count > 0 and largest + step < 0:
            step += 1
            units += count
        else:
            step = step + 1 if count > 0 else 1 - largest
            units, count, largest, least = _units_at(column, a, b, step)
    return _ASTRAY, below


@njit(cache=True, nogil=True, error_model="numpy")
def spreads(start, stop, child_start, level_start, weights, least, rate, spread):
    """Write into `spread` how far integer values may move the price of each region's children.

    This is four standard deviations. Rounding is assumed to change a value by up to half a unit,
    independently for each region, and the leaves of a region all in the same direction. The result
    is never below `least`, since costs are integers if weights are, and many units have equal
    costs. It has shape (n_sizes, n_upper), for regions whose children are not leaves, and is 0 if
    no leaf of the region is above zero.
    """
    n_levels = len(weights)
    for s in range(start, stop):
        for level in range(n_levels - 3, -1, -1):
            own = weights[level + 1]
            for node in range(level_start[level], level_start[level + 1]):
                square = 0.0
                for child in range(child_start[node], child_start[node + 1]):
                    pace = rate[s, child]
                    if pace > 0.0:
                        if level < n_levels - 3:
                            off = spread[s, child]
                        else:
                            off = 0.5 / pace + 0.5 * weights[n_levels - 1]
                        off *= pace / (1.0 + own * pace)
                        square += off * off + _HALF_UNIT
                here = rate[s, node]
                spread[s, node] = 0.0
                if here > 0.0:
                    spread[s, node] = max((0.5 + np.sqrt(square)) / here, least)


@part
def _cap(cap, half, own, rate):
    """Return the largest number of units of a child to list, given its region's cap and window."""
    if rate > 0.0:
        return _NO_CAP
    # No leaf is above zero: the j-th unit costs (j − ½) × own or more.
    return min(cap, np.int64(min(half / own + 1.5, 2.0**60)))


@part
def _list_subtree(
    head, head_level, is_listed, above, window, head_cap, column, parent, child_start, weights,
    price, rate, spread, edges, half, cap, below, end, least, most, low, high,
    cost, who, many, cost2, who2, many2,
):  # fmt: skip
    """List the units of the regions below `head`, and those of `head` only if `is_listed`.

    Those of `head` are listed within `window` around the price `above`. Return SOLVED, NO_ROOM, or
    LOST if floats cannot tell the costs apart.
    """
    n_levels = len(weights)
    families = n_levels - 2
    a, b = head, head + 1
    for level in range(head_level, n_levels - 1):
        edges[level, 0], edges[level, 1] = a, b
        own = weights[level + 1]
        if level < families - 1:
            # A window for what the parent needs and for the children's own rounding.
            for node in range(a, b):
                for child in range(child_start[node], child_start[node + 1]):
                    half[child] = spread[child] + half[node] / (1.0 + own * rate[child])
                    cap[child] = _cap(cap[node], half[node], own, rate[child])
        a, b = child_start[a], child_start[b]
    top = np.int64(0)
    for level in range(families, head_level - 1, -1):
        own = weights[level]
        edges[level, 2] = top
        previous = edges[level + 1, 2]
        for node in range(edges[level, 0], edges[level, 1]):
            middle, reach, limit = above, window, head_cap
            if node != head:
                middle, reach = price[parent[node]], half[parent[node]]
                limit = _cap(cap[parent[node]], reach, own, rate[node])
            a, b = child_start[node], child_start[node + 1]
            if level == families:
                if node != head or is_listed:
                    top, below[node] = _list_of_leaves(
                        column, a, b, node, weights[level + 1], own, price[node], middle, reach,
                        limit, cost, who, many, top,
                    )  # fmt: skip
                    if top < 0:
                        return NO_ROOM if top == _FULL else LOST
                end[node] = top
                continue
            floor, ceiling, units = -half[node], half[node], np.int64(0)
            for child in range(a, b):
                units += below[child]
                if level < families - 1:
                    floor, ceiling = max(floor, low[child]), min(ceiling, high[child])
            i, stop = previous, end[b - 1]
            previous = stop
            _sort(cost, who, many, i, stop, cost2, who2, many2)
            while i < stop and cost[i] < floor:
                units += many[i]
                i += 1
            least[node] = units
            first = i
            while i < stop and cost[i] <= ceiling:
                units += many[i]
                i += 1
            most[node] = units
            below[node], end[node] = 0, top
            if node == head and not is_listed:
                if floor > ceiling:
                    least[node], most[node] = 1, 0
                continue
            base = _relative(price[node], 0.0, own, 2 * (least[node] - column[node]) - 1, middle)
            if floor > ceiling:  # no price at which all children are known
                least[node], most[node] = 1, 0
                low[node], high[node] = floor + base, ceiling + base
                continue
            low[node] = floor + base if least[node] > 0 else -np.inf
            high[node] = ceiling + base + own * (units - least[node] + 1)
            units, under, limit = least[node], least[node], top + limit
            for e in range(first, i):
                here = cost[e] + base + own * (units - least[node])
                top, under, ended = _put_run(
                    cost, who, many, top, node, np.int64(many[e]), here, own, reach, under, limit
                )
                if top < 0:
                    return NO_ROOM if top == _FULL else LOST
                if ended:
                    break
                units += many[e]
            below[node], end[node] = under, top
    return SOLVED


@part
def _split_leaves(column, values, a, b, step, value):
    """Give leaves a:b the `value` cheapest units; the search begins at `step`."""
    units, count, largest, _ = _units_at(column, a, b, step)
    while units < value or units - count >= value:
        if units >= value:
            step -= (units - value) // count
        elif count > 0:
            step += (value - units + count - 1) // count
        else:
            step = 1 - largest
        units, count, largest, _ = _units_at(column, a, b, step)
    spare, i = value - (units - count), a
    while spare > 0 and i < b:
        end = min(i + spare, b)  # these leaves take at most the units that are left
        for j in range(np.uint64(i), np.uint64(end)):
            x = column[j] + step
            spare -= 1 if x >= 1 else 0
            values[j] = max(x, 0)
        i = end
    for j in range(np.uint64(i), np.uint64(b)):
        values[j] = max(column[j] + step - 1, 0)


@part
def _hand_down(
    head_level, column, child_start, weights, price, edges,
    below, end, least, most, who, many, values, lost, n_lost,
):  # fmt: skip
    """Split the values of all listed regions; those outside their lists go to `lost`."""
    n_levels = len(weights)
    leaf = weights[n_levels - 1]
    for level in range(head_level, n_levels - 1):
        e = edges[level + 1, 2]
        for node in range(edges[level, 0], edges[level, 1]):
            a, b = child_start[node], child_start[node + 1]
            rest = values[node]
            if rest <= 0:
                for child in range(a, b):
                    values[child] = rest  # none, or not known yet
            elif level == n_levels - 2:
                step = min(max(np.floor(price[node] / leaf + 0.5), -(2.0**52)), 2.0**52)
                _split_leaves(column, values, a, b, np.int64(step), rest)
            elif rest < least[node] or rest > most[node]:
                lost[n_lost] = node
                n_lost += 1
                for child in range(a, b):
                    values[child] = -1
            else:
                for child in range(a, b):
                    values[child] = below[child]
                    rest -= below[child]
                while rest > 0:
                    more = min(rest, np.int64(many[e]))
                    values[who[e]] += more
                    rest -= more
                    e += 1
            if level < n_levels - 2:
                e = end[b - 1]
    return n_lost


@njit(cache=True, nogil=True, error_model="numpy")
def settle(
    start, stop, columns, parent, child_start, level_start, weights, price, rate, spread,
    is_free, is_listing, above, window, values, edges, room, marks, spans, entries, places,
    out_ends, out_below, out_entries,
):  # fmt: skip
    """Find the integer values of all nodes, one size after another.

    Args:
        is_free: whether the root takes all units that lower the cost; else it takes
            `values[s, 0]` units.
        is_listing: whether to list the units of the root within `window` around the price `above`,
            and nothing else.

    Returns:
        SOLVED, NO_ROOM if larger arrays are needed, or LOST if no window was wide enough.
    """
    half, low, high = room[0], room[1], room[2]
    least, most, cap, lost = marks[0], marks[1], marks[2], marks[3]
    below, end = spans[0], spans[1]
    cost, cost2 = entries[0], entries[1]
    who, many, who2, many2 = places[0], places[1], places[2], places[3]
    n_levels = len(weights)
    out = np.int64(0)
    for s in range(start, stop):
        column, near, pace, reach, out_values = columns[s], price[s], rate[s], spread[s], values[s]
        lost[0], n_lost = 0, 1
        half[0] = reach[0] + window / (1.0 + weights[0] * pace[0])
        cap[0] = _cap(_NO_CAP, window, weights[0], pace[0]) if is_listing else _NO_CAP
        is_first = True
        while n_lost > 0:
            n_lost -= 1
            head = lost[n_lost]
            level = np.int64(0)
            while level_start[level + 1] <= head:
                level += 1
            if not is_first:
                half[head] *= _WIDER
                cap[head] = _NO_CAP if pace[head] > 0.0 else out_values[head]
            if half[head] == 0.0:
                half[head] = weights[n_levels - 1]
            is_root = is_first and (is_free or is_listing)
            is_settled = False
            for _ in range(_ROUNDS):
                listed = _list_subtree(
                    head, level, is_root, above, window, cap[head], column, parent,
                    child_start, weights, near, pace, reach, edges, half, cap, below,
                    end, least, most, low, high, cost, who, many, cost2, who2, many2,
                )  # fmt: skip
                if listed != SOLVED:
                    return listed
                if is_listing or level == n_levels - 2:
                    is_settled = True
                elif is_root:
                    is_settled = low[head] <= 0.0 <= high[head]
                else:
                    is_settled = least[head] <= out_values[head] <= most[head]
                if is_settled:
                    break
                # If lists of its children end early, widen the window by twice the gap in addition.
                short = 0.0
                if level < n_levels - 3:
                    for child in range(child_start[head], child_start[head + 1]):
                        short = max(short, half[head] + low[child], half[head] - high[child])
                half[head] = _WIDER * half[head] + 2.0 * short
            if not is_settled:
                return LOST
            is_first = False
            if is_listing:
                out_below[s, 0] = below[0]
                out_ends[s, 0], out_ends[s, 1] = -np.inf, np.inf
                if n_levels > 2:
                    out_ends[s, 0], out_ends[s, 1] = low[0], high[0]
                if out + end[0] - edges[0, 2] > len(out_entries):
                    return NO_ROOM
                for e in range(edges[0, 2], end[0]):
                    out_entries[out, 0], out_entries[out, 1] = cost[e], many[e]
                    out += 1
                out_below[s, 1] = out
            else:
                if is_root:
                    out_values[0] = below[0]
                n_lost = _hand_down(
                    level, column, child_start, weights, near, edges,
                    below, end, least, most, who, many, out_values, lost, n_lost,
                )  # fmt: skip
    return SOLVED
