"""Work on threads: pieces side by side, and threads within a piece only where cores are free."""

from itertools import pairwise
from threading import get_ident

import numpy as np
import pytest

import hierdp_core as hdp
from hierdp_core.solvers.threads import in_chunks
from hierdp_core.util.parallel import all_cores_are_busy, cores, in_parallel

MANY = 10**6


def slices(_: int = 0) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    in_chunks(lambda start, stop: made.append((start, stop)), 1000, cells=MANY)
    return sorted(made)


def test_work_is_cut_where_cores_are_free() -> None:
    cut = slices()
    assert len(cut) > 1
    assert (cut[0][0], cut[-1][1]) == (0, 1000)
    assert all(stop == start for (_, stop), (start, _) in pairwise(cut))


def test_work_beside_other_work_on_all_cores_is_one_slice() -> None:
    together = in_parallel(slices, range(4 * cores()), workers=cores())
    assert together == [[(0, 1000)]] * (4 * cores())


@pytest.mark.skipif(cores() == 1, reason="one thread keeps the only core busy")
@pytest.mark.parametrize(("tasks", "workers"), [(1, None), (5, 1)])
def test_work_that_leaves_cores_free_is_cut(tasks: int, workers: int | None) -> None:
    assert all(len(cut) > 1 for cut in in_parallel(slices, range(tasks), workers=workers))


def test_the_caller_is_not_busy_afterwards() -> None:
    here = get_ident()
    assert here not in in_parallel(lambda _: get_ident(), range(2 * cores()))
    assert not all_cores_are_busy()


@pytest.mark.parametrize("id", ["pgsr-h-dp", "pgsr-c-opt"])
def test_simulations_are_the_same_alone_and_side_by_side(id: str) -> None:
    table = hdp.samples.load("us-households").table
    plan = hdp.plan(table, id, budget=hdp.Budget.pure(1), allocation=[1, 1, 1])

    def released(index: int) -> np.ndarray:
        return hdp.simulate(table, plan, seed=3, index=index).table.values

    for index, values in enumerate(in_parallel(released, range(2 * cores()))):
        np.testing.assert_array_equal(values, released(index))
