"""The privacy loss that outputs alone show is never larger than claimed.

The event is that every cell that the person changes has moved at least that far in the same
direction. For two-sided geometric noise, its probabilities have exactly the claimed ratio. It is
fixed beforehand, counted on independent runs of two neighbouring tables, and bounded by Clopper
and Pearson.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta
from support.strategies import regions_of

from hierdp_core.hierarchy import Hierarchy
from hierdp_core.mechanisms import MECHANISMS
from hierdp_core.mechanisms.flow_queries import Records
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import plan
from hierdp_core.tables import Counts, GroupSizes

RUNS = 100_000
# Both bounds hold together except for one seed in a billion. Seeds are fixed.
ALPHA = 1e-9
TREE = Hierarchy(parent=np.array([-1, 0, 0, 1, 2]), level_start=np.array([0, 1, 3, 5]))


def neighbours(kind):
    if kind == "counts":
        return tuple(Counts.from_leaves(regions_of(TREE), leaves) for leaves in ([3, 5], [4, 5]))
    return tuple(
        GroupSizes.from_leaves(regions_of(TREE), [first, [0, 2, 1]])
        for first in ([2, 3, 1], [1, 4, 1])
    )


def as_one(measured):
    """Return all noisy measurements as one array, by level or not."""
    if isinstance(measured, np.ndarray):
        return measured
    return np.concatenate([level for level in measured.levels if level is not None])


class NoNoise:
    def draw(self, event, shape, cells=None):
        return np.zeros(shape, dtype=np.int64)


def exact_answers(mechanism, made, table):
    return as_one(mechanism.measure(table.values, made, NoNoise()))


def epsilon_lower_bound(id, kind, scale_factor=1):
    """Return the ε that outputs of `id` at ε = 1 show if its noise is scaled by `scale_factor`."""
    before, after = neighbours(kind)
    made = plan(before, id, epsilon=Fraction(1) / scale_factor)
    mechanism = made.mechanism
    answers = [exact_answers(mechanism, made, table) for table in (before, after)]
    way = np.sign(answers[1] - answers[0])[..., None]

    def hits(table, seed):
        stacked = np.repeat(table.values[..., None], RUNS, axis=-1)
        noisy = as_one(mechanism.measure(stacked, made, SeededNoise(seed)))
        towards = way * (noisy - answers[0][..., None]) >= (way != 0)
        return int(towards.reshape(-1, RUNS).all(axis=0).sum())

    with_person, without = hits(after, 1), hits(before, 2)
    least = beta.ppf(ALPHA / 2, with_person, RUNS - with_person + 1)
    most = beta.isf(ALPHA / 2, without + 1, RUNS - without)
    return float(np.log(least / most))


# Mechanisms for flows are tested in test_flow_mechanisms.py and test_leaf_noise.py.
CASES = [
    (id, kind) for id, m in MECHANISMS.items() for kind in m.kinds if not issubclass(m, Records)
]


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_no_mechanism_loses_more_than_it_claims(id, kind):
    found = epsilon_lower_bound(id, kind)
    # The bound is close to the claim: an audit that finds almost nothing proves almost nothing.
    assert 0.6 < found <= 1


@pytest.mark.parametrize(("id", "kind"), CASES)
def test_noise_of_half_the_scale_is_detected(id, kind):
    assert epsilon_lower_bound(id, kind, scale_factor=Fraction(1, 2)) > 1
