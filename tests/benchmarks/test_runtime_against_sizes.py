"""Time against the number of group sizes, N = 5…50, as in Figure 7 of Fioretto et al. (2021).

    .venv/bin/pytest tests/benchmarks/test_runtime_against_sizes.py -n0 -s

The table is made after the taxis of New York: a city, 6 boroughs, 60 zones (of 263, so that
the generic solvers finish some points), 13,282 taxis with very few pickups in most zones
and a long tail. Every run may take 60 seconds.
"""

from time import perf_counter

import numpy as np

from hierdp_core import mechanisms
from hierdp_core.exceptions import ChoiceError, SolverError
from hierdp_core.hierarchy import Regions
from hierdp_core.noise import SeededNoise
from hierdp_core.simulation import plan
from hierdp_core.tables import GroupSizes

GENERIC = ("pgsr-h", "pgsr-c", "pgsr-h-dp-generic")
FAST = ("pgsr-h-dp", "pgsr-c-dp", "pgsr-c-chain")
SAME_OPTIMUM = ("pgsr-h", "pgsr-h-dp-generic", "pgsr-h-dp")
SIZES = range(5, 51, 5)
TAXIS, TAIL = 13_282, 1.2
BOROUGH_ZONES = (16, 15, 15, 10, 3, 1)


def city(largest):
    """Taxis by pickups 1…`largest` and zone; zones differ in size as cities' parts do."""
    rng = np.random.default_rng(2014)
    parents = {"city": None}
    zones = {}
    for borough, count in enumerate(BOROUGH_ZONES):
        parents[f"borough {borough}"] = "city"
        zones |= {f"zone {borough}-{zone}": f"borough {borough}" for zone in range(count)}
    regions = Regions.from_parents(parents | zones, levels=("city", "borough", "zone"))
    busy = rng.pareto(1, len(zones)) + 0.05
    tail = np.append(0, np.arange(1.0, largest + 1) ** -TAIL)
    chance = np.outer(busy, tail)
    leaves = rng.multinomial(TAXIS, (chance / chance.sum()).ravel()).reshape(chance.shape)
    return GroupSizes.from_leaves(regions, leaves, group="taxis", person="pickup")


def seconds_of(table, id):
    """How long it took and what came out; in words, and None, where it did not finish."""
    options = {"time_limit": 60} if id in GENERIC else None
    try:
        made = plan(table, mechanisms.parse(id, options), epsilon=1)
    except ChoiceError:
        return "too large", None
    mechanism = made.mechanism
    noisy = mechanism.measure(table.values, made, SeededNoise(0))
    best = None
    for _ in range(1 if id in GENERIC else 5):
        started = perf_counter()
        try:
            values = mechanism.estimate(noisy, made)
        except SolverError:
            return "over 60", None
        took = perf_counter() - started
        best = took if best is None else min(best, took)
    weight = made.weights[table.tree.level_of][:, None]
    cost = int((weight * (mechanism.answer(values, table.tree) - noisy) ** 2).sum())
    return best, cost


def test_runtime_against_the_number_of_sizes():
    for id in FAST:
        mechanisms.warm_up(id)
    print("\nseconds at ε = 1; “too large” and “over 60”: over the limit of size or of time")
    print("N   cells " + "".join(f"{id:>18}" for id in (*GENERIC, *FAST)))
    finished = dict.fromkeys(GENERIC, 0)
    for largest in SIZES:
        table = city(largest)
        found = {id: seconds_of(table, id) for id in (*GENERIC, *FAST)}
        shown = [t if isinstance(t, str) else f"{t:.4f}" for t, _ in found.values()]
        print(
            f"{largest:<3} {table.values.size:>5} " + "".join(f"{t:>18}" for t in shown), flush=True
        )
        costs = {found[id][1] for id in SAME_OPTIMUM} - {None}
        assert len(costs) == 1
        for id in GENERIC:
            seconds, cost = found[id]
            if cost is not None:
                finished[id] += 1
                assert seconds > found["pgsr-h-dp"][0]
    assert all(finished.values())
