"""Draws as numbers a region, and the threads that make them."""

import threading

import numpy as np
import pytest
from support.strategies import regions_of

from hierdp_core.evaluation.released_counts import released_counts, true_counts
from hierdp_core.exceptions import ChoiceError, HierarchyError
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Counts, GroupSizes, by_region
from hierdp_core.util.parallel import in_parallel

TREE = Hierarchy(parent=np.array([-1, 0, 0]), level_start=np.array([0, 1, 3]))
TABLE = GroupSizes.from_leaves(regions_of(TREE), [[5, 20, 10], [8, 30, 9]])
PLAN = plan(TABLE, "pgsr-h-dp", epsilon=1)


def test_a_simulation_is_the_one_with_its_number():
    found = released_counts(TABLE, PLAN, "members", n_simulations=3, seed=5, first=2)
    expected = simulate(TABLE, PLAN, seed=5, index=4).table
    assert found.released[2].tolist() == by_region(expected, found.quantity).tolist()
    assert found.true.tolist() == by_region(TABLE, found.quantity).tolist()
    assert found.seconds > 0


def test_the_number_of_workers_changes_nothing():
    one, three = (
        released_counts(TABLE, PLAN, "occupied", n_simulations=7, workers=w) for w in (1, 3)
    )
    assert np.array_equal(one.released, three.released)


def test_parts_join_to_the_whole_and_a_gap_is_refused():
    whole = released_counts(TABLE, PLAN, "occupied", n_simulations=5)
    later = released_counts(TABLE, PLAN, "occupied", n_simulations=3, first=2)
    joined = released_counts(TABLE, PLAN, "occupied", n_simulations=2).joined(later)
    assert np.array_equal(joined.released, whole.released)
    assert np.array_equal(whole.head(2).joined(later).released, whole.released)
    with pytest.raises(ChoiceError, match="must be simulation 5; got simulation 2"):
        whole.joined(later)


def test_true_counts_need_no_simulations_and_take_them_up():
    truth = true_counts(TABLE, "members")
    drawn = released_counts(TABLE, PLAN, "members", n_simulations=2)
    assert truth.n == 0
    assert truth.of_level("region").true.tolist() == drawn.of_level("region").true.tolist()
    assert np.array_equal(truth.joined(drawn).released, drawn.released)


def test_cancel_keeps_the_simulations_that_are_done_even_when_there_are_none():
    seen = []
    some = released_counts(
        TABLE,
        PLAN,
        "occupied",
        n_simulations=400,
        workers=1,
        progress=lambda done, total: seen.append((done, total)),
        cancel=lambda: len(seen) >= 3,
    )
    assert 3 <= some.n <= 6
    assert seen[0] == (1, 400)
    none = released_counts(TABLE, PLAN, "occupied", n_simulations=4, cancel=lambda: True)
    assert none.n == 0
    assert none.released.shape == (0, 3)


@pytest.mark.parametrize(
    "wrong",
    [{"n_simulations": 0}, {"n_simulations": 1, "workers": 0}, {"n_simulations": 1, "first": -1}],
)
def test_impossible_numbers_are_refused(wrong):
    with pytest.raises(ChoiceError, match=r"At least one|must be at least 0; got -1"):
        released_counts(TABLE, PLAN, "occupied", **wrong)
    with pytest.raises(ChoiceError, match="seed"):
        released_counts(TABLE, PLAN, "occupied", n_simulations=1, seed=-1)
    with pytest.raises(ChoiceError, match='has no quantity "nothing"'):
        released_counts(TABLE, PLAN, "nothing", n_simulations=1)


def test_a_level_leaves_out_the_copies_of_ragged_trees():
    regions = Regions.from_parents(
        {"US": None, "GA": "US", "DC": "US", "Fulton": "GA"}, levels=("nation", "state", "county")
    )
    table = Counts.from_leaves(regions, [4, 9])
    draws = released_counts(table, plan(table, "tree-dp", epsilon=1), "count", n_simulations=2)
    counties, states = draws.of_level("county"), draws.of_level("state")
    assert counties.ids == ("Fulton",)
    assert counties.true.tolist() == [4]
    assert counties.released.shape == (2, 1)
    assert states.names == ("GA", "DC")
    assert states.nodes.tolist() == [1, 2]
    with pytest.raises(HierarchyError, match='no level "tract"'):
        draws.of_level("tract")


def test_threads_keep_the_order_and_hand_on_what_goes_wrong():
    last = threading.Event()

    def first_ends_last(k):
        if k == 4:
            last.set()
        assert k > 0 or last.wait(60)
        return k * k

    assert in_parallel(first_ends_last, range(5), workers=3) == [0, 1, 4, 9, 16]
    with pytest.raises(ZeroDivisionError):
        in_parallel(lambda k: 1 // k, range(3))


def test_no_more_threads_than_workers():
    running, most, lock = [0], [0], threading.Lock()
    both = threading.Barrier(2, timeout=60)

    def work(_):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        both.wait()
        with lock:
            running[0] -= 1

    in_parallel(work, range(12), workers=2)
    assert most[0] == 2
