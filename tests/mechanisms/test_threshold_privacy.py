"""The (ε, δ) of the stability histogram, from the exact distribution of all outcomes.

What `measure` releases is determined for every noisy number of the exact table. With the exact
distribution of the noise, this gives the distribution of every cell. Outcomes are joined if the two
tables give them probabilities in the same ratio. The sums over all outcomes are therefore finite,
and nothing is cut off.
"""

import math
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sabotage
from support.examples import examples
from support.strategies import regions_of, small_trees
from support.thresholds import at_least, chance_to_show

from hierdp_core.mechanisms.leaf_noise import StabilityHistogram
from hierdp_core.privacy import event_delta, event_epsilon
from hierdp_core.simulation import plan
from hierdp_core.tables import Flows

PLACES = regions_of(list(small_trees())[2])
CELLS = 4
FAR = 10**6


class Chosen:
    """Noise that makes every noisy number the same."""

    def __init__(self, number, exact):
        self.number, self.exact = number, exact

    def draw(self, event, shape, cells=None):
        assert shape == self.exact.shape
        return self.number - self.exact


def flows(trips):
    """A table with the given numbers of trips in four cells."""
    cells = np.arange(CELLS)
    return Flows.from_pairs(PLACES, PLACES, cells // 2, cells % 2, trips)


def kept_numbers(table, made, numbers):
    """Which of `numbers` `measure` releases, for each cell: shape (cells, numbers)."""
    kept = np.zeros((CELLS, len(numbers)), dtype=bool)
    for k, number in enumerate(numbers):
        pairs = StabilityHistogram().measure(table.pairs, made, Chosen(number, table.values))
        kept[2 * pairs.origin + pairs.destination, k] = True
        assert (pairs.values == number).all()
    return kept


def law(exact, event, kept, numbers):
    """The distribution of one cell: hidden, then each of `numbers`, the first and last as tails.

    Args:
        kept: shape (numbers,), whether the cell is released at each.
        numbers: consecutive. The first includes all below it, and the last all above it. No exact
            number is above the last.
    """
    if exact == 0:
        return np.array([1.0] + [0.0] * len(numbers))
    q = math.exp(-1 / float(event.scale))
    each = (1 - q) / (1 + q) * q ** np.abs(np.subtract(numbers, exact, dtype=float))
    each[0], each[-1] = at_least(event, exact - numbers[0]), at_least(event, numbers[-1] - exact)
    return np.array([each[~kept].sum(), *np.where(kept, each, 0)])


def largest_delta(one, other, made):
    """The smallest δ at the event's ε in both directions, over all sets of outcomes."""
    (event,) = made.events
    least = math.ceil(event.threshold)
    top = max(least, *one, *other) + 2
    numbers = range(least - 3, top + 1)
    tables = flows(one), flows(other)
    kept = [kept_numbers(table, made, numbers) for table in tables]
    # Beyond the window, everything is as at its ends.
    for table, inside in zip(tables, kept, strict=True):
        ends = kept_numbers(table, made, (-FAR, FAR))
        assert (ends == inside[:, [0, -1]]).all()
    laws = [
        [law(exact, event, row, numbers) for exact, row in zip(cells, rows, strict=True)]
        for cells, rows in zip((one, other), kept, strict=True)
    ]
    differing = [c for c in range(CELLS) if one[c] != other[c]]
    if not differing:
        return 0
    cells = [_joined(*(side[c] for side in laws)) for c in differing]
    p, q = (reduce(np.multiply.outer, side, np.array(1.0)) for side in zip(*cells, strict=True))
    factor = math.exp(event_epsilon(event))
    return max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum())


def _joined(p, q):
    """The outcomes of one cell, joined if both tables give them in the same ratio."""
    seen = (p > 0) | (q > 0)
    ratio = np.round(np.arctan2(p[seen], q[seen]), 12)
    _, groups = np.unique(ratio, return_inverse=True)
    return np.bincount(groups, p[seen]), np.bincount(groups, q[seen])


@st.composite
def neighbours(draw):
    """(options, budget, one table's trips by cell, its neighbour's): small or near a threshold."""
    m, distinct = draw(st.integers(1, 3)), draw(st.sampled_from(["no", "yes"]))
    bounded = draw(st.booleans())
    options = {
        "neighbours": "bounded" if bounded else "unbounded",
        "trips": m,
        "distinct": distinct,
    }
    budget = {
        "epsilon": round(10 ** draw(st.floats(-2, 1)), 4),
        "delta": draw(st.sampled_from([1e-6, 1e-3, 0.05, 0.3, 0.7, 0.99])),
    }
    (event,) = plan(flows([1] * CELLS), "stability-histogram", options=options, **budget).events
    near = max(0, math.ceil(event.threshold) - m)
    others = draw(
        st.lists(st.sampled_from([0, 0, 1, near, near + 1]), min_size=CELLS, max_size=CELLS)
    )
    n = draw(st.integers(1, m))
    record = st.lists(
        st.integers(0, CELLS - 1), min_size=n, max_size=n, unique=distinct == "yes"
    ).map(lambda own: np.bincount(own, minlength=CELLS))
    one, other = draw(record), draw(record) if bounded else 0
    return options, budget, (one + others).tolist(), (other + np.array(others)).tolist()


@settings(max_examples=examples(150))
@given(case=neighbours())
def test_no_set_of_outcomes_distinguishes_neighbours_more_than_is_claimed(case):
    options, budget, one, other = case
    made = plan(flows(one), "stability-histogram", options=options, **budget)
    (event,) = made.events
    found = largest_delta(one, other, made)
    assert found <= event_delta(event) * (1 + 1e-9) + 1e-12
    # As argued in `threshold_delta`: δ is that of the cells of one side alone.
    shows = [
        1 - math.prod(1 - chance_to_show(event, a) for a, b in cells if a and not b)
        for cells in (zip(one, other, strict=True), zip(other, one, strict=True))
    ]
    assert found <= max(shows) + 1e-12


def test_the_delta_of_a_single_cell_is_attained():
    """The exact computation is not too low: a cell of one record appears with probability δ."""
    made = plan(
        flows([1, 0, 0, 0]),
        "stability-histogram",
        epsilon=1,
        delta=0.05,
        options={"neighbours": "unbounded"},
    )
    (event,) = made.events
    found = largest_delta([1, 0, 0, 0], [0, 0, 0, 0], made)
    assert found == pytest.approx(chance_to_show(event, 1), rel=1e-9)
    assert found == pytest.approx(event_delta(event), rel=1e-6)


def test_a_histogram_that_selects_by_exact_flows_is_detected(monkeypatch):
    made = plan(flows([1] * 4), "stability-histogram", epsilon=1, delta=0.05)
    (event,) = made.events
    at = math.ceil(event.threshold)
    one, other = [at, 5, 0, 0], [at - 1, 6, 0, 0]
    assert largest_delta(one, other, made) <= event_delta(event)
    sabotage.kept_by_exact_flow(monkeypatch)
    assert largest_delta(one, other, made) > event_delta(event)
