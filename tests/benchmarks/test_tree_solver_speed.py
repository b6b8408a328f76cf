"""The tree solver against sampling the same noise, by shape, size, budget and weights.

    .venv/bin/pytest tests/benchmarks/test_tree_solver_speed.py -n0 -s

Noise is two vectorised `Generator.geometric` calls a node, warm, on one thread. Both sides are CPU
seconds of this process, the least of as many turns at every size, taken one after the other. Adding
the noise to the counts belongs to neither. Growth is the exponent between the smallest and the
largest of a family of trees.
"""

import os
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from hierdp_core.hierarchy import Hierarchy, sum_up
from hierdp_core.solvers.tree_program import solve_tree_program

MOST_NOISE = 10
MOST_EXPONENT = 1.1
BINARY_SECONDS = 0.1
MOST_BYTES = 120

SHAPES = {
    "3 levels": {n: (n // 100, 100) for n in (10**4, 10**5, 10**6, 10**7)},
    "8 levels": {10**4: (4,) * 5 + (3, 3), 10**5: (5,) * 6 + (6,), 10**6: (7,) * 6 + (8,)}
    | {10**7: (10,) * 7},
    "17 levels": {2**16: (2,) * 16, 6 * 2**16: (2,) * 15 + (12,)} | {2**20: (2,) * 12 + (4,) * 4},
    "families of 2": {n: (n // 2, 2) for n in (10**4, 10**5, 10**6)},
    "families of 10⁵": {n: (n // 10**5, 10**5) for n in (2 * 10**5, 10**6, 10**7)},
}


def even_tree(sizes):
    """Every region of a level with as many parts: `sizes` from the root down."""
    parent, starts = [np.array([-1])], [0, 1]
    for size in sizes:
        parent.append(np.repeat(np.arange(starts[-2], starts[-1]), size))
        starts.append(starts[-1] + len(parent[-1]))
    return Hierarchy(parent=np.concatenate(parent), level_start=np.array(starts))


def measure(tree, *, epsilon, mean, weights=None, n_sizes=1, total=False, turns=5):
    """CPU seconds of the noise and of the solver; the noise is that of an even allocation."""
    rng, p = np.random.default_rng(1), -np.expm1(-epsilon / tree.n_levels)
    true = sum_up(tree, rng.poisson(mean, (tree.n_leaves, n_sizes)).astype(np.int64))
    weights = np.ones(tree.n_levels) if weights is None else np.array(weights)
    known = int(true[0].sum()) if total else None
    best = [np.inf, np.inf]
    for turn in range(turns + 1):
        started = process_time()
        noise = rng.geometric(p, true.shape) - rng.geometric(p, true.shape)
        drawn = process_time()
        targets = true + noise
        added = process_time()
        solve_tree_program(tree, targets, weights, total=known)
        seconds = drawn - started, process_time() - added
        if turn:  # the first one warms up
            best = [min(pair) for pair in zip(best, seconds, strict=True)]
    return best


def show(name, cells, noise, solve):
    print(
        f"{name:36} {cells:>10,} numbers: noise {noise / cells * 1e9:5.1f} ns, "
        f"solver {solve / cells * 1e9:6.1f} ns a number, {solve:7.3f} s, ratio {solve / noise:5.1f}"
    )


@pytest.mark.parametrize("mean", [0.3, 1_000], ids=["sparse", "dense"])
@pytest.mark.parametrize("epsilon", [0.01, 1, 10])
@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_tree_and_no_faster(shape, epsilon, mean):
    print()
    seconds, ratios = {}, []
    for leaves, sizes in SHAPES[shape].items():
        if leaves == 10**7 and (epsilon != 1 or mean > 1) and shape != "families of 10⁵":
            continue  # minutes, and nothing new
        tree = even_tree(sizes)
        noise, solve = measure(tree, epsilon=epsilon, mean=mean)
        show(f"{shape}, ε = {epsilon}, mean {mean}", tree.n_nodes, noise, solve)
        seconds[tree.n_nodes] = solve
        ratios.append(solve / noise)
    (few, short), (many, long) = min(seconds.items()), max(seconds.items())
    exponent = np.log(long / short) / np.log(many / few)
    print(f"exponent {exponent:.2f}, largest ratio {max(ratios):.1f}")
    if shape == "17 levels":
        assert seconds[2**17 - 1] < BINARY_SECONDS
    assert max(ratios) <= MOST_NOISE
    assert exponent <= MOST_EXPONENT


UNEVEN = {
    "whole, 10⁶ to 1": [1e6, 1, 1e6, 1, 1, 1e6, 1],
    "floats, weak above": [1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 1e-1, 1.3],
    "floats, strong above": [1e12, 1e9, 1e6, 1e4, 1e2, 1e1, 1.3],
    "the leaves alone": [0, 0, 0, 0, 0, 0, 1],
}


@pytest.mark.parametrize("name", UNEVEN)
def test_uneven_shares_are_no_slower(name):
    tree = even_tree((10,) * 6)
    noise, solve = measure(tree, epsilon=1, mean=1, weights=UNEVEN[name])
    print()
    show(name, tree.n_nodes, noise, solve)
    assert solve <= MOST_NOISE * noise


def test_a_binary_tree_of_strong_leaves():
    tree = even_tree((2,) * 16)
    noise, solve = measure(tree, epsilon=1, mean=1, weights=[1e-6] * 16 + [1.3])
    print()
    show("binary, leaves a million times stronger", tree.n_nodes, noise, solve)
    assert solve <= 5 * MOST_NOISE * noise  # every level lists every leaf


@pytest.mark.parametrize("epsilon", [0.1, 1, 10])
def test_many_sizes_with_a_public_total(epsilon):
    tree = even_tree((52, 60))
    noise, solve = measure(tree, epsilon=epsilon, mean=0.5, n_sizes=1_000, total=True)
    print()
    show(f"52 × 60 regions × 1,000 sizes, ε = {epsilon}", tree.n_nodes * 1_000, noise, solve)
    assert solve <= MOST_NOISE * noise


MEMORY = """
import ctypes, sys, threading
sys.path.insert(0, sys.argv[1])
import numpy as np
from test_tree_solver_speed import even_tree
from hierdp_core.hierarchy import sum_up
from hierdp_core.solvers.tree_program import solve_tree_program
solve_tree_program(even_tree((2, 2)), np.ones((7, 1), dtype=np.int64), np.ones(3))
tree = even_tree(eval(sys.argv[2]))
targets = sum_up(tree, np.random.default_rng(0).integers(-9, 10, (tree.n_leaves, 1)))
tree.child_start
def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096

def watch():
    while not done.wait(0.001):
        peak[0] = max(peak[0], resident())

ctypes.CDLL(None).malloc_trim(0)  # what others have freed would be counted as freed by the solver
before, peak, done = resident(), [resident()], threading.Event()
thread = threading.Thread(target=watch)
thread.start()
values = solve_tree_program(tree, targets, np.ones(tree.n_levels))
done.set()
thread.join()
print((peak[0] - before) / targets.size)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="reads /proc")
@pytest.mark.parametrize("sizes", [(10,) * 6, (1_000, 1_000), (2,) * 20])
def test_memory_is_so_many_bytes_a_number(sizes):
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(Path(__file__).parent), repr(sizes)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"},  # what is freed is given back
    )
    print(f"\n{len(sizes) + 1} levels: {float(done.stdout):.0f} bytes a number at the peak")
    assert float(done.stdout) <= MOST_BYTES


FIRST = """
import time
started, used = time.perf_counter(), time.process_time()
import hierdp_core as hdp
table = hdp.samples.load("us-population").table
plan = hdp.plan(table, "tree-dp", epsilon=1)
ready = time.perf_counter() - started
for _ in range(2):
    begun, cpu = time.perf_counter(), time.process_time()
    hdp.simulate(table, plan)
    print(time.perf_counter() - begun, time.process_time() - cpu)
"""


def test_the_first_result_after_an_installation(tmp_path):
    for cache in ("empty", "filled"):
        done = subprocess.run(
            [sys.executable, "-c", FIRST],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        )
        first, second = (tuple(map(float, row.split())) for row in done.stdout.splitlines())
        print(
            f"\n{cache} cache: the first result {first[0]:.2f} s ({first[1]:.2f} s of CPU), the "
            f"second {second[0]:.3f} s ({second[1]:.3f} s)"
        )
