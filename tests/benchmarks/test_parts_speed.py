"""The whole country by block: seconds and memory in parts, beside the same in memory.

pytest -n0 tests/benchmarks/test_parts_speed.py -s
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hierdp_core.scale import write_us_blocks

LIMIT = 1.2e9  # bytes of the whole process, one part at a time

SCRIPT = """
import sys
import hierdp_core as hdp
from hierdp_core.scale import PartitionedTable, simulate_parts

parts = PartitionedTable.open(sys.argv[1])
simulate_parts(parts, sys.argv[2], sys.argv[3], budget=hdp.Budget.pure(1.0), workers=1)
"""


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_us_blocks(tmp_path_factory.mktemp("scale") / "blocks").folder


@pytest.mark.parametrize("id", ["hay", "inftda", "topdown", "tree-dp"])
def test_blocks_in_parts_keep_to_little_memory(id: str, blocks: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    start = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(blocks), id, str(tmp_path / "out")], check=True
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"\n{id}: {time.monotonic() - start:.1f} s, {used.ru_utime - before:.1f} s of processor "
        f"time, at most {used.ru_maxrss / 1e6:.2f} GB so far"
    )
    assert used.ru_maxrss * 1024 < LIMIT
