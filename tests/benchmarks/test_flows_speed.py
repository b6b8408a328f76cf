"""Time of the mechanisms for flows by size of table, against a direct implementation.

`pytest -n0 -s tests/benchmarks/test_flows_speed.py` runs the small part; HIERDP_LARGE=1 adds
the five-level geography of 362,000 areas with 14 million flows (16 GB).
"""

import os
import resource
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from support.slow_families import step_by_step

from hierdp_core import mechanisms, samples
from hierdp_core.hierarchy import Hierarchy, Regions, leaf_ancestors
from hierdp_core.mechanisms import warm_up
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import plan, simulate
from hierdp_core.tables import Flows
from hierdp_core.tables.flow_tree import FlowTree

BUDGET = {"epsilon": 1, "delta": 1e-8}
SLOW_LEVELS = 7  # of the slow procedure; the rest is extrapolated by its nodes
AREAS = (1, 20, 110, 8_092, 60_000, 362_000)
LARGE = os.environ.get("HIERDP_LARGE") == "1"


def timed(table, **options):
    warm_up("inftda")
    made = plan(table, mechanisms.parse("inftda", options), **BUDGET)
    released = simulate(table, made)
    assert released.checks.keeps_invariants
    return released


def peak_gigabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def published_procedure(table, made, noise, levels):
    """One filter of the whole table for every node, and its optimiser in plain Python.

    Returns:
        For each tree level: nodes that were split, and seconds.
    """
    tree = FlowTree.of(table.domain)
    frame = pd.DataFrame({"value": table.values})
    for k in range(table.tree.n_levels):
        for end, regions, places in (
            ("o", table.origins, table.origin),
            ("d", table.destinations, table.destination),
        ):
            frame[f"{end}{k}"] = leaf_ancestors(regions.tree, k)[places]
    alive, shown = {(0, 0): table.total}, []
    for level in range(1, levels + 1):
        started, below = time.perf_counter(), {}
        (ko, kd), (above_o, above_d) = tree.geographic(level), tree.geographic(level - 1)
        event = made.by_level[level]
        for (o, d), total in alive.items():
            part = frame[(frame[f"o{above_o}"] == o) & (frame[f"d{above_d}"] == d)]
            sums = part.groupby([f"o{ko}", f"d{kd}"])["value"].sum()
            family = children(tree, level, (o, d))
            noisy = [
                int(sums.get(child, 0)) + int(drawn)
                for child, drawn in zip(family, noise.draw(event, (len(family),)), strict=True)
            ]
            below |= dict(zip(family, step_by_step(noisy, total), strict=True))
        shown.append((len(alive), time.perf_counter() - started))
        alive = {node: value for node, value in below.items() if value > 0}
    return shown


def children(tree, level, node):
    width = tree.widths(level - 1)[1]
    key = np.array([node[0] * width + node[1]])
    size = int(tree.family_sizes(level, key)[0])
    keys = tree.children(level, key, np.zeros(size, dtype=np.int64), np.arange(size))
    return list(zip(*(ends.tolist() for ends in tree.ends(level, keys)), strict=True))


def test_a_thousand_times_the_published_procedure():
    table = samples.load("od-binary-complete").table
    released = timed(table)
    quick = min(simulate(table, released.plan).seconds["total"] for _ in range(5))
    shown = published_procedure(table, released.plan, SeededNoise(0), SLOW_LEVELS)
    nodes, seconds = shown[-1]
    # Every node costs a filter of the whole table, whatever its level: the nodes of all levels.
    survivors = [1, *(np.sum(at > 0) for at in levels_of_release(released))][:-1]
    whole = sum(s for _, s in shown) + sum(survivors[SLOW_LEVELS:]) * seconds / nodes
    print(
        f"\nod-binary-complete: {quick:.3f} s; the published procedure {whole:,.0f} s "
        f"({SLOW_LEVELS} levels of 16 run, {1000 * seconds / nodes:.1f} ms a node): "
        f"{whole / quick:,.0f} times"
    )
    assert whole / quick >= 1_000


def levels_of_release(released):
    from hierdp_core.evaluation.flow_errors import levels_of

    tree = FlowTree.of(released.plan.domain)
    return [values for _, values in levels_of(tree, released.table.pairs)][1:]


def test_commuting_in_italy():
    table = samples.load("italy-commuting").table
    released = timed(table)
    seconds, peak = released.seconds, peak_gigabytes()
    print(
        f"\nitaly-commuting: {table.total:,} commuters, {len(table.pairs):,} pairs: "
        f"{seconds['total']:.2f} s (noise {seconds['noise']:.2f}), "
        f"{sum(released.noisy.n_noisy):,} draws, {peak:.2f} GB at most"
    )
    assert seconds["total"] < 10
    assert peak < 2


def geography(sizes):
    """Areas on levels of these sizes, families as even as they come."""
    parents, start = [np.array([-1])], 0
    for above, size in pairwise(sizes):
        parents.append(start + np.sort(np.arange(size) % above))
        start += above
    tree = Hierarchy(
        parent=np.concatenate(parents), level_start=np.concatenate([[0], np.cumsum(sizes)])
    )
    codes = tuple(map(str, range(tree.n_nodes)))
    levels = ("country", "region", "province", "municipality", "section area", "section")
    return Regions(
        tree=tree,
        levels=levels[: len(sizes)],
        ids=codes,
        names=codes,
        padded=np.zeros(tree.n_nodes, dtype=bool),
    )


def gravity_like(places, pairs, seed=0):
    """Flows between random leaves, most of them near: a few each, some of many."""
    rng, leaves = np.random.default_rng(seed), places.tree.n_leaves
    origin = rng.integers(leaves, size=pairs)
    near = np.rint(rng.standard_cauchy(pairs) * leaves / 500).astype(np.int64)
    trips = np.minimum(1 + np.floor(rng.pareto(1.5, pairs)), 999).astype(np.int64)
    return Flows.from_pairs(places, places, origin, (origin + near) % leaves, trips)


@pytest.mark.parametrize("share", [0.01] + [0.1, 1.0] * LARGE)
def test_five_levels_of_areas(share):
    sizes = tuple(max(k + 1, round(size * share**0.5)) for k, size in enumerate(AREAS))
    table = gravity_like(geography((1, *sizes[1:])), int(14e6 * share))
    started = time.perf_counter()
    released = timed(table)
    print(
        f"\nfive levels, {sizes[-1]:,} areas, {len(table.pairs):,} pairs: "
        f"{time.perf_counter() - started:.1f} s, {sum(released.noisy.n_noisy):,} draws, "
        f"{peak_gigabytes():.1f} GB at most"
    )
    assert released.seconds["total"] < 300
    assert peak_gigabytes() < 16


def test_time_grows_with_what_survives_not_with_what_is_possible():
    """A thousand times as many possible pairs with the same flows: about the same draws."""
    times = {}
    for areas in (300, 3_000, 10_000):
        table = gravity_like(geography((1, 10, 100, areas)), 20_000)
        released = timed(table)
        draws = sum(released.noisy.n_noisy)
        times[areas] = released.seconds["total"], draws
        print(
            f"\n{areas:,} areas, {areas**2:,} possible pairs: {released.seconds['total']:.3f} s, "
            f"{draws:,} draws, {1e9 * released.seconds['total'] / draws:.0f} ns a draw"
        )
    assert times[10_000][1] < 10_000**2 / 100
