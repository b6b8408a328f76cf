"""Time and memory for the United States by block: a table in parts against one in memory.

pytest -n0 tests/benchmarks/test_parts_speed.py -s
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from hierdp_core import samples
from hierdp_core.hierarchy import Hierarchy
from hierdp_core.scale import PartitionedTable, write_us_blocks
from hierdp_core.util.arrays import IntArray

LIMIT = 1.2e9  # bytes of the whole process, one part at a time
LIMIT_BY_SIZE = 2e9  # with 16 sizes an area, 135 million numbers
N_SIZES = 16

SCRIPT = """
import sys
import hierdp_core as hdp
from hierdp_core.scale import PartitionedTable, simulate_parts

parts = PartitionedTable.open(sys.argv[1])
simulate_parts(parts, sys.argv[2], sys.argv[3], budget=hdp.Budget.pure(1.0), workers=1)
with open("/proc/self/status") as status:
    facts = dict(line.split(":", 1) for line in status)
print(1024 * int(facts["VmHWM"].split()[0]))
"""


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_us_blocks(tmp_path_factory.mktemp("scale") / "blocks").folder


@pytest.mark.parametrize("id", ["hay", "inftda", "topdown", "tree-dp"])
def test_blocks_in_parts_keep_to_little_memory(id: str, blocks: Path, tmp_path: Path) -> None:
    assert peak_of(blocks, id, tmp_path) < LIMIT


@pytest.fixture(scope="module")
def sizes(blocks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scale") / "sizes"
    return with_sizes(PartitionedTable.open(blocks), folder).folder


@pytest.mark.parametrize("id", ["pgsr-h-dp", "pgsr-c-dp"])
def test_sixteen_sizes_are_solved_one_at_a_time(id: str, sizes: Path, tmp_path: Path) -> None:
    assert peak_of(sizes, id, tmp_path) < LIMIT_BY_SIZE


def peak_of(table: Path, id: str, folder: Path) -> int:
    """Simulate a table in a process of its own, print its seconds, and return its peak memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(table), id, str(folder / "out")],
        check=True,
        capture_output=True,
        text=True,
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    peak = int(done.stdout)
    print(
        f"\n{id}: {time.monotonic() - start:.1f} s, {used:.1f} s of processor time, "
        f"{peak / 1e9:.2f} GB"
    )
    return peak


def with_sizes(blocks: PartitionedTable, folder: Path) -> PartitionedTable:
    """Write a table of households by size for the areas of another, two for five people."""
    shares = np.array([0, 28, 35, 15, 12, 6, 2.5, 1, *(0.5 / 2**k for k in range(8))])

    def parts() -> Iterator[tuple[Hierarchy, Sequence[str], IntArray]]:
        for info in blocks.parts:
            part = blocks.read(info.number)
            households = part.values[part.tree.leaves] * 2 // 5
            rng = np.random.default_rng([7, info.number])
            yield part.tree, part.ids, rng.multinomial(households, shares / shares.sum())

    return PartitionedTable.write(
        folder,
        upper=blocks.upper,
        levels=blocks.levels,
        kind="group-sizes",
        n_columns=N_SIZES,
        parts=parts(),
        labels=dict(samples.load("us-households").table.labels),
    )
