"""Count-of-counts: time against the maximum size K and against the number of groups.

    .venv/bin/pytest tests/benchmarks/test_count_of_counts_growth.py -n0 -s

Work follows the sizes, not the groups: near-linear in K, flat in groups.
"""

from time import perf_counter

import numpy as np
import pytest

from hierdp_core import samples
from hierdp_core.hierarchy import Hierarchy, Regions
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import GroupSizes

STATES, COUNTIES = 10, 10  # of each state
NATIONAL_BAR_SECONDS = 60


def made_table(largest, groups):
    """A nation of 100 counties with groups of most sizes, the small ones the most."""
    tree = Hierarchy(
        parent=np.concatenate([[-1], np.zeros(STATES, int), 1 + np.arange(100) // COUNTIES]),
        level_start=np.array([0, 1, 1 + STATES, 1 + STATES + 100]),
    )
    codes = tuple(f"r{i}" for i in range(tree.n_nodes))
    regions = Regions(
        tree=tree,
        levels=("nation", "state", "county"),
        ids=codes,
        names=codes,
        padded=np.zeros(tree.n_nodes, dtype=bool),
    )
    share = 1 / np.sqrt(np.arange(10, largest + 11))  # flat enough that most sizes occur
    leaves = np.floor(groups / 100 * share / share.sum()).astype(np.int64)
    leaves[0] += groups // 100 - leaves.sum()
    return GroupSizes.from_leaves(regions, np.tile(leaves, (100, 1)))


def seconds_of(table):
    made = plan(table, "coc", epsilon=1)
    simulate(table, made)
    times = []
    for _ in range(3):
        started = perf_counter()
        released = simulate(table, made)
        times.append(perf_counter() - started)
    assert released.checks.consistent
    assert released.checks.keeps_invariants
    return min(times)


def test_growth_with_the_cap_and_with_groups():
    by_cap = {k: seconds_of(made_table(k, 10**7)) for k in (10**3, 10**4, 10**5)}
    by_groups = {g: seconds_of(made_table(10**3, g)) for g in (10**6, 10**7, 10**8)}
    print()
    for cap, seconds in by_cap.items():
        print(f"K = {cap:>7,}: {seconds:6.2f} s, {1e6 * seconds / cap:.0f} µs a size")
    for groups, seconds in by_groups.items():
        print(f"groups = {groups:>11,}: {seconds:6.3f} s")
    # A hundred times the sizes in less than four hundred times the time; a hundred times
    # the groups in less than three times.
    assert by_cap[10**5] < 400 * by_cap[10**3]
    assert by_groups[10**8] < 3 * by_groups[10**6]


@pytest.mark.parametrize("methods", ["hc"])
def test_the_national_table(methods):
    table = samples.load("us-households-national").table
    made = plan(table, f"coc: methods={methods}", epsilon=1)
    simulate(table, made)
    started = perf_counter()
    released = simulate(table, made)
    seconds = perf_counter() - started
    print(f"\nus-households-national, {methods}: {seconds:.2f} s")
    assert released.checks.keeps_invariants
    assert seconds < NATIONAL_BAR_SECONDS
