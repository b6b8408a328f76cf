"""A part whose root is settled at 0 is 0 throughout, as in memory."""

from pathlib import Path

import numpy as np
import pytest

from hierdp_core.exceptions import FileError
from hierdp_core.hierarchy import Regions
from hierdp_core.privacy import Budget
from hierdp_core.scale.partitioned import PartitionedTable
from hierdp_core.scale.simulating import simulate_parts
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Counts

STATES, COUNTIES = 6, 3


@pytest.mark.parametrize("mechanism", ["inftda", "tda-l2", "topdown"])
def test_parts_that_come_to_0_are_those_in_memory(mechanism: str, tmp_path: Path) -> None:
    parents: dict[str, str | None] = {"n": None}
    for s in range(STATES):
        parents[f"s{s}"] = "n"
        parents |= {f"c{s}{c}": f"s{s}" for c in range(COUNTIES)}
    regions = Regions.from_parents(parents, levels=("nation", "state", "county"))
    table = Counts.from_leaves(regions, [5, 4, 3] + [0] * (STATES - 1) * COUNTIES)
    parts = PartitionedTable.of(table, tmp_path / "parts", cut="state")
    simulated = simulate_parts(
        parts, mechanism, tmp_path / "out", budget=Budget.pure(2), seed=3, workers=1
    )
    values = simulate(table, plan(table, mechanism, epsilon=2), seed=3).table.values
    roots = values[regions.tree.level(1)]
    assert (roots == 0).sum() >= 2
    for number in range(STATES):
        below = values[regions.tree.leaves][number * COUNTIES : (number + 1) * COUNTIES]
        whole = np.append(roots[number], below)
        assert np.array_equal(simulated.values(number), whole)
    with pytest.raises(FileError, match=r"part-00099\.parquet is missing"):
        simulated.values(99)
